internal import Glibc

/// The daily instant at which a quota begins anew: `00:00 America/Los_Angeles`.
struct ResetText: Equatable {
  var hour: Int
  var minute: Int
  var zone: String

  /// Nil when it is not written like that.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, words[0].utf8.count == 5 else { return nil }
    let clock = words[0].split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 2, let hour = UInt8(clock[0]), let minute = UInt8(clock[1]),
      !words[0].utf8.contains(UInt8(ascii: "+")), clock[0].utf8.count == 2,
      hour < 24, minute < 60, ZoneName.isWellFormed(String(words[1]))
    else { return nil }
    self.hour = Int(hour)
    self.minute = Int(minute)
    zone = String(words[1])
  }
}

/// Names of time zones, as the system's zone files have them.
enum ZoneName {
  static let folder = "/usr/share/zoneinfo"

  /// `Asia/Seoul`, `UTC`: letters, digits, `_`, `+` and `-`, in up to three parts.
  static func isWellFormed(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), name.utf8.count <= 64 else { return false }
    return parts.allSatisfy { part in
      part.utf8.first.map { (65...90).contains($0 & 0xDF) } == true
        && part.utf8.allSatisfy {
          (65...90).contains($0 & 0xDF) || (48...57).contains($0) || "_+-".utf8.contains($0)
        }
    }
  }

  /// Whether the system has the zone. Where it has no zone files at all every name passes: the
  /// run then says what is missing.
  static func isKnown(_ name: String) -> Bool {
    access("\(folder)/UTC", F_OK) != 0 || access("\(folder)/\(name)", R_OK) == 0
  }
}
