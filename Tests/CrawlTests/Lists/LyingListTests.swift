import Base
import Crawl
import TestSupport
import Testing

/// All ways to page, totals, lies, and pages that they replace, on the third night of a list at rest; the fourth night
/// is true again. `make matrix` tries all of them.
@Suite("A night on which an API answers something else")
struct LyingListTests {
  struct Case: CustomStringConvertible, Sendable {
    var list: LyingList
    var night: LyingList.Night
    var description: String {
      let total = list.total.map { "\($0)" } ?? "no total"
      let often = night.isLasting ? "each time" : "once"
      return "\(list.style), \(total): \(night.lie.rawValue) for page \(night.page), \(often)"
    }
  }

  static let isWhole = Torture.isWhole

  /// How many run at once: each has an open database.
  static let lanes = 8

  static let cases: [Case] = {
    var all: [Case] = []
    for style in LyingList.Style.allCases {
      for total in [nil, Total.Trust.counted, .estimate] {
        for lie in LyingList.Lie.allCases {
          for page in 1...LyingList.pages {
            for isLasting in [false, true] {
              all.append(
                Case(
                  list: LyingList(style: style, total: total, base: Gallery.base),
                  night: LyingList.Night(lie: lie, page: page, isLasting: isLasting)))
            }
          }
        }
      }
    }
    // A step without common factors with the numbers above meets each of their values.
    return isWhole ? all : stride(from: 0, to: all.count, by: 61).map { all[$0] }
  }()

  @Test(
    "says complete of a whole list only, calls nobody gone, and heals by itself",
    arguments: 0..<lanes)
  func nights(lane: Int) async throws {
    for index in stride(from: lane, to: Self.cases.count, by: Self.lanes) {
      try await night(Self.cases[index])
    }
  }

  private func night(_ one: Case) async throws {
    let gallery = Gallery()
    let job = try one.list.job()
    let night = Locked<LyingList.Night?>(nil)
    let exchange = ScriptedExchange.answering { request, _ in
      let reply = night.withLock { one.list.answer(request.address.query, &$0) }
      let fields = reply.fields.map { HeaderField($0.0, $0.1) }
      return .whole(request, reply.body, fields, status: reply.status)
    }
    var claims: [String] = []
    for number in 1...4 {
      night.withLock { $0 = number == 3 ? one.night : nil }
      let left = try await gallery.run(job, exchange, then: .day) { $0.maxWait = .seconds(60) }
      let certificate = try #require(left.facts.units.last).certificate
      claims.append(certificate.claim)
      #expect(
        try gallery.rows(
          "SELECT count(*), count(vanished_at) FROM shop_things") == ["\(LyingList.count)|0"],
        "\(one), night \(number): \(claims) \(certificate.why)")
      if certificate.verdict == .complete {
        #expect(
          certificate.distinctKeys == LyingList.count,
          "\(one), night \(number): \(claims) \(certificate.proofs) \(certificate.why)")
      }
    }
    #expect(claims[1] == "complete", "\(one): \(claims)")
    #expect(claims[3] == "complete" || claims[3] == "unproven", "\(one): \(claims)")
  }
}

@Suite("A list whose page 3 is refused each night, with more records behind it")
struct RefusedNightTests {
  @Test(
    "is failed: neither hidden records nor a rule for lists that are not there end it",
    arguments: [(400, false), (403, false), (400, true), (403, true), (429, true), (500, true)])
  func refused(status: Int, isSkipped: Bool) async throws {
    let gallery = Gallery()
    let rule = isSkipped ? #"errors: [{ status: \#(status), then: "skip" }],"# : ""
    let job = try Job.file(
      #"t: { get: "/t", \#(rule) pages: { by: "number", to: "?page", size: "?size=5" }, "#
        + #"records: "items", key: ["id"], columns: { id: "id as integer" } }"#,
      name: "plan")
    let exchange = ScriptedExchange.answering { request, _ in
      let number = request.number("page") ?? 1
      guard number < 3 else { return .json(request, "{}", status: status) }
      let shown = number == 1 ? [2, 3, 4] : [5, 6, 8, 9]
      return .json(request, listing(shown.map { #"{"id":\#($0)}"# }))
    }
    for _ in 0..<4 {
      _ = try await gallery.run(job, exchange, then: .day)
      #expect(try gallery.rows("SELECT verdict FROM trawl_trust") == ["failed"])
      #expect(try await gallery.proves())
    }
  }
}
