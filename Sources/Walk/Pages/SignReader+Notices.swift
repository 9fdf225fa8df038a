internal import Base

/// Messages beside a list: which say that something went wrong.
extension SignSearch {
  /// Words that only say that all is well.
  private static let pleasantries: Set = [
    "ok", "success", "successful", "succeeded", "done", "none", "no error", "no errors",
  ]

  func isNotice(_ value: JSONValue) -> Bool {
    guard leads(value), !Self.isDeprecation(value) else { return false }
    if let code = value["code"] ?? value["status"], isPleasant(code) {
      return value["message"].map { !isPleasant($0) } ?? false
    }
    return !isPleasant(value)
  }

  /// Warnings of deprecations only.
  private static func isDeprecation(_ value: JSONValue) -> Bool {
    value.isArray
      && value.elements.allSatisfy {
        String(decoding: $0.json, as: UTF8.self).lowercased().holds("deprecat")
      }
  }

  private func isPleasant(_ value: JSONValue) -> Bool {
    let text = value.string?.trimmingBlanks.lowercased()
    return value.isNull || value.integer == 0
      || text.map { $0.isEmpty || Self.pleasantries.contains($0) || Self.saysSuccess($0) } ?? false
  }

  /// `Response returned successfully`, but not `first 100 records returned successfully`.
  private static func saysSuccess(_ text: String) -> Bool {
    let words = Set(text.split { !$0.isLetter })
    return !words.isDisjoint(with: ["success", "successful", "successfully"])
      && words.isDisjoint(with: ["not", "only", "first", "max", "maximum", "more", "but"])
      && !text.contains(where: \.isNumber)
      && !["error", "fail", "limit", "partial", "trunc", "timeout", "timed", "exceed", "warn"]
        .contains { text.holds($0) }
  }

  /// An HTTP error status, or a word for failure.
  func isBadNews(_ value: JSONValue) -> Bool {
    if let number = PageReader.length(value) { return (400...599).contains(number) }
    return ["error", "fail", "failed", "failure"].contains(value.string?.lowercased() ?? "")
  }
}
