import Base
import TestSupport
import Testing

/// What the server saw, what the ledger counted and what the report says are one number.
@Suite("Each request on the wire is counted", .prompt)
struct CountedRequestTests {
  private static func job(_ origin: String) -> String {
    """
    {
      name: "shelf", about: "books", base: "\(origin)",
      quotas: { hour: { allow: 1000, per: "hour", burst: 1000 } },
      streams: {
        books: {
          get: "/books", pages: { by: "number", to: "?page", size: "?size=2" },
          total: "total counted", records: "items", into: "books", key: ["id"],
          columns: { id: "id as integer" },
        },
      },
    }

    """
  }

  /// Twenty pages of two.
  private static func page(_ call: AnswerServer.Call) -> AnswerServer.Reply {
    let asked =
      call.target.pieces(around: "page=").last.flatMap { Int($0.prefix { $0 != "&" }) } ?? 1
    let page = max(1, asked)
    return .json(
      #"{"total":40,"items":[{"id":\#(2 * page)},{"id":\#(2 * page + 1)}]}"#)
  }

  private static func counted(_ home: Home) throws -> Int {
    try Tables(path: "\(home.data)/ledger.db").count("SELECT sum(cost) FROM trawl_uses")
  }

  @Test("where kept connections are closed under a request, and that costs two of them")
  func closings() async throws {
    let server = AnswerServer(breaksItsWord: true, Self.page)
    defer { server.stop() }
    let home = Home()
    let job = home.write(Self.job(server.origin), to: "shelf.json5")
    await home.run(["run", job, "--data", home.data], ends: 0)
    #expect(try Tables(home).count("SELECT count(*) FROM shelf_books") == 40)
    let report = try StoredReport("shelf", in: home)
    #expect(try Self.counted(home) == server.calls.count)
    #expect(report.number("requests", "sent") == server.calls.count)
    #expect(server.calls.count == 21 + 2, "twenty pages and page 1 again; two were lost")
  }

  @Test("where some are refused for a while, and some answers are lost")
  func refusals() async throws {
    let number = Locked(-1)
    let server = AnswerServer { call in
      let count = number.withLock { number in
        number += 1
        return number
      }
      return switch count % 5 {
      case 1: AnswerServer.Reply(status: 503)
      case 3: AnswerServer.Reply(status: 429, fields: ["Retry-After: 1"])
      default: Self.page(call)
      }
    }
    defer { server.stop() }
    let home = Home()
    let job = home.write(Self.job(server.origin), to: "shelf.json5")
    await home.run(["run", job, "--data", home.data, "--max-requests", "12"], ends: 75)
    let report = try StoredReport("shelf", in: home)
    #expect(server.calls.count == 12)
    #expect(try Self.counted(home) == server.calls.count)
    #expect(report.number("requests", "sent") == server.calls.count)
  }
}
