import Base
import TestSupport
import Testing

@Suite("A host of pictures that asks for a wait")
struct PictureLimitTests {
  private let gallery = Gallery()
  static let busy = "https://busy.example"
  static let album = Album(pages: [
    (0..<40).map { "\($0 % 2 == 0 ? busy : "https://img.example")/\($0).gif" }
  ])

  @Test("is left alone so long, in later runs too, and holds neither the API nor other hosts")
  func ownGate() async throws {
    let isBusy = Locked(true)
    let exchange = Self.album.exchange { request in
      request.address.origin.description == Self.busy && isBusy.withLock { $0 }
        ? .whole(request, [], [HeaderField("Retry-After", "3600")], status: 429)
        : Album.picture(request)
    }
    func askedOfBusy() -> Int {
      exchange.asked.count { $0.address.origin.description == Self.busy }
    }
    let first = try await gallery.run(gallery.job(), exchange)
    #expect(first.verdicts == [.unproven] && first.facts.outcome.kinds == [.asDeclared])
    #expect(gallery.files().count == 20, "the other host's")
    // Those in flight when the first answer came.
    let asked = askedOfBusy()
    #expect((1...8).contains(asked), "\(asked)")

    gallery.time.advance(by: .seconds(1800))
    isBusy.withLock { $0 = false }
    _ = try await gallery.run(gallery.job(), exchange)
    #expect(askedOfBusy() == asked, "the wait is not over")

    gallery.time.advance(by: .seconds(2 * 86_400))
    let last = try await gallery.run(gallery.job(), exchange)
    #expect(gallery.files().count == 40 && last.images.pending == 0)
  }

  @Test(
    "passes no verdict on a picture: it is asked for again in the same run, after an hour, or when the host says",
    arguments: [
      (429, 1, [], 0), (429, 3, [], 3601), (429, 99, [HeaderField("Retry-After", "120")], 121),
      (403, 99, [HeaderField("Retry-After", "120")], 121),
      (503, 99, [HeaderField("Retry-After", "120")], 121),
    ] as [(Int, Int, [HeaderField], Int64)])
  func soon(status: Int, refusals: Int, wait: [HeaderField], seconds: Int64) async throws {
    let album = Album(pages: [["https://img.example/1.gif"]])
    let left = Locked(refusals)
    let exchange = album.exchange { request in
      let isRefused = left.withLock { left in
        left -= 1
        return left >= 0
      }
      return isRefused ? .whole(request, [], wait, status: status) : Album.picture(request)
    }
    _ = try await gallery.run(gallery.job(), exchange)
    #expect(gallery.files().count == (seconds == 0 ? 1 : 0))
    left.withLock { $0 = 0 }
    gallery.time.advance(by: .seconds(seconds))
    _ = try await gallery.run(gallery.job(), exchange)
    #expect(gallery.files().count == 1)
  }

  /// Always answers 429 for the busy host, with these fields.
  private static func night(
    _ gallery: Gallery, _ fields: [HeaderField]
  ) async throws -> (asked: Int, kinds: Set<RunOutcome.Kind>) {
    let exchange = album.exchange { request in
      request.address.origin.description == busy
        ? .whole(request, [], fields, status: 429) : Album.picture(request)
    }
    let left = try await gallery.run(gallery.job(), exchange)
    let asked = exchange.asked.count { $0.address.origin.description == busy }
    return (asked, left.facts.outcome.kinds)
  }

  @Test(
    "that names no time, or always a short one, is asked a few times a night whatever it has",
    arguments: [[], [HeaderField("Retry-After", "10")], [HeaderField("Retry-After", "0")]])
  func fewTimes(fields: [HeaderField]) async throws {
    let first = try await Self.night(gallery, fields)
    #expect(first.kinds == [.asDeclared])
    // Those in flight together, and then one after each wait.
    #expect((1...8 + 2).contains(first.asked), "\(first.asked)")
    #expect(gallery.files().count == 20, "the other host's")
    gallery.time.advance(by: .seconds(1800))
    #expect(try await Self.night(gallery, fields).asked == 0, "an hour is not over")
    gallery.time.advance(by: .day)
    let next = try await Self.night(gallery, fields)
    #expect((1...8 + 2).contains(next.asked), "\(next.asked)")
  }
}
