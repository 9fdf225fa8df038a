internal import Base

/// The part of GitHub's search language that date windows need: words in the login, `type:`, and
/// `created:` with `A..B`, `>`, `>=`, `<`, `<=` or one day.
struct GitHubSearch: Sendable {
  private var words: [String] = []
  private var type: String?
  private var from: Instant?
  /// Not included.
  private var until: Instant?

  static let resultsMax = 1000
  static let queryBytesMax = 256

  enum Problem: Error { case missing, invalid }

  init(_ text: String?) throws(Problem) {
    guard let text, !text.trimmingBlanks.isEmpty else { throw .missing }
    guard text.utf8.count <= Self.queryBytesMax else { throw .invalid }
    for word in text.split(separator: " ") {
      let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      switch parts.count == 2 ? parts[0].lowercased() : "" {
      case "created": try readCreated(String(parts[1]))
      case "type": type = parts[1].lowercased() == "org" ? "organization" : parts[1].lowercased()
      case "": words.append(word.lowercased())
      default: continue  // an unknown qualifier is ignored
      }
    }
  }

  func matches(_ user: GitHubUser, options: GitHubOptions) -> Bool {
    if user.isSuspended { return false }
    if let type, user.type.lowercased() != type { return false }
    let login = user.login.lowercased()
    guard words.allSatisfy({ login.firstRange(ofBytes: $0) != nil }) else { return false }
    guard from != nil || until != nil else { return true }
    let created = user.createdAt(users: options.users, burst: options.burst)
    return from.map { created >= $0 } ?? true && until.map { created < $0 } ?? true
  }

  private mutating func readCreated(_ text: String) throws(Problem) {
    if let dots = text.firstRange(ofBytes: "..") {
      let (first, last) = (text[..<dots.lowerBound], text[dots.upperBound...])
      if first != "*" { from = try Self.moment(String(first)).start }
      if last != "*" { until = try Self.moment(String(last)).end }
    } else if text.hasPrefix(">=") {
      from = try Self.moment(String(text.dropFirst(2))).start
    } else if text.hasPrefix(">") {
      from = try Self.moment(String(text.dropFirst())).end
    } else if text.hasPrefix("<=") {
      until = try Self.moment(String(text.dropFirst(2))).end
    } else if text.hasPrefix("<") {
      until = try Self.moment(String(text.dropFirst())).start
    } else {
      let moment = try Self.moment(text)
      (from, until) = (moment.start, moment.end)
    }
  }

  /// A day, or a second in UTC (`2020-01-31T10:00:00Z`, `+00:00`), as a half-open interval.
  private static func moment(_ text: String) throws(Problem) -> (start: Instant, end: Instant) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count else { return nil }
      return Int(String(decoding: bytes[range], as: UTF8.self))
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-")
    else { throw .invalid }
    var civil = CivilTime(year: Int64(year), month: month, day: day)
    var length = Duration.seconds(86_400)
    if bytes.count > 10 {
      guard let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
        ["Z", "+00:00"].contains(String(decoding: bytes[19...], as: UTF8.self))
      else { throw .invalid }
      (civil.hour, civil.minute, civil.second) = (hour, minute, second)
      length = .seconds(1)
    }
    guard let start = civil.instant else { throw .invalid }
    return (start, start + length)
  }
}

extension String {
  /// The first occurrence of a text, byte by byte.
  fileprivate func firstRange(ofBytes wanted: String) -> Range<String.Index>? {
    var start = utf8.startIndex
    while start < utf8.endIndex {
      if utf8[start...].starts(with: wanted.utf8) {
        return start..<utf8.index(start, offsetBy: wanted.utf8.count)
      }
      start = utf8.index(after: start)
    }
    return nil
  }
}
