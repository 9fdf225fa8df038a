@testable import Base
import TestSupport
import Testing

@Suite("The writer")
struct JSONWriterTests {
  @Test("writes what it is told, in the order of the calls")
  func compact() throws {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("z", 1)
      writer.member("a", "x")
      writer.array("list") { writer in
        writer.integer(UInt64.max)
        writer.integer(Int64.min)
        writer.real(0.1)
        writer.boolean(true)
        writer.null()
        writer.array { _ in }
        writer.object { _ in }
      }
      writer.object("inner") { $0.member("f", false) }
      writer.member("real", 1.5)
      writer.member("none", nil as String?)
      writer.member("nothing", nil as Int?)
    }
    #expect(
      writer.text == #"{"z":1,"a":"x","list":[18446744073709551615,-9223372036854775808,0.1,true,"#
        + #"null,[],{}],"inner":{"f":false},"real":1.5,"none":null,"nothing":null}"#)
    #expect(try !JSONDocument.read(writer.bytes).isReadTolerantly)
  }

  @Test("the pretty form has one member or element a line, and 2 spaces a level")
  func pretty() {
    var writer = JSONWriter(pretty: true)
    writer.object { writer in
      writer.member("a", 1)
      writer.array("b") { writer in
        writer.integer(1)
        writer.object { _ in }
        writer.array { $0.string("x") }
      }
      writer.array("c") { _ in }
    }
    #expect(
      writer.text == """
        {
          "a": 1,
          "b": [
            1,
            {},
            [
              "x"
            ]
          ],
          "c": []
        }
        """)
  }

  @Test("every character is read back, escaped only where it must be")
  func escaping() throws {
    var all = String.UnicodeScalarView()
    for value in UInt32(0)...0x2FF { all.append(Unicode.Scalar(value) ?? " ") }
    for value in [0x2028, 0x2029, 0xFFFD, 0xFFFF, 0x1_0000, 0x10_FFFF] as [UInt32] {
      all.append(Unicode.Scalar(value) ?? " ")
    }
    var writer = JSONWriter()
    writer.string(String(all))
    let back = try #require(try JSONDocument.read(writer.bytes).root.string)
    #expect(Array(back.utf8) == Array(String(all).utf8))
    var plain = JSONWriter()
    plain.string("a/\u{7F}\u{E9}\"\\\u{1}\n")
    #expect(plain.text == "\"a/\u{7F}\u{E9}\\\"\\\\\\u0001\\n\"")
  }

  @Test("bytes that are not UTF-8 are repaired as the standard library does, by the reader as well")
  func repairAgrees() throws {
    var random = SeededRandom(seed: 11)
    let pool: [UInt8] = [
      0x41, 0x80, 0xBF, 0xC0, 0xC2, 0xE0, 0xA0, 0xED, 0xEF, 0xF0, 0x90, 0xF4, 0xF5,
    ]
    for _ in 0..<5_000 {
      let count = Int.random(in: 0...6, using: &random)
      let bytes = (0..<count).map { _ in pool[Int.random(in: 0..<pool.count, using: &random)] }
      var writer = JSONWriter()
      bytes.withUnsafeBufferPointer { writer.string(utf8: $0) }
      let repaired = String(decoding: bytes, as: UTF8.self)
      #expect(writer.text == "\"\(repaired)\"")
      #expect(try JSONDocument.read([0x22] + bytes + [0x22]).root.isString(repaired))
    }
  }

  @Test("what JSON cannot say is null")
  func notFinite() {
    var writer = JSONWriter()
    writer.array { writer in
      for value in [Double.nan, .infinity, -.infinity, -0.0, 1e300, .leastNonzeroMagnitude] {
        writer.real(value)
      }
    }
    #expect(writer.text == "[null,null,null,-0.0,1e+300,5e-324]")
  }

  @Test("a value of a document keeps its numbers, and one writer serves line after line")
  func values() throws {
    let root = try document(#"{"a":[1.0,6.0E7],"b":"x"}"#).root
    var writer = JSONWriter()
    writer.array { $0.value(root) }
    #expect(writer.text == #"[{"a":[1.0,6.0E7],"b":"x"}]"#)
    writer.removeAll()
    writer.object { $0.member("n", 1) }
    writer.newline()
    #expect(writer.text == "{\"n\":1}\n")
  }

  @Test("a random tree is read back as it was written")
  func roundTrip() throws {
    var random = SeededRandom(seed: 3)
    for _ in 0..<300 {
      let text = RandomDocument.text(using: &random)
      let root = try JSONDocument.read(text).root
      var pretty = JSONWriter(pretty: true)
      copy(root, to: &pretty)
      #expect(try JSONDocument.read(pretty.bytes).root.json == root.json)
    }
  }

  private func copy(_ value: JSONValue, to writer: inout JSONWriter) {
    switch value.kind {
    case .object:
      writer.object { writer in
        for member in value.members {
          writer.key(member.key.string ?? "")
          copy(member.value, to: &writer)
        }
      }
    case .array:
      writer.array { writer in for element in value.elements { copy(element, to: &writer) } }
    case .string: _ = value.withUTF8 { writer.string(utf8: $0) }
    default: writer.value(value)
    }
  }
}
