/// How rows are written.
enum RowForm: Sendable, Equatable {
  /// For a person at a terminal.
  case box(isUTF8: Bool)
  /// RFC 4180 with line feeds: NULL is nothing at all, an empty text is `""`.
  case csv
  /// One object a line, or one list of them.
  case jsonl, json

  /// What is asked for; else what the name of the file says; else a box on a terminal, and CSV in a
  /// pipe or a file.
  init(_ context: CommandContext) throws(ExitReport) {
    let invocation = context.invocation
    let named: [(OptionName, RowForm)] = [(.csv, .csv), (.jsonl, .jsonl), (.json, .json)]
    if let form = named.first(where: { invocation.has($0.0) })?.1 {
      self = form
    } else if let path = invocation.text(.output) {
      self = try Self.form(ofFile: path)
    } else if context.console.facts.isOutputTerminal {
      self = .box(isUTF8: context.environment.isUTF8)
    } else {
      self = .csv
    }
  }

  /// A name without an ending, such as that of a pipe, gets CSV.
  private static func form(ofFile path: String) throws(ExitReport) -> RowForm {
    let endings: [(String, RowForm)] = [
      (".jsonl", .jsonl), (".ndjson", .jsonl), (".json", .json), (".csv", .csv), (".txt", .csv),
    ]
    if let form = endings.first(where: { path.lowercased().hasSuffix($0.0) })?.1 { return form }
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return .csv
    }
    throw ExitReport(
      .usage, "\(path): no form of rows is called \"\(name[dot...])\"; nothing was written",
      "name it .csv, .json or .jsonl, or add --csv, --json or --jsonl")
  }
}
