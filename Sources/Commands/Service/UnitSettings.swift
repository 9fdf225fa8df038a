internal import Base

/// The settings of an installed unit that make up a command's environment: user, folders, keys, sandbox; not those on
/// how a service starts, restarts and is watched.
struct UnitSettings: Sendable, Equatable {
  /// `User=trawl`, in the order of the unit and its drop-ins: an empty value revokes earlier ones.
  let properties: [String]

  private static let leftOut: Set<String> = [
    "Type", "NotifyAccess", "SuccessExitStatus", "Restart", "RestartSec", "KillMode", "OOMPolicy",
    "RestartPreventExitStatus", "TimeoutStartSec", "TimeoutStopSec", "WatchdogSec",
    "WatchdogSignal", "StandardInput", "StandardOutput", "StandardError", "SyslogIdentifier",
    "LogExtraFields", "LogRateLimitIntervalSec", "LogRateLimitBurst", "ExecCondition",
    "ExecStartPre", "ExecStart", "ExecStartPost", "ExecReload", "ExecStop", "ExecStopPost",
  ]

  /// - Parameter text: what `systemctl cat` prints: the unit, then its drop-ins.
  init(_ text: String, instance: String) {
    var found: [String] = []
    var section = ""
    for line in Self.logicalLines(text) {
      if line.utf8.first == UInt8(ascii: "[") {
        section = line
        continue
      }
      guard section == "[Service]", let equals = line.firstIndex(of: "=") else { continue }
      let name = String(line[..<equals]).trimmingBlanks
      if Self.leftOut.contains(name) { continue }
      let value = String(line[line.index(after: equals)...]).trimmingBlanks
      found.append("\(name)=\(Self.expanded(value, instance))")
    }
    properties = found
  }

  /// Without comments; a trailing backslash continues a line.
  private static func logicalLines(_ text: String) -> [String] {
    var lines: [String] = []
    var open = ""
    for part in text.split(separator: "\n") {
      let line = String(part).trimmingBlanks
      if line.utf8.first == UInt8(ascii: "#") || line.utf8.first == UInt8(ascii: ";") { continue }
      if line.utf8.last == UInt8(ascii: "\\") {
        open += line.dropLast() + " "
      } else {
        lines.append(open + line)
        open = ""
      }
    }
    return lines
  }

  /// Expands the specifiers that our units may use: transient units expand none.
  private static func expanded(_ value: String, _ instance: String) -> String {
    let meanings: [Character: String] = [
      "i": instance, "S": "/var/lib", "E": "/etc", "t": "/run", "%": "%",
    ]
    var out = ""
    var isOpen = false
    for character in value {
      if isOpen {
        out += meanings[character] ?? "%\(character)"
        isOpen = false
      } else if character == "%" {
        isOpen = true
      } else {
        out.append(character)
      }
    }
    return isOpen ? out + "%" : out
  }
}
