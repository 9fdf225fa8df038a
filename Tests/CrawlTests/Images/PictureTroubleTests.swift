import Base
@testable import Crawl
@testable import Store
import TestSupport
import Testing

@Suite("Pictures that do not come")
struct PictureTroubleTests {
  /// - Parameter since: how long before the last one came the newest of the refused was wanted.
  private static func standing(
    _ all: Int, _ refused: [String: Int], since: Duration = .zero
  ) -> PictureStanding {
    var standing = PictureStanding()
    (standing.all, standing.refused) = (all, refused)
    standing.cameAt = Instant(seconds: 1_795_269_600)
    standing.wantedAt = standing.cameAt.map { $0 - since }
    standing.goneAt = standing.wantedAt
    return standing
  }

  @Test(
    "are a trouble where a tenth are refused, and not where a few are, or where those that came before are gone",
    arguments: [
      (30, ["status 404": 1], false), (30, ["status 410": 15], false),
      (30, ["status 404": 25], false), (100_000, ["status 404": 900], false),
      (213, ["status 403": 200], true), (1000, ["status 404": 40, "timed out": 3], false),
    ] as [(Int, [String: Int], Bool)])
  func few(all: Int, refused: [String: Int], isTrouble: Bool) {
    #expect(Self.standing(all, refused).isTrouble == isTrouble)
  }

  @Test("are a trouble, however few, where nothing has come since they were wanted")
  func ended() throws {
    let standing = Self.standing(30, ["status 500": 1], since: Duration.day * -1)
    #expect(standing.isTrouble)
    #expect(!Self.standing(30, ["status 500": 1], since: .day).isTrouble)
    #expect(Self.standing(30, ["status 404": 25], since: Duration.day * -1).isTrouble)
    #expect(!Self.standing(30, ["status 404": 5], since: Duration.day * -1).isTrouble)
    let job = try Job.file(
      #"a: { get: "/a", records: ".", key: ["id"], columns: ["id"] }"#, name: "box")
    let troubles = RunEnding().troubles(of: job, ImageTally(), standing, isOfAll: true)
    #expect(troubles[.pictures] == true)
  }

  @Test("are told after some nights, though another one comes in each")
  func oneComes() async throws {
    let gallery = Gallery()
    var told: [Bool] = []
    for night in 0..<4 {
      let album = Album(pages: [(Array(0..<40) + (100...100 + night)).map { Album.url($0) }])
      let exchange = album.exchange { request in
        Int(request.lastPart.prefix { $0.isNumber }) ?? 0 < 40
          ? .whole(request, [], status: 403) : Album.picture(request)
      }
      let left = try await gallery.run(gallery.job(), exchange, then: .day)
      #expect(left.images.fromNetwork == 1)
      told.append(left.facts.nextSteps.contains { $0.trouble == .pictures && $0.needsPerson })
    }
    #expect(told.first == false && told.last == true, "\(told)")
    let standing = try await gallery.store { try await $0.pictureStanding(of: "gallery") }
    #expect(standing.all == 44 && standing.here == 4 && standing.refused == ["status 403": 40])
  }

  @Test("because their URLs repeat the key, which is not stored, are not asked for, and say so")
  func masked() async throws {
    let gallery = Gallery()
    let exchange = Album(pages: [["\(Album.url(1))?key=***", Album.url(2)]]).exchange()
    let left = try await gallery.run(gallery.job(), exchange)
    #expect(exchange.asked.count { $0.address.path.hasSuffix(".gif") } == 1)
    #expect(left.images.refused == ["its URL repeats the key, which is not stored": 1])
  }
}
