internal import Base

/// What `--help` and trawl-translate(1) say.
enum TranslateHelp {
  private static let purpose = "makes a Trawl job file of an Airbyte manifest"
  private static let about = """
    Reads FILE and sends no request. An Airbyte manifest (declarative, YAML) becomes a job
    file: each stream that a job can say, with what it cannot say in the file's head. Each
    list is unproven at first, because no manifest says where an API ends a list. An OpenAPI
    description in YAML becomes JSON, which trawl new reads. A file that is there already is
    left as it is.
    """
  private static let options = [
    ("-o, --output FILE", "writes to this file; else it is named by FILE, in this folder"),
    ("-h, --help", "shows this help"),
  ]
  private static let exits = [
    ("0", "translated whole"), ("1", "nothing can be translated"),
    ("3", "translated in part; what is missing is named"), ("64", "wrong command line"),
    ("73", "the file cannot be written, or is there already"),
  ]

  static let text = """
    trawl-translate \(purpose)

    Usage: trawl-translate FILE [-o FILE]

    \(about)

    Options:
    \(rows(options))

    Exit codes:
    \(rows(exits))

    """

  static let manual =
    Roff.title("TRAWL-TRANSLATE", 1, of: "trawl", in: "User Commands")
    + Roff.section("NAME") + Roff.line("trawl-translate - \(purpose)")
    + Roff.section("SYNOPSIS") + Roff.line("trawl-translate FILE [-o FILE]")
    + Roff.section("DESCRIPTION") + Roff.line(about)
    + Roff.section("OPTIONS") + options.map { Roff.term($0.0, $0.1) }.joined()
    + Roff.section("EXIT STATUS") + exits.map { Roff.term($0.0, $0.1) }.joined()
    + Roff.section("SEE ALSO") + Roff.line("trawl(1), trawl.json5(5)")

  private static func rows(_ rows: [(String, String)]) -> String {
    rows.map { "  " + $0.0 + String(repeating: " ", count: 19 - $0.0.utf8.count) + $0.1 }
      .joined(separator: "\n")
  }
}
