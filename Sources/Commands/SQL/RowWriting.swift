internal import Base

/// Formats rows as a stream: memory does not grow with their number.
struct RowWriting {
  private let form: RowForm
  private let write: ([UInt8]) throws -> Void
  private var buffer: [UInt8] = []
  private var names: [String] = []
  private var box: BoxRows
  private var json = JSONWriter()
  private var count = 0

  private static let bufferBytesMax = 1 << 16

  /// - Parameter leavesOut: hide columns that do not fit the terminal.
  init(
    _ form: RowForm, columns: Int, isUTF8: Bool, leavesOut: Bool,
    write: @escaping ([UInt8]) throws -> Void
  ) {
    self.form = form
    self.write = write
    box = BoxRows(columns: columns, isUTF8: isUTF8, leavesOut: leavesOut)
  }

  /// What to say after the rows.
  var remark: String? {
    guard form == .box else { return nil }
    let rows = count == 0 ? "no rows" : Wording.count(count, "row")
    var cuts: [String] = []
    if box.cutCells > 0 { cuts.append("\(Wording.count(box.cutCells, "cell")) shortened") }
    if !box.leftOut.isEmpty {
      let columns = Wording.count(box.leftOut.count, "column")
      cuts.append("\(columns) hidden (\(box.leftOut.joined(separator: ", ")))")
    }
    return cuts.isEmpty
      ? rows
      : "\(rows); \(cuts.joined(separator: ", ")) to fit; --csv or -o FILE shows all"
  }

  mutating func begin(_ columns: [String]) {
    names = form == .box ? columns : RowText.distinct(columns)
    switch form {
    case .box: box.begin(columns)
    case .csv:
      put(names.map { RowText.csv(.text($0)) }.joined(separator: ",") + "\n")
    case .json: put("[")
    case .jsonl: break
    }
  }

  mutating func add(_ row: [SQLValue]) throws {
    switch form {
    case .box: box.add(row)
    case .csv: put(row.map(RowText.csv).joined(separator: ",") + "\n")
    case .json, .jsonl: addObject(row)
    }
    count += 1
    try flush(if: buffer.count + box.lines.utf8.count > Self.bufferBytesMax)
  }

  mutating func end() throws {
    if form == .json { put(count == 0 ? "]\n" : "\n]\n") }
    if form == .box { box.end() }
    try flush(if: true)
  }

  private mutating func addObject(_ row: [SQLValue]) {
    if form == .json { put(count == 0 ? "\n" : ",\n") }
    json.removeAll()
    json.object { out in
      for (name, value) in zip(names, row) { out.member(name, value) }
    }
    buffer += json.bytes
    if form == .jsonl { put("\n") }
  }

  private mutating func put(_ text: String) { buffer += text.utf8 }

  private mutating func flush(if isDue: Bool) throws {
    guard isDue else { return }
    if form == .box { buffer += box.takeLines().utf8 }
    if !buffer.isEmpty { try write(buffer) }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// One value as text; blobs in hexadecimal.
enum RowText {
  /// Nil for NULL.
  static func plain(_ value: SQLValue) -> String? {
    switch value {
    case .null: nil
    case .integer(let number): String(number)
    case .real(let number): number.sqlText
    case .text(let text): text
    case .blob(let bytes): Hexadecimal.text(bytes)
    }
  }

  static func csv(_ value: SQLValue) -> String {
    guard let text = plain(value) else { return "" }
    guard case .text = value else { return text }
    let needsQuotes =
      text.isEmpty || text.utf8.contains { $0 == 34 || $0 == 44 || $0 == 10 || $0 == 13 }
      || text.utf8.first == 32 || text.utf8.last == 32
    guard needsQuotes else { return text }
    // By bytes, which is faster; and before a combining mark a quote is no character of its own.
    var quoted: [UInt8] = [34]
    for byte in text.utf8 {
      if byte == 34 { quoted.append(34) }
      quoted.append(byte)
    }
    quoted.append(34)
    return String(decoding: quoted, as: UTF8.self)
  }

  /// An object or a CSV file has each name once: the second `id` is `id_2`.
  static func distinct(_ names: [String]) -> [String] {
    var used: Set<String> = []
    return names.map { PlainName.unique($0, &used) }
  }
}

/// The output format of rows.
enum RowForm: Sendable {
  /// For terminals.
  case box
  /// RFC 4180 with line feeds: NULL is empty, an empty text is `""`.
  case csv
  /// One object a line, or one array.
  case jsonl, json

  /// As requested, else by the file's extension; else a box on a terminal, CSV in a pipe or file.
  init(_ context: CommandContext) throws(ExitReport) {
    let invocation = context.invocation
    let named: [(OptionName, RowForm)] = [(.csv, .csv), (.jsonl, .jsonl), (.json, .json)]
    if let form = named.first(where: { invocation.has($0.0) })?.1 {
      self = form
    } else if let path = invocation.text(.output) {
      self = try Self.form(ofFile: path)
    } else if context.console.facts.isOutputTerminal {
      self = .box
    } else {
      self = .csv
    }
  }

  /// A path without an extension, such as a pipe, gets CSV.
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
