import Base
import Crawl
import Glibc
import Media
import Store
import TestSupport
import Testing

@Suite("The picture of a record that is forgotten")
struct ForgottenPictureTests {
  @Test("goes with its damaged copy, though its server has no whole one any more")
  func damagedCopy() async throws {
    let gallery = Gallery()
    let job = try gallery.job()
    let album = Album(pages: [[Album.url(1), Album.url(2)]])
    _ = try await gallery.run(job, album.exchange())
    let paths = try gallery.rows("SELECT picture_path FROM gallery_pictures_media ORDER BY id")
    let content = try ContentStore(dataFolder: gallery.path, for: .writing)
    #expect(truncate("\(gallery.path)/\(paths[0])", 20) == 0)
    try await gallery.store { store in
      // As a verification does whose download is refused.
      for byte in UInt8.min...UInt8.max {
        let images = try await store.storedImages(inFolder: byte).compactMap { StoredImage($0) }
        let found = try content.check(
          folder: byte, expecting: images, strayBefore: gallery.time.now)
        for finding in found.findings where finding.kind == .wrong {
          try await store.forgetFile(try #require(finding.image).digest.hex)
          try content.mend(finding)
        }
      }
      #expect(gallery.files().filter { $0.hasPrefix("media/.aside/") }.count == 1)
      let table = try #require(try await store.keyedTables().first)
      _ = try await store.forget([[.integer(0)]], of: table, job, .person)
      #expect(try await store.wipe(with: content) == nil)
    }
    #expect(gallery.files() == [paths[1]])
  }
}
