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
    #expect(askedOfBusy() <= 8)
    let asked = askedOfBusy()

    gallery.time.advance(by: .seconds(1800))
    isBusy.withLock { $0 = false }
    _ = try await gallery.run(gallery.job(), exchange)
    #expect(askedOfBusy() == asked, "the wait is not over")

    gallery.time.advance(by: .seconds(2 * 86_400))
    let last = try await gallery.run(gallery.job(), exchange)
    #expect(gallery.files().count == 40 && last.images.pending == 0)
  }

  @Test("too many requests at once are no verdict on a picture: it is asked for again soon")
  func tooMany() async throws {
    let album = Album(pages: [["https://img.example/1.gif"]])
    let refusals = Locked(1)
    let exchange = album.exchange { request in
      let isRefused = refusals.withLock { left in
        left -= 1
        return left >= 0
      }
      return isRefused ? .whole(request, [], status: 429) : Album.picture(request)
    }
    _ = try await gallery.run(gallery.job(), exchange)
    #expect(gallery.files().count == 1, "one refusal is got over in the same run")

    // A host that always answers so is left alone for an hour, not for a day.
    let busy = Gallery()
    refusals.withLock { $0 = 3 }
    _ = try await busy.run(busy.job(), exchange)
    #expect(busy.files().isEmpty)
    busy.time.advance(by: .seconds(3601))
    _ = try await busy.run(busy.job(), exchange)
    #expect(busy.files().count == 1)
  }

  @Test("a picture whose host asks for two minutes is asked for after two minutes")
  func ownWait() async throws {
    let album = Album(pages: [["https://img.example/1.gif"]])
    let isBusy = Locked(true)
    let exchange = album.exchange { request in
      isBusy.withLock { $0 }
        ? .whole(request, [], [HeaderField("Retry-After", "120")], status: 429)
        : Album.picture(request)
    }
    _ = try await gallery.run(gallery.job(), exchange)
    isBusy.withLock { $0 = false }
    gallery.time.advance(by: .seconds(121))
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
    #expect(first.asked <= 8 + 2, "\(first.asked)")
    #expect(gallery.files().count == 20, "the other host's")
    gallery.time.advance(by: .seconds(1800))
    #expect(try await Self.night(gallery, fields).asked == 0, "an hour is not over")
    gallery.time.advance(by: .day)
    #expect(try await Self.night(gallery, fields).asked <= 8 + 2)
  }
}
