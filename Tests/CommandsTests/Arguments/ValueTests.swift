import Base
@testable import Commands
import Testing

private let now = Instant(seconds: 1_795_270_327)  // 2026-11-21T14:12:07Z

@Suite("Values on the command line")
struct ValueTests {
  @Test(
    "a duration is a number with a unit, the larger unit first",
    arguments: [
      ("90d", Int64(7_776_000)), ("12h", 43200), ("5m", 300), ("30s", 30), ("1h30m", 5400),
      ("2w", 1_209_600), ("0", 0), ("0s", 0), ("1d12h30m5s", 131_405), ("36525d", 3_155_760_000),
    ])
  func durations(text: String, seconds: Int64) {
    #expect(DurationText.read(text) == .seconds(seconds))
  }

  @Test(
    "anything else is no duration",
    arguments: [
      "", "5", "m", "5 m", "-5m", "+5m", "5M", "1.5h", "30m1h", "5m5m", "5x", "٥m",
      "99999999999999999999s", "101w101w", "3661000000000d", "5m ", "36526d",
    ])
  func noDurations(text: String) {
    #expect(DurationText.read(text) == nil)
  }

  @Test("a word that is shown for a shell stays one, also where a mark joins its quote")
  func shellWord() {
    #expect(ShellWord.quoted("a'\u{301} b") == "'a'\\''\u{301} b'")
  }

  @Test(
    "a date is a whole year, month or day, or one instant",
    arguments: [
      ("2024", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"),
      ("2024-03", "2024-03-01T00:00:00Z", "2024-04-01T00:00:00Z"),
      ("2024-12", "2024-12-01T00:00:00Z", "2025-01-01T00:00:00Z"),
      ("2024-02-29", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"),
      ("2024-03-01T12:30:00Z", "2024-03-01T12:30:00Z", "2024-03-01T12:30:00Z"),
      ("2024-03-01T12:30:00.25+09:00", "2024-03-01T03:30:00Z", "2024-03-01T03:30:00Z"),
      ("2024-03-01t12:30:00-01:30", "2024-03-01T14:00:00Z", "2024-03-01T14:00:00Z"),
      ("1h", "2026-11-21T13:12:07Z", "2026-11-21T13:12:07Z"),
      ("90d", "2026-08-23T14:12:07Z", "2026-08-23T14:12:07Z"),
      ("now", "2026-11-21T14:12:07Z", "2026-11-21T14:12:07Z"),
      // What is stored of them is read again.
      ("9999", "9999-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
      ("9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
    ])
  func dates(text: String, from: String, to: String) {
    let stretch = DateText.stretch(text, now: now)
    #expect(stretch?.from.description == from)
    #expect(stretch?.to.description == to)
  }

  @Test(
    "anything else is no date",
    arguments: [
      "", "24", "2024-", "2024-3", "2024-13", "2024-02-30", "2023-02-29", "2024/03/01",
      "2024-03-01T12:30", "2024-03-01T12:30:00", "2024-03-01T25:00:00Z", "2024-03-01T12:30:00.Z",
      "2024-03-01T12:30:00+9:00", "1969", "0000", "yesterday", "2024-03-01T12:30:00Z ", "२०२४",
    ])
  func noDates(text: String) {
    #expect(DateText.stretch(text, now: now) == nil)
  }

  @Test(
    "a size is a number with a decimal unit",
    arguments: [("64MB", Int64(64_000_000)), ("5GB", 5_000_000_000), ("1KB", 1000)])
  func sizes(text: String, bytes: Int64) {
    #expect(ValueKind.bytes.read(text, now) == .bytes(bytes))
  }

  @Test(
    "a value of another kind is refused",
    arguments: [
      (ValueKind.bytes, "5 GB"), (.bytes, "GB"), (.bytes, "5gb"), (.bytes, "7"),
      (.bytes, "1000000000TB"), (.bytes, "5é"),
      (.share, "1"), (.share, "0/7"), (.share, "8/7"), (.share, "1/7/2"), (.clock, "24:00"),
      (.clock, "9:5"), (.clock, "09:60"), (.clock, "009:00"), (.count(minimum: 1), "0"),
      (.count(minimum: 0), "1e3"), (.count(minimum: 0), " 1"), (.address, "ftp://a/"),
      (.address, "host/path"), (.address, "https://"), (.text, ""),
      (.choice(["small"]), "smal"), (.choice(["\u{e9}"]), "e\u{301}"),
    ])
  func refused(kind: ValueKind, text: String) {
    #expect(kind.read(text, now) == nil)
  }

  @Test("a share and a time of day are read whole")
  func pairs() {
    #expect(ValueKind.share.read("3/7", now) == .share(part: 3, of: 7))
    #expect(ValueKind.clock.read("9:05", now) == .clock(hour: 9, minute: 5))
  }

  @Test(
    "a slip of the finger finds the word that was meant",
    arguments: [
      ("rnu", "run"), ("backfil", "backfill"), ("stauts", "status"), ("serach", "search"),
      ("favorite", "favorite"), ("RUN", "run"), ("pro", "prove"),
    ])
  func suggestions(word: String, meant: String) {
    let words = CommandName.allCases.map(\.rawValue)
    #expect(Suggestion.nearest(to: word, in: words) == meant)
  }

  @Test("a word that is like no other suggests nothing, however long it is")
  func noSuggestion() {
    let words = CommandName.allCases.map(\.rawValue)
    for word in ["", "xyzzy", "z", String(repeating: "run", count: 100_000)] {
      #expect(Suggestion.nearest(to: word, in: words) == nil)
    }
  }
}
