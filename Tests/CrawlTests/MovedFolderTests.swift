import Base
import Crawl
import TestSupport
import Glibc
import Testing

@Suite("A folder of images that is taken away beneath a run")
struct MovedFolderTests {
  enum Taken: String, CaseIterable, Sendable {
    case moved, removed, replaced, file

    /// Done while a picture is requested.
    func take(_ gallery: Gallery) {
      let media = "\(gallery.path)/media"
      let elsewhere = "\(gallery.path)/elsewhere"
      rename(media, elsewhere)
      switch self {
      case .moved: break
      case .removed: ScratchFolder.remove(elsewhere)
      case .replaced: mkdir(media, 0o755)
      case .file: close(open(media, O_WRONLY | O_CREAT | O_CLOEXEC, 0o640))
      }
    }

    /// What the user does about it: puts the folder back, or clears the way.
    func cure(_ gallery: Gallery) {
      let media = "\(gallery.path)/media"
      switch self {
      case .removed: break
      case .moved, .file:
        unlink(media)
        rename("\(gallery.path)/elsewhere", media)
      // Unchanged: what the other folder contains is missing in this one.
      case .replaced: break
      }
    }
  }

  private static let album = Album(pages: [(0..<12).map { Album.url($0) }, [Album.url(12)]])

  @Test(
    "ends the run with its place and what helps, records no image that is not there, and the next heals",
    arguments: Taken.allCases, [0, 7, 12])
  func taken(what: Taken, at number: Int) async throws {
    let gallery = Gallery()
    let exchange = Self.album.exchange { request in
      if request.address.path == "/\(number).gif" { what.take(gallery) }
      return Album.picture(request)
    }
    let ended = try await gallery.run(gallery.job(), exchange) { $0.imagesAtOnce = 2 }
    #expect(ended.facts.outcome.kinds == [.cannotWrite], "\(ended.facts.outcome)")
    for words in ["\(gallery.path)/media", "put it back"] {
      #expect(ended.facts.outcome.sentence.contains(words), "\(ended.facts.outcome.sentence)")
    }
    // The records are complete: pictures never delay the walk.
    #expect(ended.verdicts == [.complete])
    #expect(try gallery.rows("PRAGMA integrity_check") == ["ok"])
    what.cure(gallery)

    let next = try await gallery.run(gallery.job(), Self.album.exchange())
    #expect(next.facts.outcome.kinds == [.asDeclared], "\(next.facts.outcome)")
    #expect(next.images.pending == 0 && gallery.files().count == 13)
    #expect(try gallery.rows("SELECT count(*) FROM trawl_media") == ["13"])
    #expect(try gallery.isSound())
  }
}
