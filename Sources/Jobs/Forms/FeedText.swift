internal import Base

/// The texts of a parent feed: `search.video_id` and `stale 7d`.
enum FeedText {
  /// Stream and column.
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

/// The statuses of a rule: 429, `5xx`, `500-599`.
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
