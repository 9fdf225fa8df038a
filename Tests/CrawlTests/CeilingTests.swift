import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("Pictures stop at a ceiling, and the walk goes on")
struct CeilingTests {
  private let gallery = Gallery()
  static let album = Album(
    pages: (0..<6).map { page in (0..<20).map { Album.url(page * 20 + $0) } })

  private static func exchange() -> ScriptedExchange {
    album.exchange { Album.picture($0, padding: 2_000) }
  }

  @Test("at the job's limit for the folder, which is never passed; a higher one goes on")
  func limit() async throws {
    let limit: Int64 = 50_000
    let told = Locked<[String]>([])
    let left = try await gallery.run(
      gallery.job(media: MediaSettings(limitBytes: limit)), Self.exchange(),
      tell: { event in
        if case .warning(_, let text) = event { told.withLock { $0.append(text) } }
      })
    #expect(left.verdicts == [.unproven])
    #expect(left.facts.outcome.kinds == [.asDeclared])
    #expect(left.images.stoppedBecause?.contains("limit of 50KB") == true)
    #expect(left.images.stoppedBecause?.contains("trawl media gc") == true)
    let step = left.facts.nextSteps.first { $0.trouble == .atLimit }
    #expect(step?.needsPerson == true && step?.text.contains("raise media.limit") == true)
    #expect(step?.text.contains("those of other jobs too") == true)
    #expect(told.withLock { $0.contains { $0.contains("limit of 50KB") } }, "with --quiet too")
    let stored = try #require(
      gallery.rows("SELECT sum(size) FROM trawl_media").first.flatMap { Int64($0) })
    #expect(stored <= limit && stored > limit - 3_000, "\(stored)")
    #expect(left.images.pending == 120 - gallery.files().count)
    #expect(try gallery.isSound())

    // Images beyond the limit were given up: none is requested, not in the next run either.
    let stopped = Self.exchange()
    _ = try await gallery.run(gallery.job(media: MediaSettings(limitBytes: stored)), stopped)
    #expect(stopped.pictures == [])
    let more = try await gallery.run(
      gallery.job(media: MediaSettings(limitBytes: 5_000_000)), Self.exchange())
    #expect(more.images.stoppedBecause == nil)
    #expect(!more.facts.nextSteps.contains { $0.trouble == .atLimit })
    #expect(more.images.pending == 0)
    #expect(gallery.files().count == 120)
  }

  @Test("where the disk is nearly full, without one request")
  func floor() async throws {
    let exchange = Self.exchange()
    let left = try await gallery.run(gallery.job(), exchange) { $0.imageFreeBytesMin = .max }
    #expect(left.verdicts == [.unproven])
    #expect(left.facts.outcome.kinds == [.asDeclared])
    #expect(left.images.stoppedBecause?.contains("free on the disk") == true)
    #expect(left.images.requests == 0)
    #expect(left.images.pending == 120)
    #expect(exchange.pictures == [])
  }

  @Test("of a host that does not answer some are asked, and the others of other hosts")
  func deadHost() async throws {
    let urls =
      (0..<100).map { "https://dead.example/\($0).gif" }
      + (100..<140).map { Album.url($0) }
    let album = Album(pages: [urls])
    let exchange = ScriptedExchange { request, _ in
      if let page = album.page(request) { return .success(page) }
      if request.address.origin.host == "dead.example" {
        return .failure(.simulated(.unreachable, request))
      }
      return .success(Album.picture(request))
    }
    let left = try await gallery.run(gallery.job(), exchange)
    #expect(left.verdicts == [.unproven])
    #expect(left.images.fromNetwork == 40)
    let asked = exchange.asked.count { $0.address.origin.host == "dead.example" }
    // Ten in a row and those in flight, with three tries each.
    #expect((10...3 * (10 + 8)).contains(asked), "\(asked)")
    let given = left.images.refused["its host does not answer"] ?? 0
    #expect(given >= 100 - 18, "\(given)")
    // Untried ones are due in an hour, tried ones tomorrow.
    gallery.time.advance(by: .seconds(3_601))
    let later = try await gallery.run(gallery.job(), album.exchange())
    #expect(later.images.fromNetwork == given)
  }
}
