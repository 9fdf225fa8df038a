import Base
import TestSupport
import Testing

@Suite("Pictures of a run whose clock is ahead")
struct PictureClockTests {
  private let gallery = Gallery()
  private static let ahead = Duration.day * 90

  /// - Parameter off: how far our clock is ahead of the API's; nil: its answers name no time.
  private func exchange(off: Duration?, isDown: Bool) -> ScriptedExchange {
    .answering { [gallery] request, _ in
      guard request.lastPart == "pictures" else {
        return isDown ? .whole(request, [], status: 404) : Album.picture(request)
      }
      let items = (0..<6).map { #"{"id":\#($0),"url":"\#(Album.url($0))"}"# }
      let date = off.map { HeaderField("Date", CivilTime(gallery.time.now - $0).httpDate) }
      return .json(request, listing(items, next: nil), date.map { [$0] } ?? [])
    }
  }

  @Test("are not asked for, and nothing of them is stored, if the API's answers show it")
  func paused() async throws {
    _ = try await gallery.run(gallery.job(), exchange(off: .zero, isDown: true))
    let known = "SELECT identity, next_attempt_at, attempts FROM trawl_media_urls ORDER BY 1"
    let before = try gallery.rows(known)
    gallery.time.setWallClock(gallery.time.now + Self.ahead)
    let wrong = exchange(off: Self.ahead, isDown: true)
    let left = try await gallery.run(gallery.job(), wrong)
    #expect(left.facts.outcome.kinds == [.paused])
    #expect(!wrong.asked.contains { $0.address.path.hasSuffix(".gif") })
    #expect(try gallery.rows(known) == before && before.count == 6)
  }

  @Test("are asked for by the next run whose clock is right, if nothing showed it")
  func unnoticed() async throws {
    gallery.time.setWallClock(gallery.time.now + Self.ahead)
    _ = try await gallery.run(gallery.job(), exchange(off: nil, isDown: true))
    gallery.time.setWallClock(gallery.time.now - Self.ahead)
    let left = try await gallery.run(gallery.job(), exchange(off: nil, isDown: false))
    #expect(left.images.fromNetwork == 6 && left.images.pending == 0)
  }
}
