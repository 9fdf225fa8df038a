import Base
import Crawl
import TestSupport
import Testing

@Suite("A job with a history")
struct HistoryRunTests {
  @Test("forgets at the end of its runs what records held before it; without one all is kept")
  func forgets() async throws {
    let gallery = Gallery()
    var job = try gallery.job(hasPictures: false)
    for night in 0...5 {
      // Each night its only record has another value.
      let exchange = Album(pages: [[Album.url(night)]]).exchange()
      if night == 5 { job.history = .seconds(49 * 3_600) }
      _ = try await gallery.run(job, exchange, then: .day)
      let changes = try gallery.rows("SELECT old FROM trawl_changes ORDER BY change")
      let kept = night < 5 ? 0..<night : 2..<5
      #expect(changes == kept.map { #"{"url":"\#(Album.url($0))"}"# }, "night \(night)")
    }
    // It is unknown since when the value of the first kept night had been there.
    #expect(try gallery.rows("SELECT forgotten IS NOT NULL FROM trawl_tables") == ["1"])
  }
}
