internal import Base

/// Reads the IETF fields `RateLimit` and `RateLimit-Policy` of both generations: `"hour";r=50;t=30` with
/// `"hour";q=100;w=3600`, and `limit=100, remaining=50, reset=30` with `100;w=3600`.
enum RateLimitField {
  /// Entries of one field beyond this are ignored.
  private static let entriesMax = 32

  static func quotas(_ fields: HeaderFields) -> [ServerQuota] {
    let states = entries(fields.values("RateLimit"))
    let policies = entries(fields.values("RateLimit-Policy"))
    if states.contains(where: { $0.pairs[""] == nil }) {
      return [older(states, policies)].compactMap { $0 }
    }
    var quotas: [ServerQuota] = []
    for entry in states {
      var quota = ServerQuota(name: entry.name, remaining: LimitSigns.count(entry.pairs["r"]))
      quota.resetsIn = seconds(entry.pairs["t"])
      if let policy = policies.first(where: { $0.name == entry.name }) {
        quota.limit = LimitSigns.count(policy.pairs["q"])
        quota.window = seconds(policy.pairs["w"])
      }
      if quota.remaining != nil { quotas.append(quota) }
    }
    return quotas
  }

  private static func older(_ states: [Entry], _ policies: [Entry]) -> ServerQuota? {
    let pairs = states.reduce(into: [:]) { $0.merge($1.pairs) { first, _ in first } }
    guard let remaining = LimitSigns.count(pairs["remaining"]) else { return nil }
    var quota = ServerQuota(limit: LimitSigns.count(pairs["limit"]), remaining: remaining)
    quota.resetsIn = seconds(pairs["reset"])
    let policy = policies.first { LimitSigns.count($0.name) == quota.limit }
    quota.window = policy.flatMap { seconds($0.pairs["w"]) }
    return quota
  }

  private static func seconds(_ text: String?) -> Duration? {
    // These fields contain distances only, so the reference time does not matter.
    text.flatMap { LimitSigns.delay($0, at: Instant(seconds: 0)) }
  }

  private struct Entry {
    var name: String
    /// The empty name marks an entry that has a name of its own, without `name=value`.
    var pairs: [String: String]
  }

  /// Splits at commas and semicolons outside quotes.
  private static func entries(_ values: [String]) -> [Entry] {
    var entries: [Entry] = []
    // cut: of more quotas only the first count
    for text in values.flatMap({ split($0, at: UInt8(ascii: ",")) }).prefix(entriesMax) {
      let parts = split(text, at: UInt8(ascii: ";"))
      guard let head = parts.first, !head.isEmpty else { continue }
      var entry = Entry(name: unquoted(head), pairs: ["": ""])
      var pairs = parts.dropFirst()
      if !head.hasPrefix("\""), head.utf8.contains(UInt8(ascii: "=")) {
        entry = Entry(name: "", pairs: [:])
        pairs = parts[...]
      }
      for pair in pairs {
        let sides = pair.split(separator: "=", maxSplits: 1)
        guard sides.count == 2 else { continue }
        let name = String(sides[0]).trimmingBlanks.lowercased()
        entry.pairs[name] = unquoted(String(sides[1]).trimmingBlanks)
      }
      entries.append(entry)
    }
    return entries
  }

  private static func unquoted(_ text: String) -> String {
    let bytes = text.utf8
    guard bytes.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  private static func split(_ text: String, at separator: UInt8) -> [String] {
    var parts: [[UInt8]] = [[]]
    var isQuoted = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == separator, !isQuoted {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
    }
    return parts.map { String(decoding: $0, as: UTF8.self).trimmingBlanks }
  }
}
