import Base
import Crawl
import TestSupport
import Testing

@Suite("Lists that one run's limit does not cover")
struct TurnTests {
  @Test("are read in turn: none waits for ever behind the first ones", arguments: [true, false])
  func inTurn(areStreams: Bool) async throws {
    let gallery = Gallery()
    let names = ["a", "b", "c", "d", "e"]
    let exchange = ScriptedExchange.json { request, _ in
      listing([#"{"id":"\#(request.lastPart)"}"#])
    }
    var streams: [Base.Stream] = []
    for name in areStreams ? names : ["{q}"] {
      var stream = try Base.Stream(areStreams ? name : "all", "/\(name)", "id", by: .single)
      stream.hasOnePage = true
      stream.table = "all"
      streams.append(stream)
    }
    var job = try Job("shop", streams[0])
    job.streams = streams
    if !areStreams { job.parameters = [Parameter(name: "q", defaults: names)] }
    var last: [String: Int] = [:]
    for night in 1...12 {
      let left = try await gallery.run(job, exchange, then: .day) { $0.maxRequests = 2 }
      for unit in left.facts.units where unit.certificate.pages > 0 {
        last[areStreams ? unit.stream : String(unit.parameterText.suffix(1))] = night
      }
      let waited = names.filter { night - (last[$0] ?? 0) > 3 }
      #expect(waited == [], "night \(night): \(last)")
    }
  }

  @Test(
    "by page number come to their end with one request in a run",
    arguments: [Duration.zero, .day])
  func oneRequest(pause: Duration) async throws {
    let gallery = Gallery()
    var stream = try Base.Stream("things", "/things", by: .numbers)
    stream.total = try .told(.counted)
    let job = try Job("shop", stream)
    let exchange = ScriptedExchange.json { request, _ in
      let first = max(0, (request.number("page") ?? 1) - 1) * 2
      return listing((0..<6).dropFirst(first).prefix(2).map { #"{"id":\#($0)}"# }, total: 6)
    }
    var verdicts: [Verdict] = []
    for _ in 1...12 {
      verdicts += try await gallery.run(job, exchange, then: pause) { $0.maxRequests = 1 }.verdicts
    }
    #expect(try gallery.rows("SELECT count(*) FROM shop_things") == ["6"])
    #expect(pause > .zero || verdicts.contains(.complete), "\(verdicts)")
  }
}
