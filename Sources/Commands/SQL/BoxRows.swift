internal import Base

/// Rows in a box that fits the terminal; if there are too many columns, one column a line.
struct BoxRows {
  /// The first rows determine the widths of columns; later values are fitted.
  private static let sampleMax = 500
  /// The minimum width of a useful column.
  private static let widthMin = 6
  /// The width kept for readability if columns may be hidden.
  private static let readableWidth = 12

  private let columns: Int
  private let isUTF8: Bool
  private let leavesOut: Bool
  private var names: [String] = []
  private var sample: [[SQLValue]] = []
  private var layout: Layout?
  private var count = 0
  private(set) var cutCells = 0
  /// The hidden columns.
  private(set) var leftOut: [String] = []
  /// Indices of the shown columns; nil: all.
  private var shown: [Int]?
  /// Output that is ready.
  private(set) var lines = ""

  private enum Layout {
    case table(widths: [Int], isNumber: [Bool])
    case list(name: Int)
  }

  init(columns: Int, isUTF8: Bool, leavesOut: Bool) {
    self.columns = columns
    self.isUTF8 = isUTF8
    self.leavesOut = leavesOut
  }

  mutating func takeLines() -> String {
    defer { lines = "" }
    return lines
  }

  mutating func begin(_ columns: [String]) { names = columns.map { ForeignText.cleaned($0) } }

  mutating func add(_ row: [SQLValue]) {
    if layout != nil { return show(shown.map { places in places.map { row[$0] } } ?? row) }
    sample.append(row)
    if sample.count >= Self.sampleMax { settle() }
  }

  mutating func end() {
    if names.isEmpty { return }
    if layout == nil { settle() }
    if case .table(let widths, _) = layout { rule(widths, "└", "┴", "┘") }
  }

  /// Hides columns without values first, then our own numbers, then from the right.
  private mutating func leaveOut() {
    let room = columns - 1
    let widths = names.indices.map { place in
      let values = sample.lazy.map { DisplayWidth.of(Self.text($0[place])) }
      return 3 + min(max(DisplayWidth.of(names[place]), values.max() ?? 0), Self.readableWidth)
    }
    var places = Array(names.indices)
    let empty = places.filter { place in
      sample.allSatisfy { [.null, .integer(0)].contains($0[place]) }
    }
    let numbers = places.filter { names[$0].hasSuffix("_number") }
    for place in empty.reversed() + numbers + places.reversed()
    where places.count > 1 && places.reduce(0, { $0 + widths[$1] }) > room {
      places.removeAll { $0 == place }
    }
    guard places.count < names.count else { return }
    leftOut = names.indices.filter { !places.contains($0) }.map { names[$0] }
    names = places.map { names[$0] }
    sample = sample.map { row in places.map { row[$0] } }
    shown = places
  }

  private mutating func settle() {
    if leavesOut { leaveOut() }
    let layout = choose()
    self.layout = layout
    if case .table(let widths, _) = layout {
      rule(widths, "┌", "┬", "┐")
      line(zip(names, widths).map { DisplayWidth.fitted($0, to: $1) })
      rule(widths, "├", "┼", "┤")
    }
    for row in sample { show(row) }
    sample = []
  }

  /// The widest columns shrink first.
  private func choose() -> Layout {
    let isNumber = names.indices.map { column in
      let values = sample.lazy.map { $0[column] }.filter { $0 != .null }
      return values.first != nil
        && values.allSatisfy { value in
          switch value {
          case .integer, .real: true
          case .null, .text, .blob: false
          }
        }
    }
    var widths = names.indices.map { column in
      max(
        1, DisplayWidth.of(names[column]),
        sample.lazy.map { DisplayWidth.of(Self.text($0[column])) }.max() ?? 0)
    }
    let room = columns - 3 * names.count - 1
    let least = widths.reduce(0) { $0 + min($1, Self.widthMin) }
    guard least <= room else {
      return .list(name: min(names.map { DisplayWidth.of($0) }.max() ?? 0, columns / 3))
    }
    while widths.reduce(0, +) > room, let widest = widths.max() {
      let next = widths.filter { $0 < widest }.max() ?? Self.widthMin
      let many = widths.count { $0 == widest }
      let over = widths.reduce(0, +) - room
      let cut = max(1, min(widest - max(next, Self.widthMin), (over + many - 1) / many))
      for at in widths.indices where widths[at] == widest { widths[at] -= cut }
    }
    return .table(widths: widths, isNumber: isNumber)
  }

  private mutating func show(_ row: [SQLValue]) {
    count += 1
    switch layout {
    case nil: return
    case .table(let widths, let isNumber):
      line(
        row.indices.map { column in
          cell(row[column], widths[column], isRight: isNumber[column])
        })
    case .list(let width):
      if count > 1 { lines += "\n" }
      for (name, value) in zip(names, row) {
        let shown = DisplayWidth.fitted(name, to: width, isRight: true)
        lines += "\(shown)  \(cell(value, max(8, columns - width - 3), isPadded: false))\n"
      }
    }
  }

  private mutating func cell(
    _ value: SQLValue, _ width: Int, isRight: Bool = false, isPadded: Bool = true
  ) -> String {
    let text = Self.text(value)
    if DisplayWidth.of(text) > width { cutCells += 1 }
    return isPadded
      ? DisplayWidth.fitted(text, to: width, isRight: isRight)
      : DisplayWidth.truncated(text, to: width)
  }

  /// A text "NULL" is quoted, to distinguish it from NULL.
  private static func text(_ value: SQLValue) -> String {
    guard let text = RowText.plain(value) else { return "NULL" }
    if case .text("NULL") = value { return "'NULL'" }
    return ForeignText.cleaned(text)
  }

  private mutating func line(_ cells: [String]) {
    let bar = isUTF8 ? "│" : "|"
    lines += "\(bar) " + cells.joined(separator: " \(bar) ") + " \(bar)\n"
  }

  private mutating func rule(_ widths: [Int], _ left: String, _ middle: String, _ right: String) {
    let dash = isUTF8 ? "─" : "-"
    let parts = widths.map { String(repeating: dash, count: $0 + 2) }
    lines +=
      isUTF8
      ? left + parts.joined(separator: middle) + right + "\n"
      : "+" + parts.joined(separator: "+") + "+\n"
  }
}
