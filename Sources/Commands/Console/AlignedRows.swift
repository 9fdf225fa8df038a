/// Rows in columns that stand below each other. The last column is as long as it is, or cut to
/// the terminal.
struct AlignedRows {
  private let rightAligned: Set<Int>
  private let indent: Int
  private var rows: [[ConsoleText]] = []

  /// - Parameter rightAligned: columns of numbers, counted from 0.
  init(rightAligned: Set<Int> = [], indent: Int = 2) {
    self.rightAligned = rightAligned
    self.indent = indent
  }

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ cells: [ConsoleText]) { rows.append(cells) }

  mutating func add(_ cells: String...) { rows.append(cells.map { ConsoleText($0) }) }

  /// - Parameter columns: of the terminal; nil where lines may be of any length.
  func lines(columns: Int? = nil) -> [ConsoleText] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { $0.count > column ? DisplayWidth.of($0[column].plain) : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = ConsoleText(String(repeating: " ", count: indent))
      for (column, cell) in row.enumerated() {
        let isLast = column == row.count - 1
        let free = widths[column] - DisplayWidth.of(cell.plain)
        let blanks = ConsoleText(String(repeating: " ", count: max(0, free)))
        if rightAligned.contains(column) { line += blanks }
        line += cell
        if !isLast {
          if !rightAligned.contains(column) { line += blanks }
          line += ConsoleText("  ")
        }
      }
      return columns.map { line.truncated(to: $0) } ?? line
    }
  }
}

extension Console {
  /// Rows of the result: cut to a terminal, whole in a pipe.
  func print(_ rows: AlignedRows) {
    for line in rows.lines(columns: facts.isOutputTerminal ? columns : nil) { print(line) }
  }
}
