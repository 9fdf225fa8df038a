import Base
import Crawl
import TestSupport
import Testing

@Suite("A window whose ends the API compares with its local times")
struct LocalWindowTests {
  @Test(
    "brings what is new, whatever zone that is",
    arguments: [
      (-12, nil), (-5, nil), (0, nil), (14, nil), (-5, "America/New_York"), (9, "Asia/Tokyo"),
    ] as [(Int64, String?)])
  func local(hours: Int64, zone: String?) async throws {
    let gallery = Gallery()
    let time = gallery.time
    var stream = try Base.Stream(whole: "things", "/things", "id integer, at time")
    stream.columns[1].kind = .time(digits: 0, zone: zone)
    stream.window = Window(from: "from", to: "to", column: "at", overlap: .zero)
    let job = try Job("shop", stream)
    let began = time.now
    let exchange = ScriptedExchange.json { request, _ in
      // One in each hour, for two days before.
      let count = 48 + (time.now.seconds - began.seconds) / 3600
      let all = (0..<count).map { id in
        (id, "\((began + .seconds((id - 48 + hours) * 3600)).description.dropLast())")
      }
      let (from, to) = (request["from"] ?? "", request["to"] ?? "9999")
      let some = all.filter { from <= $0.1 + "Z" && $0.1 + "Z" <= to }
      return listing(some.map { #"{"id":\#($0.0),"at":"\#($0.1)"}"# })
    }
    for night in 0...5 {
      let left = try await gallery.run(job, exchange)
      #expect(left.verdicts == [.complete])
      #expect(try await gallery.proves())
      #expect(try gallery.rows("SELECT count(*) FROM shop_things") == ["\(48 + night * 7)"])
      time.advance(by: .seconds(7 * 3600))
    }
  }

  @Test("that the API refuses, since it lies ahead, is told with the cure: the zone in the job")
  func refused() async throws {
    for (type, isRefused) in [("time", true), ("time in UTC", false)] {
      let gallery = Gallery()
      let time = gallery.time
      let exchange = ScriptedExchange.answering { request, _ in
        let end = request["to"].flatMap { Instant(rfc3339: $0) } ?? time.now
        if end > time.now + .seconds(60) { return .json(request, status: 400) }
        let at = (time.now - .seconds(60)).description.dropLast()
        return .json(request, listing([#"{"id":1,"at":"\#(at)"}"#]))
      }
      let job = try Job.file(
        """
        things: {
          get: "/things", pages: { by: "single" }, records: "items", key: ["id"],
          window: { from: "?from", to: "?to", on: "at" },
          columns: { id: "id as integer", at: "at as \(type)" },
        },
        """, name: "shop")
      for night in 0..<2 {
        let left = try await gallery.run(job, exchange, then: .day)
        let isTold = left.facts.warnings.contains { $0.contains("time in ZONE") }
        #expect(isTold == (isRefused && night > 0), "\(left.facts.warnings)")
        #expect(left.verdicts == [isTold ? .failed : .complete], "\(left.facts.units)")
      }
    }
  }
}
