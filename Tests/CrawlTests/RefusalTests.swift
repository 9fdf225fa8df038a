import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("A picture that is refused")
struct RefusalTests {
  enum Refused: String, CaseIterable, Sendable {
    case gone, drawing, empty, broken, part

    func answer(_ request: Request) -> Answer {
      switch self {
      case .gone: .whole(request, Picture.gif(7), status: 404)
      case .drawing: .whole(request, Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8))
      case .empty: .whole(request, [])
      case .broken: .whole(request, [], status: 503)
      case .part: .whole(request, Picture.gif(7), status: 206)
      }
    }

    var reason: String {
      switch self {
      case .gone: "status 404"
      case .drawing: "not-jpeg-png-gif-webp"
      case .empty: "empty"
      case .broken: "status 503"
      case .part: "status 206, a part of it"
      }
    }
  }

  @Test(
    "is asked again after 1, 2, 4 … 30 days, never before, and never fails a run",
    arguments: Refused.allCases)
  func distances(refused: Refused) async throws {
    let gallery = Gallery()
    let album = Album(pages: [[Album.url(0)]])
    /// Whether the picture was requested.
    func run(_ answer: @escaping @Sendable (Request) -> Answer) async throws -> Bool {
      let exchange = album.exchange(answer)
      let left = try await gallery.run(gallery.job(), exchange)
      #expect(left.verdicts.allSatisfy { $0.isWhole })
      #expect(left.facts.outcome.kinds == [.asDeclared])
      let asked = exchange.asked.contains { $0.address.path.hasSuffix(".gif") }
      if asked, left.images.fromNetwork == 0 {
        #expect(left.images.refused == [refused.reason: 1])
      }
      return asked
    }
    for days in [1, 2, 4, 8, 16, 30, 30] {
      #expect(try await run(refused.answer))
      #expect(
        try gallery.rows("SELECT digest, reason FROM trawl_media_urls")
          == ["NULL|\(refused.reason)"])
      gallery.time.advance(by: Duration.day * days - .seconds(60))
      #expect(try await !run(refused.answer), "\(days) days")
      gallery.time.advance(by: .seconds(61))
    }
    // Once it exists it is an image like any other, with no failed attempts.
    #expect(try await run { Album.picture($0) })
    #expect(try gallery.rows("SELECT reason, attempts FROM trawl_media_urls") == ["NULL|0"])
    #expect(try gallery.isSound())
  }
}

@Suite("A disk that fills among pictures", .enabled(if: SmallDisk.isPossible))
struct FillingDiskTests {
  @Test("ends the run as one that cannot write, and the next one goes on")
  func full() async throws {
    let disk = try #require(SmallDisk(bytes: 24 << 20))
    let gallery = Gallery(in: "\(disk.path)/data")
    let album = Album(pages: [(0..<30).map { Album.url($0) }])
    let exchange = album.exchange { Album.picture($0, padding: 100_000) }
    // Records come first, so that the pictures find no room.
    _ = try await gallery.run(gallery.job(), exchange) { $0.fetchesImages = false }
    disk.fill(leaving: 1_200_000)
    let stopped = try await gallery.run(gallery.job(), exchange) { $0.imageFreeBytesMin = 0 }
    #expect(stopped.facts.outcome.kinds.contains(.cannotWrite), "\(stopped.facts.outcome)")
    #expect(stopped.images.stoppedBecause?.contains("No space") == true)
    #expect(try gallery.rows("PRAGMA integrity_check") == ["ok"])
    #expect(gallery.files().count < 30)
    #expect(try gallery.isSound())

    disk.makeRoom()
    let ended = try await gallery.run(gallery.job(), exchange) { $0.imageFreeBytesMin = 0 }
    #expect(ended.facts.outcome.kinds == [.asDeclared])
    #expect(gallery.files().count == 30)
    #expect(try gallery.isSound())
  }
}
