import Base
import Crawl
import TestSupport
import Glibc
import Testing

@Suite("A picture is looked for in memory, on the disk and on the network")
struct TierTests {
  private let gallery = Gallery()

  /// 30 records on three pages, three for each of ten pictures.
  static let album = Album(
    pages: (0..<3).map { _ in (0..<10).map { Album.url($0) } })

  private static func exchange(
    _ album: Album = album, _ fields: [HeaderField] = []
  ) -> ScriptedExchange {
    album.exchange { request in
      let tag = request.fields.first { $0.name == "If-None-Match" }?.value
      if let tag, fields.contains(HeaderField("ETag", tag)) {
        return .whole(request, [], fields, status: 304)
      }
      return Album.picture(request, fields)
    }
  }

  /// How many were wanted, found in memory and on the disk, and fetched.
  private static func tiers(_ left: Gallery.Left) -> [Int] {
    let images = left.images
    return [images.wanted, images.fromMemory, images.fromDisk, images.fromNetwork]
  }

  @Test("one URL in several records is one request; a second run asks nothing")
  func counted() async throws {
    let first = Self.exchange()
    let left = try await gallery.run(gallery.job(), first)
    #expect(first.pictures.sorted() == (0..<10).map { Album.url($0) }.sorted())
    #expect(Self.tiers(left) == [30, 20, 0, 10])
    let second = Self.exchange()
    let again = try await gallery.run(gallery.job(), second)
    #expect(second.pictures == [])
    #expect(Self.tiers(again) == [30, 20, 10, 0])
    #expect(try gallery.isSound())
  }

  @Test(
    "files that were deleted are fetched again; they are missed behind the walk's first request, not before it"
  )
  func deleted() async throws {
    _ = try await gallery.run(gallery.job(), Self.exchange())
    let before = gallery.files()
    for file in before.prefix(3) { unlink("\(gallery.path)/\(file)") }
    #expect(gallery.files().count == 7)
    let second = Self.exchange()
    let left = try await gallery.run(gallery.job(), second) { $0.isOneAtATime = true }
    let story = left.facts.story
    let walked = try #require(story.firstIndex { $0.contains("no next page after page 3") })
    let looked = try #require(story.firstIndex { $0.contains("were gone: asked for again") })
    #expect(walked < looked, "\(story)")
    #expect(second.pictures.count == 3)
    #expect(left.images.fromDisk == 7 && left.images.fromNetwork == 3)
    #expect(gallery.files() == before)
    #expect(try gallery.isSound())
  }

  @Test("what has a validator is asked whether it changed when it is due, and not before")
  func revalidation() async throws {
    let fields = [
      HeaderField("ETag", "\"1\""), HeaderField("Last-Modified", "Sat, 21 Nov 2026 00:00:00 GMT"),
    ]
    _ = try await gallery.run(gallery.job(), Self.exchange(Self.album, fields))
    gallery.time.advance(by: .seconds(29 * 86_400))
    let early = Self.exchange(Self.album, fields)
    _ = try await gallery.run(gallery.job(), early)
    #expect(early.pictures == [])

    gallery.time.advance(by: .seconds(2 * 86_400))
    let due = Self.exchange(Self.album, fields)
    let left = try await gallery.run(gallery.job(), due)
    let asked = due.asked.filter { $0.address.path.hasSuffix(".gif") }
    #expect(asked.count == 10)
    for request in asked {
      #expect(request.fields.contains(HeaderField("If-None-Match", "\"1\"")))
      #expect(request.fields.contains { $0.name == "If-Modified-Since" })
    }
    #expect(left.images.fromDisk == 10 && left.images.fromNetwork == 0 && left.images.bytes == 0)
    let after = Self.exchange(Self.album, fields)
    _ = try await gallery.run(gallery.job(), after)
    #expect(after.pictures == [])
  }

  @Test("what has no validator is never asked again")
  func fresh() async throws {
    _ = try await gallery.run(gallery.job(), Self.exchange())
    gallery.time.advance(by: .seconds(400 * 86_400))
    let later = Self.exchange()
    _ = try await gallery.run(gallery.job(), later)
    #expect(later.pictures == [])
  }

  private static func gone(_ album: Album) -> ScriptedExchange {
    album.exchange { .whole($0, [], status: 404) }
  }

  private func shown() throws -> Int {
    try gallery.rows("SELECT id FROM gallery_pictures_media WHERE picture_path IS NOT NULL").count
  }

  @Test("files that are gone, and their servers too, are not shown until they are back")
  func goneForANight() async throws {
    _ = try await gallery.run(gallery.job(), Self.exchange())
    let files = gallery.files()
    for file in files.prefix(3) {
      rename("\(gallery.path)/\(file)", "\(gallery.path)/\(file.suffix(20))")
    }
    for asked in [3, 0] {
      let night = Self.gone(Self.album)
      let left = try await gallery.run(gallery.job(), night)
      #expect(night.pictures.count == asked, "a refused one waits for its next try")
      #expect(left.images.areFilesMissing == false && left.images.fromDisk == 7)
      #expect(try shown() == 21)
    }
    for file in files.prefix(3) {
      rename("\(gallery.path)/\(file.suffix(20))", "\(gallery.path)/\(file)")
    }
    _ = try await gallery.run(gallery.job(), Self.gone(Self.album))
    #expect(try gallery.isSound())
    #expect(try shown() == 30)
  }

  @Test("other bytes take the place of a file that is gone, and of its row")
  func otherBytes() async throws {
    _ = try await gallery.run(gallery.job(), Self.exchange())
    let file = try #require(gallery.files().first)
    unlink("\(gallery.path)/\(file)")
    let other = Self.album.exchange { .whole($0, Picture.gif(99)) }
    _ = try await gallery.run(gallery.job(), other)
    #expect(try gallery.isSound())
    #expect(try gallery.rows("SELECT count(*) FROM trawl_media") == ["10"])
    #expect(try shown() == 30)
  }

  @Test("where most files are gone nothing is asked and nothing forgotten: a person is told")
  func unmounted() async throws {
    let album = Album(pages: [(0..<30).map { Album.url($0) }])
    _ = try await gallery.run(gallery.job(), Self.exchange(album))
    let (media, aside) = ("\(gallery.path)/media", "\(gallery.path)/disk")
    rename(media, aside)
    let night = Self.gone(album)
    let left = try await gallery.run(gallery.job(), night)
    #expect(night.pictures == [])
    let why = left.images.stoppedBecause ?? ""
    #expect(why.contains("30 of 30 picture files are missing"), "\(why)")
    let step = left.facts.nextSteps.first { $0.trouble == .noFiles }
    #expect(step?.needsPerson == true && step?.command == "trawl media verify")
    #expect(left.facts.warnings.contains(why))
    // What the run wrote to the mount point is hidden by the disk again.
    rename(media, "\(gallery.path)/point")
    rename(aside, media)
    let again = try await gallery.run(gallery.job(), Self.gone(album))
    #expect(
      again.images.stoppedBecause == nil
        && !again.facts.nextSteps.contains { $0.trouble == .noFiles })
    #expect(try gallery.isSound())
    #expect(try shown() == 30)
  }

  @Test("one that was not there and is back unchanged has no reason any more")
  func unchangedAgain() async throws {
    let fields = [HeaderField("ETag", "\"1\"")]
    _ = try await gallery.run(gallery.job(), Self.exchange(Self.album, fields))
    gallery.time.advance(by: .seconds(31 * 86_400))
    _ = try await gallery.run(gallery.job(), Self.gone(Self.album))
    let reasons = "SELECT DISTINCT ifnull(reason, '-') FROM trawl_media_urls"
    #expect(try gallery.rows(reasons) == ["status 404"])
    gallery.time.advance(by: .seconds(2 * 86_400))
    _ = try await gallery.run(gallery.job(), Self.exchange(Self.album, fields))
    #expect(try gallery.rows(reasons) == ["-"])
  }

  @Test("where the job says what a picture is, another URL on each call is no second request")
  func identity() async throws {
    for call in 0..<3 {
      let exchange = Self.exchange(
        Album(pages: [(0..<10).map { "https://media\(call).example/\($0).gif?cid=\(call)" }]))
      let left = try await gallery.run(gallery.job(identity: ["id"]), exchange)
      #expect(exchange.pictures.count == (call == 0 ? 10 : 0))
      #expect(left.images.fromDisk == (call == 0 ? 0 : 10))
    }
    #expect(gallery.files().count == 10)
  }

  @Test("where several columns say what a picture is, each record shows its own")
  func severalColumns() async throws {
    let exchange = Self.exchange(Album(pages: [(0..<2).map { "https://media.example/\($0).gif" }]))
    _ = try await gallery.run(gallery.job(identity: ["id", "url"]), exchange)
    #expect(exchange.pictures.count == 2)
    #expect(try gallery.rows("SELECT count(picture_path) FROM gallery_pictures_media") == ["2"])
  }
}
