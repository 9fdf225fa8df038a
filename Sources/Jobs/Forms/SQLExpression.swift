internal import Base

/// A first check of an SQL expression: words, functions and bounds. The store proves it by compiling it.
enum SQLExpression {
  static let depthMax = 20

  private static let words: Set<String> = [
    "case", "when", "then", "else", "end", "and", "or", "not", "in", "is", "null", "like", "glob",
    "between", "escape", "cast", "as", "text", "integer", "real", "numeric", "collate", "nocase",
    "binary", "isnull", "notnull", "true", "false",
  ]
  /// Words after which a bracket may open that is not a function's.
  private static let openers: Set<String> = [
    "case", "when", "then", "else", "and", "or", "not", "in", "is", "like", "glob", "between",
    "escape", "cast",
  ]

  /// What is wrong; nil: nothing. `names` are the allowed columns.
  static func problem(_ text: String, names: [String]) -> String? {
    let bytes = Array(text.utf8)
    if text.trimmingBlanks.isEmpty { return "the expression is empty" }
    if bytes.count > ExpressionRules.bytesMax {
      return "an expression has at most \(ExpressionRules.bytesMax) bytes"
    }
    var depth = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      switch byte {
      case UInt8(ascii: "'"):
        guard let end = endOfText(bytes, from: index) else { return "a quote that has no end" }
        index = end
      case UInt8(ascii: "("):
        depth += 1
        if depth > depthMax { return "an expression has at most \(depthMax) levels of brackets" }
      case UInt8(ascii: ")"):
        depth -= 1
        if depth < 0 { return "a ')' without its '('" }
      case UInt8(ascii: "-") where next == byte, UInt8(ascii: "/") where next == UInt8(ascii: "*"):
        return "an expression holds no comments"
      case 48...57:
        while index + 1 < bytes.count, isWord(bytes[index + 1]) || bytes[index + 1] == 46 {
          index += 1
        }
      case _ where isWord(byte):
        var end = index
        while end + 1 < bytes.count, isWord(bytes[end + 1]) { end += 1 }
        let word = String(decoding: bytes[index...end], as: UTF8.self)
        let after = bytes[(end + 1)...].first { !$0.isBlank }
        if let problem = problem(word: word, isCalled: after == UInt8(ascii: "("), names: names) {
          return problem
        }
        index = end
      case _ where byte.isBlank || "+-*/%|<>=!,&~.".utf8.contains(byte): break
      case UInt8(ascii: ";"): return "an expression is not a statement: it holds no ';'"
      case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
        return "text goes in single quotes, and names have no quotes"
      default:
        let shown = byte < 0x80 ? String(UnicodeScalar(byte)).shown : "a letter beyond ASCII"
        return "\(shown) has no place in an expression, except in a text in single quotes"
      }
      index += 1
    }
    if depth > 0 { return "a '(' without its ')'" }
    return isUnfinished(text, names: names) ? "the expression is not finished" : nil
  }

  /// Whether an operator is the last that it has. (A point may end a number.)
  private static func isUnfinished(_ text: String, names: [String]) -> Bool {
    let last = text.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
    let endsOpen = last.utf8.last.map { "+-*/%|<>=!,&~".utf8.contains($0) } ?? false
    return endsOpen || openers.contains(last.lowercased()) && !names.contains(last)
  }

  private static func problem(word: String, isCalled: Bool, names: [String]) -> String? {
    let lower = word.lowercased()
    let known = ExpressionRules.allFunctions
    if lower == "select" || lower == "with" { return "an expression holds no subquery" }
    if isCalled {
      if openers.contains(lower) || known.contains(lower) { return nil }
      return "the function \(word)() may not be used here"
        + Suggestion.clauseOrList(for: lower, in: known)
    }
    if words.contains(lower) || names.containsBytes(word) { return nil }
    return "\"\(word)\" is not known here" + Suggestion.clauseOrList(for: word, in: names)
  }

  /// The index of the closing quote; inside a text a doubled quote is one.
  private static func endOfText(_ bytes: [UInt8], from start: Int) -> Int? {
    var index = start + 1
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "'") {
        guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "'") else { return index }
        index += 1
      }
      if bytes[index] == 0 { return nil }
      index += 1
    }
    return nil
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (65...90).contains(byte & 0xDF) || (48...57).contains(byte) || byte == UInt8(ascii: "_")
  }
}
