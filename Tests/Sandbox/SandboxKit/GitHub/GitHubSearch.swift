internal import Base

/// The part of GitHub's search language that date windows need: words in the login, `type:`, and
/// `created:A..B`.
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
    guard words.allSatisfy({ login.holds($0) }) else { return false }
    guard from != nil || until != nil else { return true }
    let created = user.createdAt(users: options.users)
    return from.map { created >= $0 } ?? true && until.map { created < $0 } ?? true
  }

  private mutating func readCreated(_ text: String) throws(Problem) {
    let ends = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2 else { throw .invalid }
    from = try Self.moment(String(ends[0])).start
    until = try Self.moment(String(ends[1])).end
  }

  /// A day, or a second in UTC (`2020-01-31T10:00:00Z`, `+00:00`), as a half-open interval.
  private static func moment(_ text: String) throws(Problem) -> (start: Instant, end: Instant) {
    let isDay = text.utf8.count == 10
    guard isDay || ["Z", "+00:00"].contains(text.dropFirst(19)),
      let start = Instant(rfc3339: isDay ? text + "T00:00:00Z" : text)
    else { throw .invalid }
    return (start, start + .seconds(isDay ? 86_400 : 1))
  }
}
