internal import Glibc
internal import Base

/// Unit files and timers, if systemd is there. Reads files only, starts nothing.
struct ServiceCheck {
  let environment: Environment

  var findings: [Finding] {
    guard access("/run/systemd/system", F_OK) == 0 else {
      return [.note("systemd", "is not running here; runs are started by hand or by cron")]
    }
    let places =
      ["/etc/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system"]
      + [userFolder].compactMap { $0 }
    let units = places.flatMap { folder in
      FolderNames.all(of: folder).filter { $0.hasPrefix("trawl") }.sorted()
        .filter { $0.hasSuffix(".timer") || $0.hasSuffix(".service") }.map { "\(folder)/\($0)" }
    }
    guard !units.isEmpty else {
      return [
        .note("systemd", "no unit of trawl is installed", cure: "systemd/README.md says how")
      ]
    }
    let timers = places.flatMap { folder in
      FolderNames.all(of: "\(folder)/timers.target.wants").filter { $0.hasPrefix("trawl") }
    }.sorted()
    let enabled: Finding =
      timers.isEmpty
      ? .note("timers", "none is enabled", cure: "sudo systemctl enable --now trawl@JOB.timer")
      : .fine("timers", "enabled: \(timers.joined(separator: ", "))")
    return [.fine("units", units.joined(separator: ", ")), enabled]
  }

  private var userFolder: String? {
    guard let home = environment("HOME") else { return nil }
    let base = environment("XDG_CONFIG_HOME") ?? "\(home)/.config"
    return "\(base)/systemd/user"
  }
}
