import Base
import Crawl
import TestSupport
import Testing

@Suite("A job that begins behind the API's first page")
struct FirstNumberTests {
  /// The API's answer for the number before its first.
  enum Before: CaseIterable, Sendable { case firstPage, nothing, refusal, failure }

  private static let size = 3

  private static func job(first: Int, lists: Int = 1) throws -> Job {
    var stream = try Base.Stream(
      "things", "/{q}", by: .number(parameter: "page", first: first))
    stream.size = PageSize(parameter: "size", value: size)
    return try Job("numbered", stream, with: ["q": (1...lists).map(String.init)])
  }

  /// An API whose pages begin with `first`.
  /// - Parameter fails: requests for page 0 fail.
  private static func exchange(
    count: Int, first: Int, before: Before = .firstPage, fails: Bool = false,
    refusesSizes: Bool = false
  ) -> ScriptedExchange {
    .answering { request, _ in
      var (page, size) = (request.number("page") ?? first, request.number("size") ?? size)
      if refusesSizes, size != Self.size { return .json(request, status: 400) }
      if fails, page == 0 { return .json(request, status: 500) }
      if page < first {
        switch before {
        case .firstPage: page = first
        case .nothing: size = 0
        case .refusal: return .json(request, status: 400)
        case .failure: return .json(request, status: 500)
        }
      }
      let part = (0..<count).dropFirst((page - first) * size).prefix(size)
      return .json(request, listing(part.map { "{\"id\":\($0)}" }))
    }
  }

  @Test(
    "is never complete, whatever the list's length, and names the number to write",
    arguments: [1, 3, 4, 6, 7, 13], [false, true])
  func missesTheFirst(count: Int, refusesSizes: Bool) async throws {
    let gallery = Gallery()
    for _ in 0..<4 {
      let left = try await gallery.run(
        try Self.job(first: 1),
        Self.exchange(count: count, first: 0, refusesSizes: refusesSizes), then: .day)
      #expect(left.verdicts == [.incomplete], "\(count) records")
      let why = left.facts.units.map(\.certificate.why).joined()
      #expect(why.contains("`first: 0`"), "\(why)")
      #expect(try await gallery.proves())
    }
    let whole = try await gallery.run(try Self.job(first: 0), Self.exchange(count: count, first: 0))
    #expect(whole.verdicts != [.incomplete])
    #expect(try gallery.rows("SELECT id FROM numbered_things").count == count)
  }

  @Test(
    "is told from one that begins with it, by one request in the life of its stream, or two if that fails",
    arguments: Before.allCases, [2, 7])
  func beginsThere(before: Before, count: Int) async throws {
    let gallery = Gallery()
    let exchange = Self.exchange(count: count, first: 1, before: before)
    for night in 0..<3 {
      let left = try await gallery.run(try Self.job(first: 1), exchange, then: .day)
      let isShown = night > (before == .failure ? 1 : 0)
      #expect(left.verdicts == [.complete] || !isShown, "\(before), night \(night)")
      #expect(try await gallery.proves())
    }
    let atZero = exchange.asked.count { $0.number("page") == 0 }
    #expect(atZero == (before == .failure ? 2 : 1))
    #expect(try gallery.rows("SELECT id FROM numbered_things").count == count)
  }

  @Test(
    "is not complete in a night in which the number before fails, and incomplete in those after it, each of its lists",
    arguments: [1, 3, 4, 6, 7, 13], [1, 3])
  func failedOnce(count: Int, lists: Int) async throws {
    let gallery = Gallery()
    for night in 0..<3 {
      let exchange = Self.exchange(count: count, first: 0, fails: night == 0)
      let left = try await gallery.run(
        try Self.job(first: 1, lists: lists), exchange, then: .day)
      let atZero = exchange.asked.count { $0.number("page") == 0 }
      #expect(night > 0 || atZero == 1, "one failure is enough in a night")
      let expected: Verdict = night == 0 ? .unproven : .incomplete
      #expect(left.verdicts == Array(repeating: expected, count: lists), "night \(night)")
      #expect(try await gallery.proves())
    }
  }
}
