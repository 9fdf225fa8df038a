import Base
@testable import Crawl
import Media
@testable import Store
import TestSupport
import Testing

@Suite("Pictures that do not come")
struct PictureTroubleTests {
  /// - Parameter newer: the refused that were wanted after the last one came.
  private static func standing(
    _ all: Int, _ refused: [String: Int], newer: [String: Int] = [:]
  ) -> PictureStanding {
    var standing = PictureStanding()
    (standing.all, standing.refused, standing.newer) = (all, refused, newer)
    standing.here = all - standing.refusedCount
    return standing
  }

  private static func box() throws -> Job {
    try Job.file(#"a: { get: "/a", records: ".", key: ["id"], columns: ["id"] }"#, name: "box")
  }

  @Test(
    "are a trouble where hosts refuse most, and not where they refuse a few, or most are gone or of another format",
    arguments: [
      (30, ["status 404": 1], false), (30, ["status 410": 15], false),
      (30, ["status 404": 25], false), (100_000, ["status 404": 900], false),
      (213, ["status 403": 200], true), (1000, ["status 404": 40, "timed out": 3], false),
      (213, ["status 403": 60], false), (20, [ImageRefusal.otherFormat.code: 15], false),
    ] as [(Int, [String: Int], Bool)])
  func few(all: Int, refused: [String: Int], isTrouble: Bool) {
    #expect(Self.standing(all, refused).isTrouble == isTrouble)
  }

  @Test("are a trouble where none that is newer has come: each of a failing host, or a few others")
  func ended() throws {
    let standing = Self.standing(30, ["status 500": 1], newer: ["status 500": 1])
    #expect(standing.isTrouble)
    #expect(!Self.standing(30, ["status 500": 1]).isTrouble)
    for code in PictureStanding.own {
      #expect(Self.standing(30, [code: 5], newer: [code: 5]).isTrouble)
      #expect(!Self.standing(30, [code: 5], newer: [code: 3]).isTrouble)
    }
    let contents: [ImageRefusal] = [
      .empty, .otherFormat, .tooManyBytes(max: 1), .tooManyPixels, .tooManyFrames, .cut,
      .malformed(""),
    ]
    #expect(PictureStanding.own.isSuperset(of: contents.map(\.code)))
    let troubles = try RunEnding().troubles(of: Self.box(), ImageTally(), standing, isOfAll: true)
    #expect(troubles[.pictures] == true && troubles[.noRoom] == false)
  }

  @Test("are left out for lack of room only where one is not here")
  func noRoom() throws {
    let job = try Self.box()
    var images = ImageTally()
    images.hasNoRoom = true
    for (refused, isTold) in [([:], false), (["status 500": 1], true)] as [([String: Int], Bool)] {
      let standing = Self.standing(30, refused)
      #expect(RunEnding().troubles(of: job, images, standing, isOfAll: true)[.noRoom] == isTold)
    }
  }

  @Test("and rest wait for no room, however full the disk is")
  func resting() async throws {
    let gallery = Gallery()
    let exchange = Album(pages: [(0..<3).map { Album.url($0) }]).exchange { request in
      request.lastPart.hasPrefix("2") ? .whole(request, [], status: 403) : Album.picture(request)
    }
    #expect(try await gallery.run(gallery.job(), exchange).images.fromNetwork == 2)
    let left = try await gallery.run(gallery.job(), exchange) { $0.imageFreeBytesMin = .max }
    #expect(left.images.pending == 0 && left.images.stoppedBecause == nil)
    #expect(!left.facts.nextSteps.contains { $0.trouble == .noRoom })
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

  /// Whether a person is told after each night; 20 pictures, and five new ones a night.
  private func told(
    _ nights: Int, _ answer: @escaping @Sendable (_ night: Int, _ number: Int, Request) -> Answer
  ) async throws -> [Bool] {
    let gallery = Gallery()
    var told: [Bool] = []
    for night in 0..<nights {
      let album = Album(pages: [(0..<20 + 5 * night).map { Album.url($0) }])
      let exchange = album.exchange { request in
        answer(night, Int(request.lastPart.prefix { $0.isNumber }) ?? 0, request)
      }
      let left = try await gallery.run(gallery.job(), exchange, then: .day)
      told.append(left.facts.nextSteps.contains { $0.trouble == .pictures && $0.needsPerson })
    }
    return told
  }

  @Test("for their format wake nobody while others come")
  func otherFormat() async throws {
    let told = try await told(5) { _, number, request in
      number % 5 == 3 ? .whole(request, Array("<svg/>".utf8)) : Album.picture(request)
    }
    #expect(told == Array(repeating: false, count: 5))
  }

  @Test("wake somebody after some nights if all new ones are gone")
  func newOnesGone() async throws {
    let told = try await told(4) { _, number, request in
      number < 20 ? Album.picture(request) : .whole(request, [], status: 404)
    }
    #expect(told == [false, false, false, true])
  }

  @Test("wake nobody once all that are asked for come again, though some still rest")
  func healed() async throws {
    let told = try await told(5) { night, number, request in
      number < 20 || night == 4 ? Album.picture(request) : .whole(request, [], status: 403)
    }
    #expect(told == [false, false, false, true, false])
  }

  @Test("for the job's own rule are asked for at once when it is another")
  func askedAgain() async throws {
    let gallery = Gallery()
    let exchange = Album(pages: [(0..<3).map { Album.url($0) }]).exchange()
    let small = try await gallery.run(gallery.job(media: MediaSettings(fileBytesMax: 9)), exchange)
    #expect(small.images.refused == ["too-many-bytes": 3])
    let again = try await gallery.run(gallery.job(media: MediaSettings(fileBytesMax: 9)), exchange)
    #expect(again.images.refused == [:])
    #expect(try await gallery.run(gallery.job(), exchange).images.fromNetwork == 3)
  }

  @Test("are asked for at once when a person ends the waits")
  func waitsReset() async throws {
    let gallery = Gallery()
    let album = Album(pages: [(0..<3).map { Album.url($0) }])
    let refusing = album.exchange { .whole($0, [], status: 403) }
    _ = try await gallery.run(gallery.job(), refusing)
    let gone = try await gallery.store { try await $0.reset(.waits, of: "gallery") }
    #expect(gone.lines.map(\.count) == [3])
    #expect(try await gallery.run(gallery.job(), album.exchange()).images.fromNetwork == 3)
    #expect(try await gallery.proves())
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
