/// Models as much of a terminal as our output needs: it wraps, moves up, erases below and colours. Other sequences are
/// recorded as intruders, as are marks that reverse or hide text.
public struct ScreenModel {
  let columns: Int
  private(set) var rows: [[Character]] = [[]]
  private var row = 0
  private var column = 0
  public private(set) var intruders: [String] = []
  public private(set) var wraps = 0
  public private(set) var hasColour = false

  public init(columns: Int) { self.columns = columns }

  public var lines: [String] { rows.map { String($0) } }

  public mutating func write(_ bytes: [UInt8]) {
    var rest = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar.value {
      case 0x1b: escape(&rest)
      case 0x0a: newLine()
      case 0x0d: column = 0
      case 0..<0x20, 0x7f..<0xa0, 0x200b, 0x200e, 0x200f, 0x202a...0x202e, 0x2028, 0x2029,
        0x2066...0x2069, 0xfeff, 0xe0000...0xe0fff:
        intruders.append("control \(scalar.value)")
      default: put(scalar)
      }
    }
  }

  private mutating func newLine() {
    row += 1
    column = 0
    while rows.count <= row { rows.append([]) }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    if column >= columns {
      wraps += 1
      newLine()
    }
    while rows[row].count <= column { rows[row].append(" ") }
    rows[row][column] = Character(scalar)
    column += 1
  }

  private mutating func escape(_ rest: inout ArraySlice<Unicode.Scalar>) {
    guard rest.first == "[" else {
      intruders.append("ESC \(rest.first.map { String($0.value) } ?? "")")
      return
    }
    rest = rest.dropFirst()
    var number = ""
    while let scalar = rest.first, "0123456789".unicodeScalars.contains(scalar) {
      number.unicodeScalars.append(scalar)
      rest = rest.dropFirst()
    }
    switch rest.popFirst() {
    case "A": row = max(0, row - (Int(number) ?? 1))
    case "J":
      rows = Array(rows[...row])
      rows[row] = Array(rows[row].prefix(column))
    case "m":
      hasColour = true
      if !["0", "1", "2", "31", "32", "33"].contains(number) { intruders.append("m \(number)") }
    case let other: intruders.append("CSI \(number) \(other.map { String($0) } ?? "")")
    }
  }
}
