internal import Base

/// A member's value in a found column, which takes any type: texts, whole numbers and others as
/// they are, true and false as 1 and 0, lists as JSON. A number that neither 64 bits nor a `Double`
/// hold exactly becomes the text of its digits.
enum FoundValue {
  static func put(_ value: JSONValue, into row: RowBuffer, _ slot: Int) {
    switch value.kind {
    case .null: return
    case .string: _ = value.withUTF8 { row.setText(slot, $0) }
    case .boolean: row.setInteger(slot, value.boolean == true ? 1 : 0)
    case .object, .array: row.setText(slot, value.json)
    case .integer, .real, .hugeNumber:
      if let integer = value.integer {
        row.setInteger(slot, integer)
      } else if let real = value.real, isExact(value, real) {
        row.setReal(slot, real)
      } else {
        value.withRawNumber { row.setText(slot, $0) }
      }
    }
  }

  /// Up to 15 digits always are exact, except for the smallest numbers.
  private static func isExact(_ value: JSONValue, _ real: Double) -> Bool {
    guard let written = value.withRawNumber({ Decimal($0) }) else { return false }
    if written.digits.count <= 15, abs(real) > 1e-290 { return true }
    var shortest = "\(real)"
    return shortest.withUTF8 { Decimal($0) } == written
  }

  /// A number by its digits, without zeros at either end.
  private struct Decimal: Equatable {
    var digits: [UInt8] = []
    /// The exponent of the first digit.
    var exponent = 0
    var isNegative = false

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
      var power = 0
      var isBehindPoint = false
      var written: [UInt8] = []
      var sign = 1
      var inExponent = false
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "-"): if inExponent { sign = -1 } else { isNegative = true }
        case UInt8(ascii: "."): isBehindPoint = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"): inExponent = true
        case 48...57 where inExponent: power = min(power * 10 + Int(byte - 48), 1_000_000)
        case 48...57:
          if digits.isEmpty, byte == 48, written.isEmpty {
            if isBehindPoint { exponent -= 1 }
          } else {
            if !isBehindPoint { exponent += 1 }
            written.append(byte)
          }
        default: continue
        }
      }
      while written.last == 48 { written.removeLast() }
      digits = written
      exponent = written.isEmpty ? 0 : exponent + sign * power
    }
  }
}

/// Members without their own column: one JSON object that keeps each member's place in the record.
struct RestOfRecord {
  private var members: [(way: [String], value: JSONValue)] = []

  mutating func add(_ way: [String], _ value: JSONValue) { members.append((way, value)) }

  var isEmpty: Bool { members.isEmpty }

  /// Ordered by name: the same record gives the same text.
  var json: [UInt8] {
    var writer = JSONWriter()
    let sorted = members.sorted { one, other in
      one.way.lexicographicallyPrecedes(other.way) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    writer.object { Self.write(sorted[...], level: 0, to: &$0) }
    return writer.bytes
  }

  private static func write(
    _ members: ArraySlice<(way: [String], value: JSONValue)>, level: Int,
    to writer: inout JSONWriter
  ) {
    var left = members
    while let first = left.first {
      let name = first.way[level]
      let same = left.prefix { $0.way[level].utf8.elementsEqual(name.utf8) }
      left = left.dropFirst(same.count)
      writer.key(name)
      if first.way.count == level + 1 {
        writer.value(first.value)
      } else {
        writer.object { write(same, level: level + 1, to: &$0) }
      }
    }
  }
}
