internal import Base

extension ErrorRule {
  /// A longer body is not an error text, and is not searched.
  private static let textBytesMax = 1_000_000

  /// Whether every given condition holds; a row without conditions never does.
  func holds(for answer: Answer, _ body: AnswerBody) -> Bool {
    if statuses.isEmpty && path == nil && field == nil && test == nil { return false }
    if !statuses.isEmpty && !statuses.contains(where: { $0.contains(answer.status) }) {
      return false
    }
    if let path {
      guard let document = body.document else { return false }
      return path.contains(in: document.root, where: passes) && passesField(answer)
    }
    if field != nil { return passesField(answer) }
    guard let test else { return true }
    let text = answer.body
    return text.count <= Self.textBytesMax && Self.passes(text, test)
  }

  private func passesField(_ answer: Answer) -> Bool {
    guard let field else { return true }
    let values = answer.fields.values(field)
    // If a path is given the test is for its value, and the field need only exist.
    guard let test, path == nil else { return !values.isEmpty }
    return values.contains { Self.passes(Array($0.utf8), test) }
  }

  private func passes(_ value: JSONValue) -> Bool {
    guard let test else { return true }
    if let passes = value.withUTF8({ Self.passes($0, test) }) { return passes }
    if let text = value.rawNumber { return Self.passes(Array(text.utf8), test) }
    if let boolean = value.boolean {
      return Self.passes(Array((boolean ? "true" : "false").utf8), test)
    }
    // `*` matches every text, but null is not text.
    return value.isNull && test == "null"
  }

  /// `*` matches any run of bytes. On a mismatch only the last star is advanced, so the work is bounded by the product
  /// of both lengths.
  private static func passes(
    _ text: some RandomAccessCollection<UInt8>, _ test: String
  ) -> Bool {
    let pattern = Array(test.utf8)
    var at = text.startIndex
    var index = 0
    var star: Int?
    var mark = text.startIndex
    while at < text.endIndex {
      if index < pattern.count, pattern[index] == UInt8(ascii: "*") {
        star = index
        mark = at
        index += 1
      } else if index < pattern.count, pattern[index] == text[at] {
        index += 1
        at = text.index(after: at)
      } else if let star {
        index = star + 1
        mark = text.index(after: mark)
        at = mark
      } else {
        return false
      }
    }
    while index < pattern.count, pattern[index] == UInt8(ascii: "*") { index += 1 }
    return index == pattern.count
  }
}
