import Base
import TestSupport
import Testing

/// Whole answers of the five APIs when a limit is used up, one in each file of `Answers`, and what the shipped jobs
/// make of them.
@Suite("An answer that says: not now")
struct LimitAnswerTests {
  /// By file name, which begins with the job's name.
  static let expected: [String: AnswerRow.Expected] = [
    "github-primary-403": .postpone(1201, "core"),
    "github-primary-429": .postpone(1201, "core"),
    "github-primary-old-header-no-date": .postpone(4, nil),
    "github-primary-search": .postpone(31, "search"),
    "github-primary-clock-an-hour-behind": .postpone(1201, "core"),
    "github-abuse-seconds": .retry(60),
    "github-abuse-no-header": .retry(60),
    "github-secondary-no-ratelimit-fields": .retry(60),
    "github-secondary-429-seconds": .retry(3),
    "github-secondary-429-date": .retry(30),
    "github-secondary-429-date-no-date-field": .retry(30),
    "github-secondary-429-nothing-told": .retry(60),
    "github-secondary-by-document": .retry(60),
    "github-forbidden": .absent,
    "github-search-past-1000": .end(isCap: true),
    "github-list-too-deep": .end(isCap: true),
    "youtube-429-searches-of-the-day": .postpone(nil, "search"),
    "youtube-429-searches-of-the-day-bare": .postpone(nil, "search"),
    "youtube-429-no-quota-at-all": .fatal,
    "youtube-429-minute": .retry(60),
    "youtube-403-units-of-the-day": .postpone(nil, "units"),
    "youtube-403-quotaExceeded": .postpone(nil, "units"),
    "youtube-403-dailyLimitExceeded": .postpone(nil, "units"),
    "youtube-403-userRateLimitExceeded": .retry(60),
    "youtube-403-not-activated": .key,
    "newsapi-429-rateLimited": .postpone(43_200, nil),
    "newsapi-500-rateLimited-by-a-proxy": .postpone(43_200, nil),
    "newsapi-401-apiKeyExhausted": .postpone(86_400, nil),
    "newsapi-429-apiKeyExhausted": .postpone(86_400, nil),
    "newsapi-426-maximumResultsReached": .end(isCap: true),
    "newsapi-426-too-far-in-the-past": .gap,
    "newsapi-426-cors": .refused,
    "giphy-429-meta": .postpone(3600, nil),
    "giphy-429-message-only": .postpone(3600, nil),
    "giphy-200-meta-429": .postpone(3600, nil),
    "giphy-403-meta-only": .key,
    "giphy-403-bad-key": .key,
    "openmarket-429-plain": .retry(2),
    "openmarket-503-seconds": .retry(120),
  ]

  @Test(
    "is decided as its API means it, with the wait it asks for", arguments: expected.keys.sorted())
  func decided(name: String) throws {
    let job = String(name.prefix { $0 != "-" })
    let judge = try ShippedTableTests.judge(job)
    let row = try Self.row(name, try #require(Self.expected[name]))
    #expect(try row.decided(judge) == row.expected)
  }

  @Test("has its expectation, each of them")
  func all() {
    let names = Set(FolderNames.all(of: Self.folder, ending: ".http"))
    #expect(names == Set(Self.expected.keys))
  }

  /// These state no wait, so the job's own table decides.
  static let guessed: Set<String> = [
    "github-abuse-no-header", "github-secondary-429-nothing-told", "github-secondary-by-document",
    "youtube-429-minute", "youtube-403-userRateLimitExceeded",
  ]

  @Test(
    "asks for a wait that doubles where the job guesses it, and for the server's own where it tells",
    arguments: expected.keys.sorted())
  func repeated(name: String) throws {
    guard case .retry(let first?) = Self.expected[name] else {
      return #expect(!Self.guessed.contains(name))
    }
    let judge = try ShippedTableTests.judge(String(name.prefix { $0 != "-" }))
    let row = try Self.row(name, .retry(first))
    let waits = try (1...9).map { try row.decided(judge, attempt: $0) }
    // It doubles six times, up to an hour and four minutes.
    if name == "openmarket-429-plain" {
      // Without a guess: after a second and a minute it is left alone.
      #expect(waits.prefix(4) == [.retry(2), .retry(60), .postpone(900, nil), .postpone(900, nil)])
      return
    }
    let due =
      Self.guessed.contains(name)
      ? [60, 120, 240, 480, 960, 1920, 3840, 3840, 3840] : Array(repeating: first, count: 9)
    #expect(waits == due.map { .retry($0) })
  }

  static let folder = "\(Golden.root)/Tests/WalkTests/Answers"

  /// Reads a status line, header fields, a blank line and a body.
  static func row(_ name: String, _ expected: AnswerRow.Expected) throws -> AnswerRow {
    let text = try #require(Golden.read("\(folder)/\(name).http"))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let head = lines.prefix { !$0.isEmpty }
    let first = try #require(head.first)
    let status = try #require(Int(first.dropFirst("HTTP/1.1 ".count)))
    let fields = head.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (String(parts[0]), String(parts[1].dropFirst()))
    }
    let body = lines.dropFirst(head.count + 1).joined(separator: "\n")
    return AnswerRow(name, status, fields, body, expected)
  }
}
