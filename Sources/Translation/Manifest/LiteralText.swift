internal import Base
internal import Drafting

/// A text in Python's notation of a list or an object, which the engine of such manifests sends as the value.
enum LiteralText {
  /// Marks an expression without quotes; no manifest contains it.
  private static let mark = "\u{E000}"

  /// Nil if it is plain text.
  static func node(_ text: String) -> YAMLNode? {
    guard text.hasPrefix("[") || text.hasPrefix("{"), !text.hasPrefix("{{"), !text.hasPrefix("{%"),
      let quoted = quoted(text),
      let node = try? YAMLReader.read(Array(quoted.utf8)),  // what cannot be read is a text
      node.isLiteral, node.entries != nil || node.members != nil
    else { return nil }
    return node
  }

  /// The expression that had no quotes.
  static func bare(_ text: String) -> String? {
    text.hasPrefix(mark) ? String(text.dropFirst()) : nil
  }

  /// Puts unquoted expressions in quotes.
  private static func quoted(_ text: String) -> String? {
    var out = ""
    var quote: Character?
    for part in JinjaTemplate.parts(text) {
      switch part {
      case .text(let text):
        for character in text {
          if character == quote {
            quote = nil
          } else if quote == nil, character == "'" || character == "\"" {
            quote = character
          }
        }
        out += text
      case .expression(let source, _):
        switch quote {
        // YAML doubles a quote between single quotes, and escapes it between double ones.
        case "\""?:
          out += "{{\(source.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))}}"
        case "'"?: out += "{{\(source.map { $0 == "'" ? "''" : String($0) }.joined())}}"
        case nil where !source.holds("\""): out += "\"\(mark){{\(source)}}\""
        default: return nil
        }
      }
    }
    return out
  }
}

/// A query string in a text.
enum QueryText {
  /// Its pairs, as written; pairs without a name are dropped.
  static func pairs(_ text: some StringProtocol) -> [(name: String, value: String)] {
    text.split(separator: "&").compactMap { pair in
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return sides[0].isEmpty ? nil : (String(sides[0]), sides.count > 1 ? String(sides[1]) : "")
    }
  }

  /// A name or a value as a job has it, without percent escapes: Trawl adds them to each request.
  static func decoded(_ text: String) throws(DraftProblem) -> String {
    // A brace that was escaped is text.
    let braced = ["%7B", "%7b", "%7D", "%7d"].reduce(text) { $0.replacing($1, with: $1 + $1) }
    guard
      let plain = String(
        validating: PercentEncoding.decoded(braced, plusIsSpace: true), as: UTF8.self)
    else { throw DraftProblem("request: a parameter that is not UTF-8 (\(text.shown))") }
    return plain
  }
}

/// An ISO 8601 duration such as `P1DT12H`, in a job's notation.
enum ISODuration {
  /// Months and years count as the longest.
  private static let days = ["Y": 366, "M": 31, "W": 7, "D": 1]
  private static let parts = ["H": "h", "M": "m", "S": "s"]

  /// Nil: not a duration, or one that a job cannot express.
  static func text(_ text: String) -> String? {
    guard text.first == "P", text != "P" else { return nil }
    var days = 0
    var time = ""
    var digits = ""
    var isTime = false
    for character in text.dropFirst() {
      if character == "T", digits.isEmpty, !isTime {
        isTime = true
      } else if character.isASCII, character.isNumber {
        digits.append(character)
      } else if let number = Int(digits), number <= 36_525 {
        digits = ""
        if isTime, let unit = parts[String(character)] {
          time += number == 0 ? "" : "\(number)\(unit)"
        } else if !isTime, let unit = Self.days[String(character)] {
          days += number * unit
        } else {
          return nil
        }
      } else {
        return nil
      }
    }
    let whole = (days == 0 ? "" : "\(days)d") + time
    return digits.isEmpty ? whole.isEmpty ? "0s" : whole : nil
  }
}

extension String {
  /// For a sentence.
  func onOneLine(upTo length: Int) -> String {
    split { $0.isWhitespace }.joined(separator: " ").harmless(upTo: length)
  }
}
