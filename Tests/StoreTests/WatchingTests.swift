import Base
import Store
internal import Testing

@Suite("What a watched query returned")
struct WatchingTests {
  private let fixture = Fixture()

  private func rows(_ ids: some Sequence<Int>) -> [WatchedRow] {
    ids.map { WatchedRow(key: "[\($0)]", content: #"{"id":\#($0)}"#) }
  }

  private func note(_ rows: [WatchedRow], _ store: RecordStore) async throws -> WatchNews {
    try await store.note(watched: rows, of: "who", job: "people", isWhole: true)
  }

  @Test("is due until it was delivered, also once the query returns it no more; back, it is new")
  func gone() async throws {
    let store = try await fixture.open()
    #expect(try await note([], store).isFirst)
    let first = try await note(rows([1]), store)
    #expect(first.new == 1 && first.due.map(\.key) == ["[1]"])
    for _ in 1...2 {
      let news = try await note([], store)
      #expect(news.new == 0 && news.due.map(\.key) == ["[1]"])
    }
    let back = try await note(rows([1]), store)
    #expect(back.new == 1 && back.due.map(\.key) == ["[1]"])
    try await store.delivered(back.due, of: "who", job: "people")
    let rest = try await note(rows([1]), store)
    #expect(rest.new == 0 && rest.due.isEmpty)
  }

  @Test("is delivered in parts where it is much, and nothing of it is lost")
  func much() async throws {
    let store = try await fixture.open()
    _ = try await note([], store)
    let all = rows(1...Watch.deliveredMax + 1)
    var taken: Set<String> = []
    for (count, hasMore) in [(Watch.deliveredMax, true), (1, false), (0, false)] {
      let news = try await note(all, store)
      #expect(news.due.count == count && news.hasMore == hasMore)
      taken.formUnion(news.due.map(\.key))
      try await store.delivered(news.due, of: "who", job: "people")
    }
    #expect(taken.count == all.count)
  }
}
