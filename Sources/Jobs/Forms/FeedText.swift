internal import Base

/// The texts of a parent feed: `search.video_id` and `stale 7d`.
enum FeedText {
  static func each(_ text: String) -> (stream: String, column: String)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ PlainName.isPlain(String($0), lengthMax: 63) })
    else {
      return nil
    }
    return (String(parts[0]), String(parts[1]))
  }

  static func when(_ text: String) -> ParentFeed.When? {
    switch text {
    case "new": return .new
    case "changed": return .changed
    case "all": return .all
    case "run": return .run
    default:
      let words = text.split(separator: " ")
      guard words.count == 2, words[0] == "stale",
        let age = DurationText.read(String(words[1]))
      else { return nil }
      return .stale(age)
    }
  }
}

/// The statuses of an error rule: 429, `5xx`, `500-599`.
enum StatusText {
  static func read(_ text: String) -> ClosedRange<Int>? {
    let bytes = Array(text.utf8)
    if bytes.count == 3, (49...53).contains(bytes[0]), bytes[1...].allSatisfy({ $0 == 120 }) {
      let hundred = Int(bytes[0] - 48) * 100
      return hundred...(hundred + 99)
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count) else { return nil }
    let ends = parts.compactMap { $0.utf8.count == 3 ? Int($0) : nil }
    guard ends.count == parts.count, let low = ends.first, let high = ends.last, low <= high,
      (100...599).contains(low), (100...599).contains(high)
    else { return nil }
    return low...high
  }
}

/// The action of a rule: `skip`, `retry 5s`, `defer day 1h`.
enum ActionText {
  /// With `cap`, which ends the list.
  static let words = ErrorRule.Action.allCases.map(\.rawValue) + ["cap"]

  /// Quotas begin with a letter, waits with a digit.
  static func read(
    _ text: String
  ) -> (action: ErrorRule.Action, isCap: Bool, quota: String?, wait: Duration?)? {
    var words = text.split(separator: " ").map(String.init)
    guard let first = words.first, words.count <= 3 else { return nil }
    let isCap = first == "cap"
    guard let action = isCap ? .end : ErrorRule.Action(rawValue: first) else { return nil }
    words.removeFirst()
    var (quota, wait): (String?, Duration?)
    if action == .defer, let name = words.first, TextForm.name.problem(name) == nil {
      quota = name
      words.removeFirst()
    }
    if action == .defer || action == .retry, let length = words.first.flatMap(DurationText.read) {
      wait = length
      words.removeFirst()
    }
    return words.isEmpty ? (action, isCap, quota, wait) : nil
  }
}

/// `/health OK`: a path, and what the body must contain.
enum HealthText {
  static func read(_ text: String) -> Health {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    return Health(path: parts.first ?? "", says: parts.dropFirst().first?.trimmingBlanks)
  }
}

extension Window.Form {
  static var words: [String] { allCases.map(\.rawValue) }

  /// `date in America/New_York`: a form, and for days their time zone.
  static func read(_ text: String) -> (form: Window.Form, zone: String?)? {
    if let form = Window.Form(rawValue: text) { return (form, nil) }
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 3, words[1] == "in", let form = Window.Form(rawValue: words[0]),
      form.isOfDays
    else { return nil }
    return (form, words[2])
  }

  /// `plain in Asia/Seoul`, `time in UTC`
  static func isTimeOfZone(_ text: String) -> Bool {
    let words = text.split(separator: " ")
    return words.count == 3 && words[1] == "in"
      && allCases.contains { !$0.isOfDays && $0.rawValue.split(separator: " ")[0] == words[0] }
  }
}
