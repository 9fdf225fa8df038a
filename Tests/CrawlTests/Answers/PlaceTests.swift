import Base
import Crawl
import TestSupport
import Testing

@Suite("The place of a record in its list")
struct PlaceTests {
  private static let size = 10

  private static func job(_ pager: Pager, key: [String]) throws -> Job {
    var tracks = try Base.Stream("tracks", "/tracks", "track", by: pager)
    tracks.key = key
    tracks.columns = [
      Column(name: "place", source: .position, kind: .integer),
      Column(name: "chart", source: .constant("top")), tracks.columns[0],
    ]
    tracks.size = PageSize(parameter: "size", value: size)
    tracks.total = try .told(.counted)
    return try Job("songs", tracks)
  }

  /// A list of tracks by offset or number, which may contain a track twice.
  private static func exchange(
    _ tracks: @escaping @Sendable (Int) -> [String]
  ) -> ScriptedExchange {
    .json { request, number in
      let size = request.number("size") ?? Self.size
      let from = request.number("offset") ?? ((request.number("page") ?? 1) - 1) * size
      let all = tracks(number)
      return listing(
        all.dropFirst(from).prefix(size).map { #"{"track":"\#($0)"}"# }, total: all.count)
    }
  }

  private static let pagers: [Pager] = [
    .offset(parameter: "offset"), .number(parameter: "page", first: 1),
  ]

  @Test("is the one that was requested, though pages share a record", arguments: pagers)
  func places(pager: Pager) async throws {
    let gallery = Gallery()
    let tracks = (0..<43).map { "t\($0 % 40)" }
    let left = try await gallery.run(
      try Self.job(pager, key: ["place"]), Self.exchange { _ in tracks })
    let certificate = try #require(left.facts.units.last).certificate
    #expect(
      try gallery.rows("SELECT place, track FROM songs_tracks ORDER BY place")
        == tracks.enumerated().map { "\($0 + 1)|\($1)" })
    // Pages by number share no record.
    let expected: Verdict = pager == .offset(parameter: "offset") ? .complete : .unproven
    #expect(certificate.verdict == expected, "\(certificate.why)")
  }

  @Test(
    "is no proof of a whole list where a record moves to a place that was read", arguments: pagers,
    [["place"], ["chart", "place"]])
  func passed(pager: Pager, key: [String]) async throws {
    let gallery = Gallery()
    let tracks = (0..<43).map { "t\($0)" }
    var last: Certificate?
    // The last one moves to the front while page 3 is read, and back at the end.
    for _ in 1...3 {
      let left = try await gallery.run(
        try Self.job(pager, key: key),
        Self.exchange { (3...5).contains($0) ? [tracks[42]] + tracks.dropLast() : tracks },
        then: .day)
      last = try #require(left.facts.units.last).certificate
    }
    let rows = Set(try gallery.rows("SELECT DISTINCT track FROM songs_tracks")).count
    #expect(last?.verdict != .complete || rows == 43, "\(last?.why ?? "")")
  }

  @Test("is not proven where another record stands at the one that pages share")
  func moved() async throws {
    let gallery = Gallery()
    let tracks = (0..<43).map { "t\($0)" }
    let left = try await gallery.run(
      try Self.job(.offset(parameter: "offset"), key: ["place"]),
      Self.exchange { $0 < 3 ? tracks : Array(tracks.dropFirst()) + ["new"] })
    let certificate = try #require(left.facts.units.last).certificate
    #expect(certificate.verdict == .incomplete, "\(certificate.claim) \(certificate.why)")
  }
}
