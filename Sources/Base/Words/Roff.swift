/// The roff man macros of the manual pages. Pages have no date, so that the same source gives the same bytes.
public enum Roff {
  public static func title(
    _ name: String, _ section: Int, of source: String, in book: String
  ) -> String {
    ".TH \(escaped(name)) \(section) \"\" \"\(escaped(source))\" \"\(book)\"\n"
  }

  public static func section(_ name: String) -> String { ".SH \(name)\n" }

  public static func part(_ name: String) -> String { ".SS \(escaped(name))\n" }

  public static func term(_ term: String, _ meaning: String) -> String {
    ".TP\n.B " + escaped(term) + "\n" + line(meaning)
  }

  /// Terms without blank lines between them, with the meanings in a column.
  public static func compact(_ terms: String, indent: Int) -> String {
    let wide = terms.split(separator: ".TP\n", omittingEmptySubsequences: false)
    return terms.isEmpty
      ? "" : ".PP\n.PD 0\n" + wide.joined(separator: ".TP \(indent)\n") + ".PD\n"
  }

  /// Without a blank line above.
  public static func close(_ text: String) -> String { ".PD 0\n.PP\n" + text + ".PD\n" }

  public static func paragraphs(_ texts: [String]) -> String {
    texts.map(line).joined(separator: ".PP\n")
  }

  /// Lines unchanged, indented.
  public static func example(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return ".PP\n.in +4n\n.nf\n" + lines.map { line(String($0)) }.joined() + ".fi\n.in\n"
  }

  /// `syncs a job` is `Syncs a job.` in running text.
  public static func sentence(_ text: String) -> String {
    guard let first = text.first else { return "" }
    return first.uppercased() + text.dropFirst() + "."
  }

  public static func line(_ text: String) -> String { escaped(text) + "\n" }

  /// No text becomes a request or escape, and a hyphen can be copied into a shell.
  static func escaped(_ text: String) -> String {
    var out = ""
    for character in text {
      switch character {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "\"": out += "\\(dq"
      case "'": out += "\\(aq"
      case "~": out += "\\(ti"
      case "^": out += "\\(ha"
      case "`": out += "\\(ga"
      default:
        if character.isASCII {
          out.append(character)
        } else {
          for scalar in character.unicodeScalars {
            out += "\\[u\(Hexadecimal.number(of: scalar.value))]"
          }
        }
      }
    }
    return (out.hasPrefix(".") ? "\\&" : "") + out
  }
}
