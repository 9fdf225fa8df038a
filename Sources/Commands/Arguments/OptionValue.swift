internal import Base

/// A value behind an option, read and checked.
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

extension OptionValue {
  /// Nil when the text is no value of that kind.
  init?(_ text: String, as kind: ValueKind, now: Instant) {
    switch kind {
    case .text, .file, .folder, .stream, .job:
      guard !text.isEmpty else { return nil }
      self = .text(text)
    case .address:
      guard Self.isAddress(text) else { return nil }
      self = .text(text)
    case .choice(let words):
      guard words.containsBytes(text) else { return nil }
      self = .text(text)
    case .duration:
      guard let duration = DurationText.read(text) else { return nil }
      self = .duration(duration)
    case .count(let minimum):
      guard let count = Self.whole(text, max: 1_000_000_000_000), count >= minimum else {
        return nil
      }
      self = .count(count)
    case .date:
      guard let stretch = DateText.stretch(text, now: now) else { return nil }
      self = .date(stretch)
    case .bytes:
      guard let bytes = SizeText.read(text) else { return nil }
      self = .bytes(bytes)
    case .share:
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let part = Self.whole(parts[0], max: 1_000_000),
        let of = Self.whole(parts[1], max: 1_000_000), part >= 1, part <= of
      else { return nil }
      self = .share(part: part, of: of)
    case .clock:
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1].utf8.count == 2, (1...2).contains(parts[0].utf8.count),
        let hour = Self.whole(parts[0], max: 23), let minute = Self.whole(parts[1], max: 59)
      else { return nil }
      self = .clock(hour: hour, minute: minute)
    case .setting:
      guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex
      else { return nil }
      let value = String(text[text.utf8.index(after: equals)...])
      self = .setting(name: String(text[..<equals]), value: value)
    }
  }

  private static func isAddress(_ text: String) -> Bool {
    do {
      _ = try WebAddress(text)
      return true
    } catch {
      // The sentence about the option tells what would be right; the text may hold a password.
      return false
    }
  }

  /// ASCII digits only; a sign, a blank or a thousands separator is no number.
  private static func whole(_ text: some StringProtocol, max: Int) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = Int(String(text)), number <= max
    else { return nil }
    return number
  }
}

extension ValueKind {
  /// What would be right, for the sentence about a value that is not.
  var expectation: String {
    switch self {
    case .text, .file, .folder, .stream, .job: "a value that is not empty"
    case .address: "an address such as https://api.example.com/v1"
    case .choice(let words):
      words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    case .duration: "a time such as 90d, 12h, 5m, 30s or 1h30m"
    case .count(let minimum): "a whole number, \(minimum) or more"
    case .date: "a date such as 2024, 2024-03, 2024-03-01, 2024-03-01T12:00:00Z or 90d"
    case .bytes: "a size such as 64MB or 5GB"
    case .share: "a share such as 1/7"
    case .clock: "a time of day such as 23:30"
    case .setting: "KEY=VALUE, such as user=octocat"
    }
  }
}
