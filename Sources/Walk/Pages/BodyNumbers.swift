internal import Base

/// The whole numbers that the body of a list's requests sends, each with its path: one of them may be a page's size.
struct BodyNumbers: Sendable {
  private(set) var all: [(path: [String], number: Int)] = []
  /// Where the answer has its records.
  private let records: [String]
  private let unit: Unit?

  init(_ stream: Stream, of unit: Unit?) {
    (records, self.unit) = (stream.records.steps, unit)
    switch stream.body {
    case .json(let value): note(value, [])
    case .form(let items):
      for item in items { note(BodyValue.text(item.value), [item.name]) }
    default: break
    }
    if let size = stream.size, size.isInBody, let place = size.parameter {
      all.append(((try? JSONPath(place))?.steps ?? [place], size.value))  // no path: a form's name
    }
  }

  private mutating func note(_ value: BodyValue, _ path: [String]) {
    switch value {
    case .object(let members): for member in members { note(member.value, path + [member.name]) }
    case .list(let values):
      // A list of numbers is one of ids.
      for (index, inner) in values.enumerated() {
        switch inner {
        case .object, .list: note(inner, path + ["\(index)"])
        default: break
        }
      }
    case .plain(let text): note(text, path)
    case .text(let template), .optional(let template), .typed(let template, _):
      if let text = template.filled({ unit?.value($0) }) { note(text, path) }
    case .literal(let text): note(query: text, path)
    }
  }

  private mutating func note(_ text: some StringProtocol, _ path: [String]) {
    if let number = Int(text) { all.append((path, number)) }
  }

  /// In a GraphQL query: the arguments of the fields that lead to the records, and the defaults of its variables.
  private mutating func note(query: String, _ path: [String]) {
    let words = Self.words(query)
    // For each open parenthesis: whether its field leads to the records.
    var areOnWay: [Bool] = []
    for index in words.indices {
      let before = { (count: Int) in count > index ? "" : words[index - count] }
      switch words[index] {
      case "(":
        // `name(` or `alias: name(`
        let names = [before(1)] + (before(2) == ":" ? [before(3)] : [])
        areOnWay.append(names.contains { records.contains(String($0)) })
      case ")": _ = areOnWay.popLast()
      case let word where before(1) == ":" && areOnWay.last == true:
        note(word, path + [String(before(2))])
      case let word where before(1) == "=":
        // `$first: Int = 25`
        if let sign = words[..<index].lastIndex(of: "$") {
          note(word, path + [String(words[sign + 1])])
        }
      default: break
      }
    }
  }

  /// The query's names, numbers and signs, without strings, comments, whitespace and commas.
  private static func words(_ query: String) -> [Substring] {
    var words: [Substring] = []
    var rest = query[...]
    while let letter = rest.first {
      let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      if !word.isEmpty {
        words.append(word)
        rest = rest[word.endIndex...]
      } else if letter == "\"" {
        rest = rest.dropFirst().drop { $0 != "\"" }.dropFirst()
      } else if letter == "#" {
        rest = rest.drop { !$0.isNewline }
      } else {
        let sign = rest.removeFirst()
        if !sign.isWhitespace, sign != "," { words.append(Substring(String(sign))) }
      }
    }
    return words
  }
}
