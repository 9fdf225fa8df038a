import Base
import Crawl
import Store
import TestSupport
import Testing

@Suite("A picture of a record that is in no list any more")
struct GoneImageTests {
  /// One answer contains the list; missing records are marked.
  private static func job(_ gallery: Gallery) throws -> Job {
    var job = try gallery.job()
    job.streams[0].pager = .single
    job.streams[0].hasOnePage = true
    job.streams[0].marksVanished = true
    return job
  }

  private static func exchange(_ urls: [Int: String], isDown: Bool) -> ScriptedExchange {
    .answering { request, _ in
      guard request.lastPart == "pictures" else {
        return isDown ? .whole(request, [], status: 404) : Album.picture(request)
      }
      let items = urls.sorted { $0.key < $1.key }.map { #"{"id":\#($0.key),"url":"\#($0.value)"}"# }
      return .json(request, listing(items))
    }
  }

  @Test(
    "is not asked for, unless it is a favorite or another record shows it; nor after its return")
  func rests() async throws {
    let gallery = Gallery()
    let job = try Self.job(gallery)
    let own = { (number: Int) in Album.url(number) }
    // Two records share one picture, and one of them stays.
    let all = [1: own(1), 2: own(2), 3: own(3), 4: own(7), 5: own(7)]
    _ = try await gallery.run(job, Self.exchange(all, isDown: true))
    #expect(gallery.files().isEmpty)
    gallery.time.advance(by: .seconds(3600))
    let left = [1: own(1), 5: own(7)]
    let night = try await gallery.run(job, Self.exchange(left, isDown: true)) {
      $0.acceptedVanish = 5
    }
    #expect(night.verdicts == [.complete])
    #expect(
      try gallery.rows("SELECT id FROM gallery_pictures WHERE vanished_at IS NOT NULL ORDER BY 1")
        == ["2", "3", "4"])
    // The next night they rest, whatever the first night got.
    gallery.time.advance(by: .seconds(2 * 86_400))
    let resting = Self.exchange(left, isDown: true)
    _ = try await gallery.run(job, resting)
    #expect(!resting.pictures.contains(own(3)))
    try await gallery.store {
      _ = try await $0.addFavorites(table: "gallery_pictures", keys: ["3"])
    }

    // Refused ones are due again.
    gallery.time.advance(by: .seconds(40 * 86_400))
    let later = Self.exchange(left, isDown: false)
    _ = try await gallery.run(job, later, then: .day)
    #expect(Set(later.pictures) == [own(1), own(3), own(7)])

    let back = Self.exchange(all, isDown: false)
    _ = try await gallery.run(job, back)
    #expect(back.pictures.contains(own(2)), "it is in the list again")
    #expect(gallery.files().count == 4)
  }

  @Test("is not asked for where its record shows another one now, whether or not it came before")
  func replaced() async throws {
    let gallery = Gallery()
    let job = try Self.job(gallery)
    _ = try await gallery.run(job, Self.exchange([1: Album.url(1)], isDown: true))
    gallery.time.advance(by: .seconds(3600))
    _ = try await gallery.run(job, Self.exchange([1: Album.url(4)], isDown: true))
    gallery.time.advance(by: .seconds(40 * 86_400))
    let later = Self.exchange([1: Album.url(4)], isDown: false)
    _ = try await gallery.run(job, later)
    #expect(later.pictures == [Album.url(4)])
  }
}
