@testable import Base
import Testing

@Suite("A list with damaged elements")
struct DamagedListTests {
  private static func list(_ middle: String) -> [UInt8] {
    Array(#"{"a": ["x", {"]": 1}], "items": [{"id": 1, "t": "},{"}, "#.utf8) + Array(middle.utf8)
      + Array(#", {"id": 3}], "next": "n"}"#.utf8)
  }

  private static func items() throws -> JSONPath { try JSONPath("items") }

  @Test(
    "is read without them, and each is named with its bytes and its place",
    arguments: [
      #"{"id": 2, "t": "a\qb"}"#, #"{"id": 2, "t": "\u12G4"}"#, #"{"id": 007}"#, #"{"id": NaN}"#,
      #"{"id": 2,}"#, #"{"id": }"#, #"{id: 2}"#, "NaN", "007", #"{"id": 2 /* why */}"#,
      #"[1, +2]"#, #"{"id": 2, "v": [1, 2, , 3]}"#, "undefined",
    ])
  func damaged(middle: String) throws {
    let text = Self.list(middle)
    #expect(throws: JSONError.self) { try JSONDocument.read(text) }
    let list = try #require(DamagedList(text, at: Self.items()))
    #expect(list.damaged.map(\.place) == [1])
    let element = try #require(list.damaged.first)
    #expect(element.bytes == Array(middle.utf8))
    #expect(Array(text[element.offset...].prefix(element.bytes.count)) == element.bytes)
    #expect(element.error.offset >= element.offset)
    #expect(element.error.offset <= element.offset + element.bytes.count)
    let items = try #require(Self.items().first(in: list.document.root))
    #expect(
      String(decoding: items.json, as: UTF8.self)
        == #"[{"id":1,"t":"},{"},null,{"id":3}]"#)
  }

  @Test(
    "stays unread where nobody can know where a record ends",
    arguments: [
      // A quote too many, or too few, or one that is escaped.
      #"{"id": 2, "t": "a"b"}"#, #"{"id": 2, "t": "a"b"c"}"#, #"{"id": 2, "t": a"}"#,
      #"{"id": 2, "t": "C:\"}"#, #"{"id": 2, "t": "a" "b"}"#,
      // Brackets that do not match.
      #"{"id": 2"#, #"{"id": 2}}"#, #"{"id": [2}"#, #"{"id": 2]"#, "]", "",
    ])
  func uncertain(middle: String) throws {
    #expect(try DamagedList(Self.list(middle), at: Self.items()) == nil)
  }

  @Test("is read without an element that is too deep")
  func tooDeep() throws {
    let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
    let list = try #require(DamagedList(Self.list(deep), at: Self.items()))
    #expect(list.damaged.map(\.error.kind) == [.tooDeep])
  }

  @Test("stays unread where two records with a quote too many look like one without")
  func twoQuotes() throws {
    let text =
      #"[{"id": 1}, {"id": 2, "t": "a"b"}, {"id": 3, "t": "c"}, {"id": 4, "t": "d"e"}, {"id": 5}]"#
    #expect(DamagedList(Array(text.utf8), at: try JSONPath(".")) == nil)
  }

  @Test("stays unread where it is broken elsewhere, cut, whole, or where there is no list")
  func elsewhere() throws {
    let sound = Self.list("7")
    let damaged = Self.list("007")
    let cases: [[UInt8]] = [
      sound, damaged.dropLast(1), damaged.dropLast(20), Array(#"{"items": {"id": 007}}"#.utf8),
      Array(#"{"x": 007, "items": [007]}"#.utf8), Array(#"{"items": []"#.utf8), [], [0x5B],
    ]
    for text in cases { #expect(try DamagedList(text, at: Self.items()) == nil) }
    #expect(try DamagedList(damaged, at: JSONPath("items.*.x")) == nil)
    #expect(try DamagedList(damaged, at: JSONPath("other")) == nil)
    let deep = Array(#"{"a": [0, {"items": [1, NaN]}]}"#.utf8)
    #expect(try DamagedList(deep, at: JSONPath("a.1.items"))?.damaged.map(\.place) == [1])
  }
}
