internal import Base

/// The value of an option, parsed and checked.
enum OptionValue: Equatable, Sendable {
  case text(String)
  case duration(Duration)
  case count(Int)
  case date(TimeWindow)
  case bytes(Int64)
  case share(part: Int, of: Int)
  case clock(hour: Int, minute: Int)
  case setting(name: String, value: String)
}

/// What an option accepts as its value.
struct ValueKind: Sendable {
  /// What is expected, for the message about a wrong value.
  let expectation: String
  let offer: Offer
  /// It may hold a password: wrong values are not repeated in messages.
  let isPrivate: Bool
  /// Nil if the text is not a value of this kind.
  let read: @Sendable (_ text: String, _ now: Instant) -> OptionValue?

  private init(
    _ expectation: String = "a value that is not empty", offer: Offer = .word,
    isPrivate: Bool = false,
    _ read: @escaping @Sendable (String, Instant) -> OptionValue? = { text, _ in
      text.isEmpty ? nil : .text(text)
    }
  ) {
    (self.expectation, self.offer, self.isPrivate, self.read) =
      (expectation, offer, isPrivate, read)
  }

  static let text = ValueKind()
  static let file = ValueKind(offer: .file)
  static let folder = ValueKind(offer: .folder)
  static let stream = ValueKind(offer: .stream)
  static let job = ValueKind("the name of a job", offer: .jobName) { text, _ in
    text.isEmpty || OptionTable.isAddress(text) ? nil : .text(text)
  }

  static let address = ValueKind(
    "an address such as https://api.example.com/v1", isPrivate: true
  ) { text, _ in
    (try? WebAddress(text)).map { _ in .text(text) }  // else it is none
  }

  static func choice(_ words: [String]) -> ValueKind {
    ValueKind(
      words.dropLast().joined(separator: ", ") + " or " + (words.last ?? ""), offer: .choice(words)
    ) { text, _ in words.containsBytes(text) ? .text(text) : nil }
  }

  static let duration = ValueKind("a time such as 90d, 12h, 5m, 30s or 1h30m") { text, _ in
    DurationText.read(text).map { .duration($0) }
  }

  static func count(minimum: Int) -> ValueKind {
    ValueKind("a whole number, \(minimum) or more") { text, _ in
      whole(text, max: 1_000_000_000_000).flatMap { $0 < minimum ? nil : .count($0) }
    }
  }

  static let date = ValueKind(
    "a date such as 2024, 2024-03, 2024-03-01, 2024-03-01T12:00:00Z or 90d"
  ) { text, now in DateText.stretch(text, now: now).map { .date($0) } }

  static let bytes = ValueKind("a size such as 64MB or 5GB") { text, _ in
    SizeText.read(text).map { .bytes($0) }
  }

  static let share = ValueKind("a share such as 1/7") { text, _ in
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let part = whole(parts[0], max: 1_000_000),
      let of = whole(parts[1], max: 1_000_000), part >= 1, part <= of
    else { return nil }
    return .share(part: part, of: of)
  }

  /// Local time.
  static let clock = ValueKind("a time of day such as 23:30") { text, _ in
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 2, (1...2).contains(parts[0].utf8.count),
      let hour = whole(parts[0], max: 23), let minute = whole(parts[1], max: 59)
    else { return nil }
    return .clock(hour: hour, minute: minute)
  }

  static let setting = ValueKind("KEY=VALUE, such as user=octocat", offer: .setting) { text, _ in
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex
    else { return nil }
    let value = String(text[text.utf8.index(after: equals)...])
    return .setting(name: String(text[..<equals]), value: value)
  }

  /// ASCII digits only: no sign, blank or thousands separator.
  private static func whole(_ text: some StringProtocol, max: Int) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = Int(String(text)), number <= max
    else { return nil }
    return number
  }
}
