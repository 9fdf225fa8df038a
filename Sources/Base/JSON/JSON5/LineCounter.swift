/// Finds line and column of places. Fast if they are requested in ascending order.
struct LineCounter {
  private var at = 0
  private var line = 1
  private var column = 1

  mutating func position(_ index: Int, in scanner: JSONScanner) -> JSON5Position {
    if index < at { self = LineCounter() }
    var lineStart = at
    for place in at..<index {
      let byte = scanner.bytes[place]
      let isPair = place + 1 < scanner.bytes.count && scanner.bytes[place + 1] == 0x0A
      guard byte == 0x0A || (byte == 0x0D && !isPair) else { continue }
      line += 1
      column = 1
      lineStart = place + 1
    }
    column += Self.characters(scanner.bytes[lineStart..<index])
    at = index
    return JSON5Position(line: line, column: column, offset: index)
  }

  private static func characters(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes.count }
    var text = String.UnicodeScalarView()
    text.append(
      contentsOf: String(decoding: bytes, as: UTF8.self).unicodeScalars.drop {
        $0 == "\u{FEFF}"
      })
    return String(text).count
  }
}
