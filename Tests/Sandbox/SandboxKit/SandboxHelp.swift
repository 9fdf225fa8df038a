/// The text of `trawl-sandbox --help`, generated from the tables that the server itself uses.
enum SandboxHelp {
  static let text = """
    trawl-sandbox - \(purpose)

    Usage: trawl-sandbox [options]

    \(about)

    Options
    \(table(options))

    APIs, each under its own path
    \(apis)

    Control, never broken and never counted
    \(table(ControlPaths.paths.map { ("/\(ControlPaths.name)" + $0.path, $0.about) }))

    Faults, drawn for each request from the seed and its number
    \(table(FaultKind.allCases.map { ($0.rawValue, $0.about) }))
    \(table([("plain", plain)]))

    Exit status: \(exits)

    Examples
    \(examples.map { "  " + $0 }.joined(separator: "\n"))

    """

  static let purpose = "a local server that imitates paged web APIs, with data made from a seed"

  static let about = """
    It listens on 127.0.0.1 alone, prints one line with its address, and serves until SIGTERM or
    SIGINT. The same seed gives the same data; no key is checked but one that begins with "bad".
    """

  static let options = [
    ("--port N", "the port (0: any free one)"),
    ("--port-file FILE", "writes the port number there once it listens"),
    ("--seed N", "what the data and the faults are made from (1)"),
    ("--size small|demo", "how much there is (demo)"),
    ("--faults KIND=SHARE,...", "breaks a share of the answers: 0.05 or 5% each"),
    ("--keys", "refuses what comes without a key, where the API does; any key will do"),
    ("--help", "this text"),
  ]

  static let exits = """
    64 wrong usage, 69 the port cannot be had, 73 the port file cannot be written;
    a signal ends it by the signal's own default.
    """

  static let examples = [
    "trawl-sandbox --port-file port --faults plain=5%",
    "curl http://127.0.0.1:$(cat port)/github/users/octocat/followers?per_page=100",
  ]

  private static var apis: String {
    DialectTable.all.map { entry in
      "  /\(entry.name)  \(entry.about)\n"
        + table(entry.paths.map { ("  /\(entry.name)\($0.path)", $0.about) })
    }.joined(separator: "\n")
  }

  static let plain =
    "shares out among " + FaultKind.plain.map(\.rawValue).joined(separator: " ")

  /// Two columns; after a name that is too long its text begins on the next line, and texts are wrapped at column 100.
  private static func table(_ rows: [(name: String, about: String)]) -> String {
    let indent = 30
    var lines: [String] = []
    for row in rows {
      var line = "  " + row.name
      if line.utf8.count + 2 > indent {
        lines.append(line)
        line = ""
      }
      line += String(repeating: " ", count: indent - line.utf8.count)
      var width = line.utf8.count
      for word in row.about.split(separator: " ") {
        if width + word.utf8.count > 100 {
          lines.append(line.trimmingEnd)
          line = String(repeating: " ", count: indent)
          width = indent
        }
        line += word + " "
        width += word.utf8.count + 1
      }
      lines.append(line.trimmingEnd)
    }
    return lines.joined(separator: "\n")
  }
}

extension String {
  fileprivate var trimmingEnd: String {
    var copy = self
    while copy.last == " " { copy.removeLast() }
    return copy
  }
}
