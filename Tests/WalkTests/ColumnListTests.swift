import Base
@testable import Walk
import Testing

@Suite("Records whose members are lists beside each other")
struct ColumnListTests {
  private static func read(_ body: String) throws -> Reading {
    try PageReaderTests.read(
      PageReaderTests.answer(body), records: "recent"
    ) { stream, _ in stream.readsColumns = true }
  }

  @Test("are read place by place; what is no list is no member of them")
  func records() throws {
    let page = try PageReaderTests.page(
      Self.read(#"{"recent":{"id":[1,2],"form":["4","10-K"],"cik":7},"more":false}"#))
    #expect(
      page.records.map { String(decoding: $0.json, as: UTF8.self) }
        == [#"{"id":1,"form":"4"}"#, #"{"id":2,"form":"10-K"}"#])
    let none = try PageReaderTests.page(Self.read(#"{"recent":{"id":[]},"total":0}"#))
    #expect(none.records.isEmpty)
  }

  @Test(
    "of lengths that differ, or none at all, are no page",
    arguments: [
      (#"{"recent":{"id":[1,2],"form":["4"]}}"#, "id has 2, and form has 1"),
      (#"{"recent":{"id":1}}"#, "holds no list"), (#"{"recent":[{"id":1}]}"#, "a list is there"),
    ])
  func wrong(body: String, words: String) throws {
    let sentence = try PageReaderTests.trouble(Self.read(body))?.sentence ?? ""
    #expect(sentence.contains(words), "\(sentence)")
  }
}
