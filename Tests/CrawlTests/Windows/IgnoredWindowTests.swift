import Base
import Crawl
import TestSupport
import Testing

@Suite("A window that the API ignores")
struct IgnoredWindowTests {
  @Test(
    "covers nothing: what came lies outside of it",
    arguments: [Duration.zero, .seconds(3 * 86_400)])
  func ignored(overlap: Duration) async throws {
    let gallery = Gallery()
    let time = gallery.time
    var stream = try Base.Stream(whole: "things", "/things", "id integer, at time")
    stream.window = Window(from: "from", to: nil, column: "at", overlap: overlap)
    let job = try Job("shop", stream)
    let began = time.now
    let isIgnored = Locked(false)
    let exchange = ScriptedExchange.json { request, _ in
      let from = request["from"].flatMap { Instant(rfc3339: $0) } ?? began - Duration.day * 99
      let all = (0..<60).map { (id: $0, at: began - Duration.day * (40 - $0)) }.filter {
        $0.at <= time.now
      }
      let some = isIgnored.withLock { $0 } ? all.prefix(30) : all.filter { $0.at >= from }[...]
      return listing(some.map { #"{"id":\#($0.id),"at":"\#($0.at)"}"# })
    }
    _ = try await gallery.run(job, exchange)
    let covered = "SELECT max(covered_to) FROM trawl_coverage"
    for night in 1...6 {
      time.advance(by: .day)
      isIgnored.withLock { $0 = night == 3 || night == 4 }
      let before = try gallery.rows(covered)
      let left = try await gallery.run(job, exchange)
      let certificate = try #require(left.facts.units.first?.certificate)
      #expect(try await gallery.proves())
      guard night == 3 || night == 4 else {
        #expect(certificate.verdict == .complete, "\(certificate.why)")
        continue
      }
      #expect(certificate.claim == "incomplete (unread)", "\(certificate.why)")
      #expect(certificate.why.contains("outside the window"))
      #expect(try gallery.rows(covered) == before)
    }
    #expect(try gallery.rows("SELECT count(*) FROM shop_things") == ["47"])
  }
}
