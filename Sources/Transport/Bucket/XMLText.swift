/// The flat answers of a store: what is between two tags of a name, in their order.
struct XMLText {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func values(of name: String) -> [String] {
    let (begin, end) = (Array("<\(name)>".utf8), Array("</\(name)>".utf8))
    var values: [String] = []
    var at = 0
    while let from = find(begin, at), let to = find(end, from + begin.count) {
      values.append(Self.plain(bytes[(from + begin.count)..<to]))
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

  private static let entities = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "#34": "\"", "#39": "'",
    "#x22": "\"", "#x27": "'",
  ]

  private static func plain(_ text: ArraySlice<UInt8>) -> String {
    let parts = text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    var out = String(decoding: parts[0], as: UTF8.self)
    for part in parts.dropFirst() {
      let halves = part.split(
        separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(decoding: halves[0], as: UTF8.self)
      guard halves.count == 2, let value = entities[name] else {
        out += "&\(String(decoding: part, as: UTF8.self))"
        continue
      }
      out += value + String(decoding: halves[1], as: UTF8.self)
    }
    return out
  }
}
