@testable import Base
import TestSupport
import Testing

private func read(_ text: String) throws -> JSON5Node { try JSON5Reader.read(Array(text.utf8)) }

/// The tree as compact text, for comparison.
private func shape(_ node: JSON5Node) -> String {
  switch node.content {
  case .null: "null"
  case .boolean(let value): "\(value)"
  case .number(let number): number.integer.map { "\($0)" } ?? "\(number.real)"
  case .string(let text): "'\(text)'"
  case .array(let elements): "[" + elements.map(shape).joined(separator: " ") + "]"
  case .object(let members):
    "{" + members.map { "\($0.key)=\(shape($0.value))" }.joined(separator: " ") + "}"
  }
}

@Suite("The JSON5 reader")
struct JSON5Tests {
  @Test(
    "takes what JSON5 allows",
    arguments: [
      ("{}", "{}"), ("[]", "[]"), ("[1,]", "[1]"), ("{a:1,}", "{a=1}"), ("null", "null"),
      ("{'a':\"b\", \"c\":'d', $e_1: true, _f: false}", "{a='b' c='d' $e_1=true _f=false}"),
      ("{\u{E9}t\u{E9}: 1, \\u0061b: 2, while: 3}", "{\u{E9}t\u{E9}=1 ab=2 while=3}"),
      ("// head\n/* a * / ** */[1, /* in */ 2] // tail", "[1 2]"),
      ("//\u{2028}1//", "1"), ("\u{FEFF}\u{A0}\u{B}\u{C}\u{3000} 7 ", "7"),
      ("[.5, 5., +1, -1, -0]", "[0.5 5 1 -1 0]"),
      ("[0x1F, 0XfF, -0x10, 1e3, 1.5E-1, 2.50e1]", "[31 255 -16 1000 0.15 25]"),
      ("[Infinity, -Infinity, +Infinity, NaN]", "[inf -inf inf nan]"),
      ("[0x7fffffffffffffff, -0x8000000000000000]", "[\(Int64.max) \(Int64.min)]"),
      ("[9223372036854775807, 9007199254740993.0]", "[9223372036854775807 9007199254740993]"),
      (
        #"'\'\"\\\b\f\n\r\t\v\0\x41\u00e9\ud83d\ude00\a\/'"#,
        "''\"\\\u{8}\u{C}\n\r\t\u{B}\0A\u{E9}\u{1F600}a/'"
      ),
      ("'one\\\ntwo\\\r\nthree\\\rfour\\\u{2028}five'", "'onetwothreefourfive'"),
      ("'a\u{2028}b\tc'", "'a\u{2028}b\tc'"), ("'\u{65}\u{301}'", "'e\u{301}'"),
      ("{a:1,a:2,b:[{},[],],}", "{a=1 a=2 b=[{} []]}"),
    ])
  func accepts(text: String, expected: String) throws {
    let found = shape(try read(text))
    #expect(Array(found.utf8) == Array(expected.utf8), "\(found)")
  }

  @Test("knows the line, column and byte of every value and key")
  func positions() throws {
    let text = "{\r\n  name: 'x', // \u{E9}\n\t\"\u{1F468}\u{200D}\u{1F469}\": [1,\r 'y'],\n}"
    let root = try read(text)
    #expect(root.position == JSON5Position(line: 1, column: 1, offset: 0))
    let members = try #require(root.members)
    #expect(members[0].keyPosition == JSON5Position(line: 2, column: 3, offset: 5))
    #expect(members[0].value.position == JSON5Position(line: 2, column: 9, offset: 11))
    #expect(members[1].keyPosition == JSON5Position(line: 3, column: 2, offset: 23))
    // A family emoji is one character, but 11 bytes.
    #expect(members[1].value.position == JSON5Position(line: 3, column: 7, offset: 38))
    let elements = try #require(members[1].value.elements)
    #expect(elements[0].position == JSON5Position(line: 3, column: 8, offset: 39))
    #expect(elements[1].position == JSON5Position(line: 4, column: 2, offset: 43))
  }

  @Test("positions behind a byte order mark count it in bytes, not in columns")
  func markedPositions() throws {
    #expect(try read("\u{FEFF}[7]").elements?[0].position.description == "1:2")
    #expect(try read("\u{FEFF}[7]").elements?[0].position.offset == 4)
  }

  @Test(
    "says where it is wrong, what is wrong, and what would be right",
    arguments: [
      ("", "1:1: expected a value, found the end of the file"),
      (
        "{base: 'x' auth: 1}", "1:12: expected ',' or '}' after the value of \"base\", found 'auth'"
      ),
      (
        "{\n  base: 1\n  auth: 2\n}",
        "3:3: expected ',' or '}' after the value of \"base\", found 'auth'"
      ),
      (
        "{\n a: {b: 1",
        "2:10: expected ',' or '}' after the value of \"b\", found the end of the file; "
          + "the object begins at 2:5"
      ),
      (
        "[1, 2",
        "1:6: expected ',' or ']' after an element, found the end of the file; "
          + "the list begins at 1:1"
      ),
      ("{a = 1}", "1:4: expected ':' after the key \"a\", found '='"),
      ("{a: }", "1:5: expected a value for \"a\", found '}'"),
      ("{a: True}", "1:5: expected a value for \"a\", found 'True'; write true"),
      ("{a: no}", "1:5: expected a value for \"a\", found 'no'; write false"),
      ("{a: None}", "1:5: expected a value for \"a\", found 'None'; write null"),
      ("{a: items}", "1:5: expected a value for \"a\", found 'items'; text must be in quotes"),
      ("{a: 7d}", "1:6: the number 7 ends in 'd'; text must be in quotes"),
      ("{a: 1.2.3}", "1:8: the number 1.2 ends in '.'; text must be in quotes"),
      ("{# x\na: 1}", "1:2: expected a key or '}', found '#'; a comment begins with '//'"),
      (
        "{a: \u{201C}x\u{201D}}",
        "1:5: expected a value for \"a\", found '\u{201C}'; quotes are \" or '"
      ),
      (
        "{7: 1}",
        "1:2: expected a key or '}', found '7'; a key that begins like this must be in quotes"
      ),
      ("{a-b: 1}", "1:3: expected ':' after the key \"a\", found '-'"),
      (
        "{a: 'x\n'}",
        "1:5: this text has no end; expected ' on its line, or '\\' as the last character "
          + "to go on below"
      ),
      ("{a: \"x", "1:5: this text has no end; expected \" before the end of the file"),
      ("[1 /* x", "1:4: this comment has no end; expected '*/'"),
      ("[1 / 2]", "1:4: expected '//' or '/*' to begin a comment, found '/' alone"),
      ("[,]", "1:2: expected a value or ']', found ','"),
      ("{,}", "1:2: expected a key or '}', found ','"),
      ("[1]]", "1:4: expected the end of the file after its value, found ']'"),
      ("[010]", "1:2: a number has no leading zeros; expected 10"),
      ("[0x]", "1:4: expected a hexadecimal digit after 0x, found ']'"),
      ("[1e]", "1:4: expected a digit in the exponent, found ']'"),
      ("[+]", "1:3: expected a number, found ']'"), ("[.]", "1:2: expected a number, found '.'"),
      ("'\\x4g'", "1:5: expected 2 hexadecimal digits in the escape, found 'g'"),
      ("'\\ud800'", "1:2: half of a surrogate pair; expected both halves, as in \\ud83d\\ude00"),
      ("'\\1'", "1:2: '\\1' is not an escape; expected \\n, \\t, \\xHH, \\uHHHH or the like"),
      ("'\\01'", "1:2: '\\0' may not be followed by a digit; write \\u0000"),
      ("{a\\x: 1}", "1:3: in a key without quotes only \\uHHHH may follow '\\'"),
      ("{\\u0020: 1}", "1:2: a key with this character must be in quotes"),
      ("[\u{1}]", "1:2: expected a value or ']', found the character U+0001"),
    ])
  func refuses(text: String, message: String) {
    #expect {
      _ = try read(text)
    } throws: {
      "\($0)" == message
    }
  }

  @Test("bytes that are not UTF-8 are refused at their place")
  func notUTF8() {
    let bytes = Array("{a: 1,\n b: '".utf8) + [0xC3] + Array("'}".utf8)
    #expect(
      throws: JSON5Error(
        position: JSON5Position(line: 2, column: 6, offset: 12),
        message: "the file is not UTF-8 text here")
    ) { try JSON5Reader.read(bytes) }
  }

  @Test("100 levels are read and 101 are refused")
  func depth() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    #expect(try read(nested(100)).kindName == "a list")
    #expect(throws: JSON5Error.self) { try read(nested(101)) }
    #expect(throws: JSON5Error.self) { try read(String(repeating: "[", count: 1_000_000)) }
  }

  @Test("a file that is cut at any byte is refused, and none of a thousand damages traps")
  func cutAndDamaged() throws {
    let text = Array(
      """
      { name: 'x', // the name
        "list": [0x1F, .5, -1e3, 'a\\u00e9\\
      b', null, true,], on: { a: Infinity }, }
      """.utf8)
    _ = try JSON5Reader.read(text)
    for end in 0..<text.count - 1 {
      #expect(throws: JSON5Error.self) { try JSON5Reader.read(Array(text[..<end])) }
    }
    var random = SeededRandom(seed: 5)
    for _ in 0..<1_000 {
      var damaged = text
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] =
          .random(in: 0...255, using: &random)
      }
      _ = try? JSON5Reader.read(damaged)  // Refused or read: it only must not trap.
    }
  }
}
