/// Commands, options and exit codes for the README, between two markers.
struct MarkdownReference: Sendable {
  let table: OptionTable

  static let beginning = "<!-- reference: made from the option table; UPDATE_GOLDEN=1 renews it -->"
  static let end = "<!-- end of reference -->"

  var text: String {
    var text = "| command | what it does |\n|---|---|\n"
    for command in table.commands {
      let usages = HelpText.usages(of: command).map { "`\(cell($0))`" }
      text += "| \(usages.joined(separator: "<br>")) | \(cell(command.purpose)) |\n"
    }
    text += "\n| option | commands | what it does | default |\n|---|---|---|---|\n"
    for option in table.options { text += row(option) }
    text += "\n| exit code | meaning |\n|---|---|\n"
    for status in ExitStatus.allCases { text += "| \(status.code) | \(cell(status.meaning)) |\n" }
    return text
  }

  private func row(_ option: OptionSpec) -> String {
    let takers = table.commands.filter { command in
      table.options(of: command).contains { $0.name == option.name }
    }
    let isProgram = table.programOptions.contains(option.name)
    guard isProgram || !takers.isEmpty else { return "" }
    let who =
      takers.isEmpty
      ? "before any"
      : takers.count == table.commands.count ? "all" : takers.map(\.word).joined(separator: ", ")
    let spelling = (option.short.map { "`-\($0)`, " } ?? "") + "`\(cell(option.spelling))`"
    let about = option.about + (option.isRepeatable ? " (may be repeated)" : "")
    let fallback = option.value?.fallback.text ?? ""
    return "| \(spelling) | \(who) | \(cell(about)) | \(cell(fallback)) |\n"
  }

  /// A bar would begin the next cell.
  private func cell(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }

  /// The page with what stands between the markers renewed; nil when it has no markers.
  func renewed(_ page: String) -> String? {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.firstIndex(where: { $0 == Self.beginning }),
      let last = lines[first...].firstIndex(where: { $0 == Self.end })
    else { return nil }
    let before = lines[...first].joined(separator: "\n")
    return before + "\n\n" + text + "\n" + lines[last...].joined(separator: "\n")
  }
}
