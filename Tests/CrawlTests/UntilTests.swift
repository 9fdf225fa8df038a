import Base
import Crawl
import TestSupport
import Testing

@Suite("A run with an end by the clock")
struct UntilTests {
  private static let album = Album(
    pages: (0..<8).map { page in (0..<5).map { Album.url(page * 5 + $0) } })

  @Test("makes no request from that instant on, and the next run goes on where it stopped")
  func until() async throws {
    let gallery = Gallery()
    let asked = Locked<[(at: Instant, isPage: Bool)]>([])
    // Each page takes half a minute.
    let exchange = ScriptedExchange.answering { request, _ in
      let page = Self.album.page(request)
      asked.withLock { $0.append((gallery.time.now, page != nil)) }
      guard let page else { return Album.picture(request) }
      gallery.time.advance(by: .seconds(30))
      return page
    }
    let end = gallery.time.now + .seconds(100)
    let first = try await gallery.run(gallery.job(), exchange) { options in
      options.until = end
      // Pictures come after the walk, which ends too late for them.
      options.isOneAtATime = true
    }
    #expect(first.verdicts == [.paused])
    #expect(first.facts.outcome.kinds == [.paused])
    #expect(first.facts.outcome.sentence.contains("--until"), "\(first.facts.outcome.sentence)")
    let before = asked.withLock { $0 }
    #expect(before.allSatisfy { $0.at < end })
    #expect(first.images.pending == 20)
    #expect(first.images.stoppedBecause?.contains("--until") == true)
    // At 0, 30, 60 and 90 seconds; what was in flight is used.
    #expect(before.count(where: \.isPage) == 4)
    #expect(try gallery.rows("SELECT count(*) FROM gallery_pictures") == ["20"])

    let second = try await gallery.run(gallery.job(), exchange)
    #expect(second.verdicts == [.unproven])
    #expect(second.facts.outcome.kinds == [.asDeclared])
    // The remaining four, and page 1 again to see whether the list moved.
    let later = asked.withLock { $0.dropFirst(before.count) }
    #expect((4...5).contains(later.count(where: \.isPage)))
    #expect(try gallery.rows("SELECT count(*) FROM gallery_pictures") == ["40"])
    #expect(second.images.pending == 0 && gallery.files().count == 40)
  }

  @Test("or one that lost what it needs, says so, and of no signal")
  func lapse() async throws {
    let gallery = Gallery()
    let exchange = Self.album.exchange()
    @Sendable func pages() -> Int { exchange.asked.count { $0.lastPart == "pictures" } }
    let left = try await gallery.run(
      gallery.job(), exchange, lapse: { pages() < 3 ? nil : "the lease has ended" })
    #expect(left.verdicts == [.paused])
    #expect(left.facts.outcome.kinds == [.paused])
    #expect(left.facts.outcome.sentence == "paused: the lease has ended")
    #expect(left.facts.units.first?.certificate.why.contains("the lease has ended") == true)
    #expect((3...4).contains(pages()))
  }
}
