import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("A picture that is refused")
struct RefusalTests {
  /// Answers, and the reason that each gives.
  private static let refusals: [(Int, [UInt8], String)] = [
    (404, Picture.gif(7), "status 404"),
    (200, Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "not-jpeg-png-gif-webp"),
    (200, [], "empty"), (503, [], "status 503"),
    (206, Picture.gif(7), "status 206, a part of it"),
  ]

  @Test(
    "is asked again after 1, 2, 4 … 30 days, never before, and never fails a run",
    arguments: refusals)
  private func distances(status: Int, body: [UInt8], reason: String) async throws {
    let gallery = Gallery()
    let album = Album(pages: [[Album.url(0)]])
    /// The pictures that were requested.
    func run(_ answer: @escaping @Sendable (Request) -> Answer) async throws -> Set<String> {
      let exchange = album.exchange(answer)
      let left = try await gallery.run(gallery.job(), exchange)
      #expect(left.verdicts.allSatisfy { $0.isWhole })
      #expect(left.facts.outcome.kinds == [.asDeclared])
      if !exchange.pictures.isEmpty, left.images.fromNetwork == 0 {
        #expect(left.images.refused == [reason: 1])
      }
      return Set(exchange.pictures)
    }
    let picture: Set = [Album.url(0)]
    let refusal: @Sendable (Request) -> Answer = { .whole($0, body, status: status) }
    #expect(try await run(refusal) == picture)
    try await gallery.expectDistances(of: picture) {
      #expect(
        try gallery.rows("SELECT digest, reason FROM trawl_media_urls")
          == ["NULL|\(reason)"])
      return try await run(refusal)
    }
    // Once it exists it is an image like any other, with no failed attempts.
    gallery.time.advance(by: Duration.day * 30 + .seconds(1))
    #expect(try await run { Album.picture($0) } == picture)
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
