import Base
import Crawl
import TestSupport
import Testing

@Suite("A host that takes ten seconds for a picture", .prompt)
struct SlowHostTests {
  static let album = Album(
    pages: (0..<60).map { page in (0..<5).map { Album.url(page * 5 + $0) } })

  /// A walk of 60 pages of half a second each.
  private func walk(_ gallery: Gallery, picturesAreOn: Bool) async throws -> (
    Gallery.Left, walked: Duration
  ) {
    let clock = WalkClock(gallery.time)
    let exchange = ScriptedExchange { request, _ in
      if let page = Self.album.page(request) {
        clock.pageTakes(.milliseconds(500))
        return .success(page)
      }
      await clock.pictureTakes(.seconds(10))
      return .success(Album.picture(request))
    }
    // Pictures that held the walk up would wait for it for ever: the test then fails, not hangs.
    let rescue = Task {
      // Of the machine: the time of the test would stand.
      try await Task.sleep(for: .seconds(300))
      clock.walkEnded()
    }
    defer { rescue.cancel() }
    let left = try await gallery.run(gallery.job(), exchange) {
      $0.fetchesImages = picturesAreOn
    } tell: { event in
      if case .unitConcluded = event { clock.walkEnded() }
    }
    return (left, try #require(clock.walked))
  }

  @Test("does not hold up the walk, whose certificate comes first")
  func beside() async throws {
    let without = try await walk(Gallery(), picturesAreOn: false)
    #expect(without.walked == .seconds(30))
    #expect(without.0.images.requests == 0)

    let gallery = Gallery()
    let with = try await walk(gallery, picturesAreOn: true)
    #expect(with.walked <= without.walked * 105 / 100, "\(with.walked)")
    #expect(with.0.verdicts == [.unproven])
    #expect(with.0.images.fromNetwork == 300)
    // Eight at a time: the pictures took far longer than the list.
    #expect(with.0.facts.duration > .seconds(300))
    let certificate = try #require(gallery.rows("SELECT issued_at FROM trawl_certificates").first)
    let later = try gallery.rows(
      "SELECT count(*) FROM trawl_media WHERE stored_at > '\(certificate)'")
    #expect(try #require(later.first.flatMap { Int($0) }) > 200)
    #expect(try gallery.isSound())
  }
}
