internal import Base

/// trawl-sandbox(1), from the same tables as its `--help`.
enum SandboxManual {
  static let text: String = {
    var page = Roff.title("TRAWL-SANDBOX", 1, of: "trawl", in: "User Commands")
    page += Roff.section("NAME") + Roff.line("trawl-sandbox - \(SandboxHelp.purpose)")
    page += Roff.section("SYNOPSIS") + Roff.line("trawl-sandbox [OPTIONS]")
    page += Roff.section("DESCRIPTION") + Roff.line(joined(SandboxHelp.about))
    page += Roff.section("OPTIONS") + terms(SandboxHelp.options)
    page += Roff.section("APIS")
    for entry in DialectTable.all {
      page += Roff.part("/\(entry.name)") + Roff.line(entry.about)
      page += terms(entry.paths.map { ("/\(entry.name)\($0.path)", $0.about) })
    }
    page += Roff.section("CONTROL") + Roff.line("Never broken and never counted.")
    page += terms(ControlPaths.paths.map { ("/\(ControlPaths.name)" + $0.path, $0.about) })
    page += Roff.section("FAULTS")
    page += Roff.line(
      "Drawn for each request from the seed and its number.")
    page += terms(FaultKind.allCases.map { ($0.rawValue, $0.about) })
    page += Roff.term("plain", SandboxHelp.plain)
    page += Roff.section("EXIT STATUS") + Roff.line(joined(SandboxHelp.exits))
    page += Roff.section("EXAMPLES") + SandboxHelp.examples.map(Roff.example).joined()
    return page + Roff.section("SEE ALSO") + Roff.line("trawl(1), trawl.json5(5)")
  }()

  private static func terms(_ rows: [(name: String, about: String)]) -> String {
    rows.map { Roff.term($0.name, $0.about) }.joined()
  }

  private static func joined(_ lines: String) -> String {
    lines.split(separator: "\n").joined(separator: " ")
  }
}
