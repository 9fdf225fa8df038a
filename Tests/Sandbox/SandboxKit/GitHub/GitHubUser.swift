internal import Base

/// One synthetic user: everything is a function of the seed and the index.
struct GitHubUser: Sendable {
  let index: Int
  let id: Int
  let login: String
  let type: String
  let bits: UInt64

  /// Users known from GitHub's own documentation.
  private static let known: [(login: String, id: Int)] = [("octocat", 583_231), ("hubot", 583_232)]

  static var knownCount: Int { known.count }

  init(_ index: Int, seed: UInt64) {
    self.index = index
    bits = SeededRandom.mixed(seed ^ 0x6174_6875, UInt64(index))
    if index < Self.known.count {
      (login, id) = Self.known[index]
      type = "User"
      return
    }
    // Ids rise with the index and have gaps.
    id = 600_000 + index * 3 + Int(bits % 3)
    switch index {
    case _ where index % 101 == 0: type = "Bot"
    case _ where index % 37 == 0: type = "Organization"
    default: type = "User"
    }
    let number = String(index)
    let padded = String(repeating: "0", count: max(0, 4 - number.utf8.count)) + number
    login = "user-\(padded)" + (type == "Bot" ? "[bot]" : "")
  }

  /// The index that a login encodes, ignoring case; it may be beyond the data set.
  static func index(login: String) -> Int? {
    if let known = known.firstIndex(where: { $0.login.equalsIgnoringCase(login) }) { return known }
    let parts = login.lowercased().split(separator: "-", maxSplits: 1)
    guard parts.count == 2, parts[0] == "user" else { return nil }
    let digits = parts[1].prefix { ("0"..."9").contains($0) }
    guard (4...7).contains(digits.utf8.count), let index = Int(digits),
      GitHubUser(index, seed: 0).login.equalsIgnoringCase(login)
    else { return nil }
    return index
  }

  static func index(id: Int, seed: UInt64) -> Int? {
    if let known = known.firstIndex(where: { $0.id == id }) { return known }
    guard id >= 600_000 else { return nil }
    let index = (id - 600_000) / 3
    return GitHubUser(index, seed: seed).id == id ? index : nil
  }

  /// Suspended accounts keep their place in a list but are missing from its pages.
  var isSuspended: Bool { index >= 10 && (bits >> 8) % 97 == 0 }

  var nodeID: String {
    let kind = type == "User" ? "04:User" : type == "Bot" ? "03:Bot" : "012:Organization"
    return Base64.encoded(Array("\(kind)\(id)".utf8))
  }

  /// Rises with the index, so that date windows divide the data set neatly.
  func createdAt(users: Int) -> Instant {
    if index == 0 { return Instant(seconds: 1_295_981_076) }
    let first: Int64 = 1_296_000_000  // 2011-01-26
    let last: Int64 = 1_789_000_000  // 2026-09-10
    let step = (last - first) / Int64(max(1, users))
    let jitter = Int64((bits >> 20) % UInt64(max(1, step)))
    return Instant(seconds: first + Int64(index) * step + jitter)
  }
}
