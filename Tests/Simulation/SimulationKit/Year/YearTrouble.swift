internal import Base

/// One kind of API trouble as a value: its answers, the nights that it may last, and who is alerted. The table below
/// lists all of them, independent of the program.
struct YearTrouble: Sendable, Equatable {
  enum Answer: Sendable, Equatable {
    case status(Int, wait: Int64? = nil)
    /// 200, but not a page.
    case text(String)
    case failure(ExchangeFailure.Kind)
    /// Only after page 1.
    case expired(Int)
    /// For one request in `of`.
    case some(Int, of: Int)

    // Faults of the page itself.
    case total(off: Int)
    case shuffled
    /// Shows this percentage, but counts and announces everything.
    case cut(Int)
    /// Pages of another size than requested, and whether the next address says so.
    case clamped(Int, isSaid: Bool)
    case renamed(String)
    case empty
    /// One more record, without a key.
    case broken
    /// The list of the night before.
    case stale
    /// Page 1 does not say that more follow.
    case noNext

    var isClamped: Bool { if case .clamped = self { true } else { false } }
    /// Nothing in it shows that it is false.
    var isLie: Bool { [.stale, .noNext].contains(self) }
  }

  enum Told: Sendable, Equatable {
    /// In each of its nights.
    case atOnce
    /// Once the list is older than its limit.
    case late
    /// The list is as good as before.
    case never
    /// Only the answers show how much is lost.
    case perhaps
  }

  /// How a run may end in it.
  enum Exit: Sendable, Equatable {
    /// Each night fails the unit.
    case always
    /// Only the first night does.
    case once
    case never
    case perhaps
  }

  let name: String
  let answer: Answer
  /// Empty: all of them.
  let lists: [String]
  /// How many nights it may last.
  let nights: [Int]
  let told: Told
  let exit: Exit
  /// What the first sentence of the alert says besides the list.
  let words: String
  /// Nights in which a list that only moves still counts as good.
  var goodNights = 0

  private init(
    _ name: String, _ answer: Answer, _ lists: [String] = [], nights: [Int] = [1, 2, 8],
    _ told: Told = .late, exit: Exit = .once, says words: String = "trawl check",
    goodNights: Int = 0
  ) {
    (self.name, self.answer, self.lists, self.nights) = (name, answer, lists, nights)
    (self.told, self.exit, self.words, self.goodNights) = (told, exit, words, goodNights)
  }

  /// Every request gets a page, though perhaps a wrong one.
  var isPage: Bool {
    switch answer {
    case .status, .text, .failure, .expired, .some: lists == [Self.pictures]
    case .renamed(let field): field != "id"
    default: true
    }
  }

  static let pictures = "pictures"
  private static let some = [
    "things", "wide", "deep", "items topic=a", "items topic=b", "members id=0", "members id=1",
    "members id=2",
  ]
  private static let short = [1, 2]

  static let all: [YearTrouble] = [
    // All answers.
    YearTrouble("the host is gone", .failure(.unreachable), exit: .always),
    YearTrouble("500", .status(500), exit: .always),
    YearTrouble("502", .status(502), exit: .always),
    YearTrouble("503", .status(503), exit: .always),
    YearTrouble("504", .status(504), exit: .always),
    YearTrouble("answers are cut", .failure(.cut), nights: short, exit: .always),
    YearTrouble("a maintenance page", .text("<html>We are back soon</html>"), exit: .perhaps),
    YearTrouble("an error object", .text(#"{"error":"internal"}"#), exit: .perhaps),
    YearTrouble("429", .status(429), exit: .never, says: "trawl report"),
    YearTrouble("429, two hours", .status(429, wait: 7200), exit: .never, says: "trawl report"),
    YearTrouble("429, a day", .status(429, wait: 86_400), exit: .never, says: "trawl report"),
    YearTrouble("401", .status(401), nights: [1, 2, 3], .atOnce, exit: .always, says: "trawl key"),
    YearTrouble("403 for all", .status(403), exit: .perhaps),
    YearTrouble("400 for all", .status(400), nights: short, exit: .perhaps),
    // One list.
    YearTrouble("a list's 500", .status(500), some),
    YearTrouble("a list's 503", .status(503), some),
    YearTrouble("a list is cut off", .failure(.cut), some, nights: short),
    YearTrouble("a list's 400", .status(400), some),
    YearTrouble("a list's 403", .status(403), some),
    YearTrouble("a list's 404", .status(404), some),
    YearTrouble("a list's 410", .status(410), some, nights: short),
    YearTrouble("a list's maintenance page", .text("<html>Closed</html>"), some),
    YearTrouble("a list's error object", .text(#"{"error":"internal"}"#), some),
    YearTrouble("a list is null", .text(#"{"items":null}"#), some, nights: short),
    YearTrouble(
      "a list is empty", .empty, some, nights: short, says: "trawl run"),
    YearTrouble("a record has no key", .broken, some, says: "--retry-rejects"),
    YearTrouble("a cursor expires: 400", .expired(400), ["deep"]),
    YearTrouble("a cursor expires: 404", .expired(404), ["deep"], nights: short),
    YearTrouble("a cursor expires: 410", .expired(410), ["deep"], nights: short),
    YearTrouble("a cursor expires: 422", .expired(422), ["deep"], nights: short),
    YearTrouble("a total is off by one", .total(off: 1), ["things"], says: "trawl try"),
    YearTrouble(
      "an order is shuffled", .shuffled, ["things"], exit: .perhaps, says: "trawl",
      goodNights: YearJob.patienceDays),
    YearTrouble("a counted list is cut", .cut(75), ["things"], says: "trawl try"),
    YearTrouble("a link list is cut", .cut(20), ["wide"], says: "trawl"),
    YearTrouble("a token list is cut", .cut(76), ["deep"], .perhaps, exit: .perhaps, says: "trawl"),
    YearTrouble(
      "a page size is clamped", .clamped(8, isSaid: true), ["wide", "things"], .perhaps,
      exit: .perhaps, says: "trawl"),
    YearTrouble(
      "and the address hides it", .clamped(8, isSaid: false), ["wide"], .perhaps,
      exit: .perhaps, says: "trawl"),
    YearTrouble(
      "a filled field is renamed", .renamed("name"), ["things"], .atOnce, says: "trawl try"),
    YearTrouble("the key field is renamed", .renamed("id"), ["things"], .atOnce, exit: .perhaps),
    YearTrouble(
      "an old copy", .stale, ["things", "wide", "deep"], nights: [1], .perhaps,
      exit: .perhaps, says: ""),
    YearTrouble(
      "no next page", .noNext, ["wide", "deep"], nights: short, .perhaps, exit: .perhaps, says: ""),
    // Anything but a list.
    YearTrouble(
      "some details", .some(500, of: 3), ["details"], nights: short, .never, exit: .perhaps,
      says: ""),
    YearTrouble(
      "pictures are gone", .failure(.unreachable), [pictures], exit: .never, says: "trawl status"),
    YearTrouble(
      "pictures are refused", .status(403), [pictures], exit: .never, says: "trawl status"),
  ]
}
