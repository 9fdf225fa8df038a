import Glibc
internal import Base
internal import TestSupport

/// The shipped `systemd/failed`, with the user's alert. It calls a stand-in for the program that repeats what `trawl
/// status --alert` said in this process, by the year's clock.
struct YearAlarm: Sendable {
  /// The alert that the user got.
  struct Call: Sendable, Equatable {
    var job: String
    var line: String
    var report: String
    var text: String
  }

  private let folder: String
  private static let script = "\(Golden.root)/systemd/failed"

  init(_ scratch: String) {
    folder = "\(scratch)/alarm"
    let programs = [
      "trawl": """
      [ "$1 $3 $4" = 'status --alert --data' ] || exit 64
      printf '%s' "$SAID"
      exit "$CODE"
      """,
      "alert": #"printf '%s\n' "$1" "$2" "$3" "$TRAWL_ALERT_TEXT""#,
    ]
    for (name, text) in programs {
      Golden.write("#!/bin/sh\n\(text)\n", to: "\(folder)/\(name)")
      chmod("\(folder)/\(name)", 0o755)
    }
  }

  /// - Parameters:
  ///   - said: the result and output of `trawl status --alert`.
  ///   - monitor: what systemd says about the run.
  /// - Returns: nil: nobody was alerted.
  func ring(
    _ job: String, _ said: CommandShell.Ended, _ monitor: [String: String]
  ) async -> Call? {
    let variables = [
      "PATH": "\(folder):/usr/bin:/bin", "SAID": said.output, "CODE": "\(said.code)",
      "TRAWL_STATE": folder, "TRAWL_ALERT": "\(folder)/alert",
    ]
    let ended = await BinaryRun(
      "/bin/sh", [Self.script, job], environment: variables.merging(monitor) { $1 }
    ).end()
    let lines = ended.output.split(
      separator: "\n", maxSplits: 3, omittingEmptySubsequences: false
    ).map(String.init)
    guard ended.status == 0, lines.count == 4 else { return nil }
    return Call(job: lines[0], line: lines[1], report: lines[2], text: lines[3])
  }
}
