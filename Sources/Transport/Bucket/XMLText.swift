internal import Base

/// The flat XML answers of a store: the texts of all elements of a name, in order.
struct XMLText {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether an element of a name ends in it.
  func holds(_ name: String) -> Bool { find(Array("</\(name)>".utf8), 0) != nil }

  func values(of name: String) -> [String] {
    let (begin, end) = (Array("<\(name)>".utf8), Array("</\(name)>".utf8))
    var values: [String] = []
    var at = 0
    while let from = find(begin, at), let to = find(end, from + begin.count) {
      let text = String(decoding: bytes[(from + begin.count)..<to], as: UTF8.self)
      values.append(HTMLText.unescaped(text))
      at = to + end.count
    }
    return values
  }

  private func find(_ word: [UInt8], _ start: Int) -> Int? {
    var at = start
    while at + word.count <= bytes.count {
      if bytes[at] == word[0], bytes[at..<(at + word.count)].elementsEqual(word) { return at }
      at += 1
    }
    return nil
  }
}
