import Base
import TestSupport
import Testing

@Suite("A server that says any number", .prompt)
struct HugeNumberTests {
  static let numbers = [
    "9223372036854775807", "-1", "1e300", "9223372036854775808", "1000000000000", "0.5",
  ]

  @Test("of records or pages ends no run in a crash", arguments: numbers)
  func number(text: String) async throws {
    let server = AnswerServer { call in
      let page = call.target.holds("page=2") ? 2 : 1
      var reply = AnswerServer.Reply.json(
        "{\"count\":\(text),\"items\":[{\"id\":\"\(page)a\"},{\"id\":\"\(page)b\"}]}")
      if page == 1 {
        reply.fields.append("Link: <\(call.target)&page=2>; rel=\"next\"")
        reply.fields.append("Link: <\(call.target)&page=\(text)>; rel=\"last\"")
      }
      return reply
    }
    for pages in ["by: \"link\"", "by: \"number\", to: \"?page\""] {
      for trust in ["counted", "estimate"] {
        let home = Home()
        let job = home.write(
          Shelf.job(
            base: server.origin, pages: pages + #", size: "?n=2""#, columns: #"id: "id""#,
            list: #"total: "count \#(trust)", spends: { day: 1 },"#,
            more: #"quotas: { day: { allow: 5, per: "day" } },"#), to: "shelf.json5")
        let ended = await home.trawl("run", job)
        #expect([0, 1, 3, 75].contains(ended.status), "\(ended.status) \(ended.errors)")
      }
    }
  }

  @Test("as a date ahead of its time hides no record behind it")
  func future() async throws {
    let hasNew = Locked(false)
    @Sendable func row(_ id: String, _ year: String) -> String {
      "{\"id\":\"\(id)\",\"at\":\"\(year)-01-01T00:00:00Z\"}"
    }
    let server = AnswerServer { call in
      var rows = [row("a", "2099"), row("b", "2098"), row("c", "2020"), row("d", "2019")]
      if hasNew.withLock({ $0 }) { rows.insert(row("new", "2025"), at: 2) }
      let page = (1...3).first { call.target.holds("page=\($0)") } ?? 1
      let shown = rows.dropFirst((page - 1) * 2).prefix(2)
      return .json("{\"count\":\(rows.count),\"items\":[\(shown.joined(separator: ","))]}")
    }
    let home = Home()
    let job = home.write(
      Shelf.job(
        base: server.origin, pages: #"by: "number", to: "?page", size: "?n=2""#,
        columns: #"id: "id", at: "at as time""#, list: #"order: "at falling","#), to: "shelf.json5")
    await home.trawl("run", job, ends: 0)
    hasNew.withLock { $0 = true }
    await home.trawl("run", job, ends: 0)
    #expect(try home.count("shelf_books WHERE id = 'new'") == 1)
  }
}
