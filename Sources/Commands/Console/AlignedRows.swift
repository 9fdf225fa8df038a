/// Rows in aligned columns. The last column keeps its length; terminals cut or wrap it.
struct AlignedRows {
  /// Indices of columns of numbers.
  var rightAligned: Set<Int> = []
  var indent = 2
  /// Minimum widths of the first columns, for rows that are printed in parts.
  var widthsMin: [Int] = []
  /// A wider cell moves only what is behind it in its own row.
  var widthMax = Int.max
  private(set) var rows: [[ConsoleText]] = []

  mutating func add(_ cells: [ConsoleText]) { rows.append(cells) }

  mutating func add(_ cells: String...) { rows.append(cells.map { ConsoleText($0) }) }

  /// - Parameter columns: of the terminal; nil: lines of any length.
  func lines(columns: Int? = nil) -> [ConsoleText] {
    let lines = wholeLines
    return columns.map { columns in lines.map { $0.shortened(to: columns) } } ?? lines
  }

  /// Wraps instead of truncating: what is too long continues below the last column.
  func wrappedLines(columns: Int) -> [ConsoleText] {
    let before = widths.dropLast().reduce(indent) { $0 + $1 + 2 }
    // A last column of a few letters is useless: then lines continue near the margin.
    let hanging = columns - before >= 24 ? before : indent + 4
    return wholeLines.flatMap { $0.wrapped(to: columns, hanging: hanging) }
  }

  private var widths: [Int] {
    let count = rows.map(\.count).max() ?? 0
    return (0..<count).map { column in
      let widest = rows.map { $0.count > column ? DisplayWidth.of($0[column].plain) : 0 }.max()
      return max(min(widest ?? 0, widthMax), column < widthsMin.count ? widthsMin[column] : 0)
    }
  }

  private var wholeLines: [ConsoleText] {
    let widths = widths
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
      return line
    }
  }
}

extension Console {
  /// Rows of the result: truncated on a terminal, whole in a pipe.
  func print(_ rows: AlignedRows) {
    for line in rows.lines(columns: facts.isOutputTerminal ? columns : nil) { print(line) }
  }

  /// The same without truncation.
  func printWhole(_ rows: AlignedRows) {
    for line in facts.isOutputTerminal ? rows.wrappedLines(columns: columns) : rows.lines() {
      print(line)
    }
  }
}
