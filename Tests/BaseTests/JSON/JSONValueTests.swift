@testable import Base
import Testing

/// A document from a literal; the tests here are about its content.
func document(_ text: String) throws -> JSONDocument { try JSONDocument.read(Array(text.utf8)) }

@Suite("A value of a document")
struct JSONValueTests {
  @Test(
    "has the kind that its text says",
    arguments: [
      ("{}", JSONValue.Kind.object), ("[]", .array), ("\"\"", .string), ("true", .boolean),
      ("false", .boolean), ("null", .null), ("0", .integer), ("-7", .integer),
      ("18446744073709551615", .integer), ("1.0", .real), ("1e3", .real),
      ("18446744073709551616", .hugeNumber), ("-9223372036854775809", .hugeNumber),
      ("1e400", .hugeNumber),
    ])
  func kind(text: String, kind: JSONValue.Kind) throws {
    let root = try document(text).root
    #expect(root.kind == kind)
    #expect(root.isNull == (kind == .null))
    #expect(root.isObject == (kind == .object))
    #expect(root.isArray == (kind == .array))
    #expect(root.isString == (kind == .string))
    #expect(root.isNumber == [.integer, .real, .hugeNumber].contains(kind))
    #expect((root.boolean != nil) == (kind == .boolean))
    #expect((root.string != nil) == (kind == .string))
    #expect((root.rawNumber != nil) == root.isNumber)
  }

  @Test("is found by its key, and a missing key or another kind gives nothing")
  func lookUp() throws {
    let root = try document(#"{"a":{"b":[10,"x",{"c":true}]},"":1}"#).root
    #expect(root["a"]?["b"]?[0]?.integer == 10)
    #expect(root["a"]?["b"]?[1]?.string == "x")
    #expect(root["a"]?["b"]?[2]?["c"]?.boolean == true)
    #expect(root[""]?.integer == 1)
    #expect(root["b"] == nil)
    #expect(root[0] == nil)
    #expect(root["a"]?["b"]?[3] == nil)
    #expect(root["a"]?["b"]?[-1] == nil)
    #expect(root["a"]?["b"]?["c"] == nil)
    #expect(root[""]?["c"] == nil)
  }

  @Test("of duplicate keys is the first one")
  func firstWins() throws {
    let root = try document(#"{"a":1,"b":2,"a":3}"#).root
    #expect(root["a"]?.integer == 1)
    #expect(root.count == 3)
    #expect(root.members.map { $0.value.integer } == [1, 2, 3])
  }

  @Test("keys are compared as bytes: two ways to write the same letter are two keys")
  func bytesDecide() throws {
    let root = try document("{\"\u{E9}\":1,\"e\u{301}\":2}").root
    #expect(root["\u{E9}"]?.integer == 1)
    #expect(root["e\u{301}"]?.integer == 2)
    #expect(root.members.map { $0.key.isString("\u{E9}") } == [true, false])
  }

  @Test("two keys of any length that differ in one byte anywhere are two keys")
  func everyByteCounts() throws {
    for length in 1...40 {
      for place in 0..<length {
        var other = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        other[place] = UInt8(ascii: "b")
        let text = String(decoding: other, as: UTF8.self)
        let same = String(repeating: "a", count: length)
        let root = try document("{\"\(text)\":1,\"\(same)\":2}").root
        #expect(root[same]?.integer == 2)
        #expect(root[text]?.integer == 1)
      }
    }
  }

  @Test("keeps its document alive")
  func lifetime() throws {
    func inner() throws -> JSONValue {
      try #require(
        try document(#"{"long enough to be on the heap":"value as well, surely"}"#)
          .root["long enough to be on the heap"])
    }
    let kept = try inner()
    for round in 0..<100 { _ = try document("[\(round),\"something else in the same memory\"]") }
    #expect(kept.string == "value as well, surely")
  }

  @Test("borrowed memory is copied: the document does not mind what becomes of it")
  func borrowed() throws {
    var bytes = Array(#"{"a":[1.50,"x"]}"#.utf8)
    let document = try bytes.withUnsafeBytes { try JSONDocument.read($0) }
    for at in bytes.indices { bytes[at] = UInt8(ascii: "#") }
    #expect(document.root["a"]?[0]?.rawNumber == "1.50")
    #expect(document.root["a"]?[1]?.string == "x")
    #expect(document.withBytes { Array($0) } == Array(#"{"a":[1.50,"x"]}"#.utf8))
    #expect(throws: JSONError.self) {
      try JSONDocument.read(UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  @Test("a text above the limit is refused before a byte of it is read")
  func tooLarge() {
    let count = JSONDocument.bytesMax + 1
    #expect {
      // There is no memory behind these bytes.
      _ = try JSONDocument.read(
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 64), count: count))
    } throws: {
      ($0 as? JSONError)?.kind == .tooLarge
    }
  }

  @Test("escapes in strings and keys are decoded")
  func escapes() throws {
    let root = try document(#"{"\u0061\n":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000"}"#).root
    #expect(root["a\n"]?.string == "\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{1F600}\u{0}")
  }
}
