import Base
import TestSupport
import Testing

@Suite("A list that the API refuses", .prompt)
struct RefusedListTests {
  private let home = Home()

  private func job(_ server: AnswerServer, words: [String]) -> String {
    let all = words.map { "\"\($0)\"" }.joined(separator: ", ")
    return home.write(
      Shelf.job(
        base: server.origin, get: "/books/{word}", columns: #"id: "id""#,
        list: #"listName: "books of {word}","#,
        more: #"params: { word: { default: [\#(all)], about: "whose" } },"#), to: "shelf.json5")
  }

  @Test("fails alone: the others are asked, and the sentence names it")
  func others() async throws {
    let server = AnswerServer { call in
      call.target.hasPrefix("/v1/books/b")
        ? .json("{}", status: 422) : .json("{\"items\":[{\"id\":\"\(call.target)\"}]}")
    }
    // Other lists of its stream were readable: it may be, too, tomorrow.
    let job = job(server, words: ["a", "b", "c"])
    await home.trawl("run", job, ends: 3, saying: "/books/b answers 422")
    #expect(
      try home.tables.verdicts() == [
        "books of a": "complete", "books of b": "failed", "books of c": "complete",
      ])
    #expect(server.calls.count == 3)
  }

  @Test("is one of ten at most: an API that refuses every list is not asked for ever")
  func every() async throws {
    let server = AnswerServer { _ in .json("{}", status: 400) }
    let job = job(server, words: (1...30).map { "w\($0)" })
    await home.trawl("run", job, ends: 1, saying: "10 lists in a row failed")
    #expect(server.calls.count == 10)
  }

  @Test("is noticed where the refusal looks like a page: an error in place of the records")
  func inShape() async throws {
    let server = AnswerServer { _ in .json(#"{"items":{"error":"internal","code":5}}"#) }
    let job = job(server, words: (1...30).map { "w\($0)" })
    await home.trawl("run", job, ends: 3, saying: "10 lists in a row returned nothing that fits")
    #expect(server.calls.count == 10)
    #expect(try Set(home.tables.verdicts().values) == ["incomplete"])
  }
}
