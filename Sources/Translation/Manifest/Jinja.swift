internal import Base
/// A template expression, parsed but never evaluated: its form decides what it means.
indirect enum Jinja: Equatable {
  case text(String)
  case number(String)
  case name(String)
  case member(Jinja, String)
  case entry(Jinja, Jinja)
  case call(Jinja, [Jinja])
  case filter(Jinja, String, [Jinja])
  case unary(String, Jinja)
  case binary(String, Jinja, Jinja)
  case choice(Jinja, if: Jinja, else: Jinja?)
  case list([Jinja])
  case map

  /// Nil if its form is unknown.
  init?(_ text: String) {
    guard let tokens = JinjaTokens.read(text) else { return nil }
    var parser = JinjaParser(tokens)
    guard let whole = parser.expression(0), parser.isAtEnd else { return nil }
    self = whole
  }
}

extension Jinja {
  /// Every name in it.
  var names: Set<String> {
    switch self {
    case .text, .number, .map: []
    case .name(let name): [name]
    case .member(let inner, _), .unary(_, let inner): inner.names
    case .entry(let one, let other), .binary(_, let one, let other): one.names.union(other.names)
    case .call(let inner, let words), .filter(let inner, _, let words):
      words.reduce(inner.names) { $0.union($1.names) }
    case .choice(let value, let condition, let other):
      value.names.union(condition.names).union(other?.names ?? [])
    case .list(let entries): entries.reduce(into: []) { $0.formUnion($1.names) }
    }
  }
}

/// A template: texts, and the expressions between them.
enum JinjaTemplate {
  enum Part: Equatable {
    case text(String)
    /// As written, and parsed if possible.
    case expression(String, Jinja?)
  }

  static func parts(_ text: String) -> [Part] {
    // Statements, comments and whitespace control are not supported.
    for mark in ["{%", "{#", "{{-", "-}}"] where text.holds(mark) {
      return [.expression(text, nil)]
    }
    guard text.holds("{{") else { return text.isEmpty ? [] : [.text(text)] }
    let characters = Array(text)
    var parts: [Part] = []
    var plain = ""
    var at = 0
    while at < characters.count {
      guard characters[at] == "{", at + 1 < characters.count, characters[at + 1] == "{" else {
        plain.append(characters[at])
        at += 1
        continue
      }
      guard let end = closing(characters, at + 2) else { return [.expression(text, nil)] }
      if !plain.isEmpty { parts.append(.text(plain)) }
      plain = ""
      let inner = characters[(at + 2)..<end]
      parts.append(.expression(String(inner), Jinja(String(inner))))
      at = end + 2
    }
    if !plain.isEmpty { parts.append(.text(plain)) }
    return parts
  }

  /// The end of an expression: braces within quotes do not count.
  private static func closing(_ text: [Character], _ start: Int) -> Int? {
    var quote: Character?
    var depth = 0
    for at in start..<text.count {
      let character = text[at]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      } else if character == "{" {
        depth += 1
      } else if character == "}", depth > 0 {
        depth -= 1
      } else if character == "}" {
        return at + 1 < text.count && text[at + 1] == "}" ? at : nil
      }
    }
    return nil
  }
}

/// The tokens of an expression.
enum JinjaTokens {
  enum Token: Equatable {
    case text(String)
    case number(String)
    case word(String)
    case mark(String)
  }

  private static let lengthMax = 4_000
  /// Parsing recurses once per link of a chain.
  private static let tokensMax = 500
  private static let marks = ["==", "!=", "<=", ">=", "//"] + "+-*/%~<>()[]{},.:|".map(String.init)

  static func read(_ text: String) -> [Token]? {
    let characters = Array(text)
    guard characters.count <= lengthMax else { return nil }
    var tokens: [Token] = []
    var at = 0
    while at < characters.count {
      let character = characters[at]
      if character.isWhitespace {
        at += 1
      } else if character == "'" || character == "\"" {
        guard let (text, end) = quoted(characters, at) else { return nil }
        tokens.append(.text(text))
        at = end
      } else if character.isASCII, character.isNumber {
        let end = characters[at...].firstIndex { !($0.isASCII && $0.isNumber || $0 == ".") }
        tokens.append(.number(String(characters[at..<(end ?? characters.count)])))
        at = end ?? characters.count
      } else if isWord(character) {
        let end = characters[at...].firstIndex { !isWord($0) && !$0.isNumber }
        tokens.append(.word(String(characters[at..<(end ?? characters.count)])))
        at = end ?? characters.count
      } else if let mark = marks.first(where: { characters[at...].starts(with: $0) }) {
        tokens.append(.mark(mark))
        at += mark.count
      } else {
        return nil
      }
      guard tokens.count <= tokensMax else { return nil }
    }
    return tokens
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isASCII && character.isLetter || character == "_"
  }

  private static func quoted(_ characters: [Character], _ start: Int) -> (String, Int)? {
    var text = ""
    var at = start + 1
    while at < characters.count {
      if characters[at] == characters[start] { return (text, at + 1) }
      if characters[at] == "\\", at + 1 < characters.count {
        at += 1
        // Another character, by its letter or number.
        if "abfnrtvxuUN01234567".contains(characters[at]) { return nil }
        if characters[at] != "'" && characters[at] != "\"" && characters[at] != "\\" {
          text.append("\\")
        }
      }
      text.append(characters[at])
      at += 1
    }
    return nil
  }
}

/// Parses tokens into an expression, by the precedence of its operators.
struct JinjaParser {
  private let tokens: [JinjaTokens.Token]
  private var at = 0
  private var depth = 0

  private static let depthMax = 60

  init(_ tokens: [JinjaTokens.Token]) { self.tokens = tokens }

  var isAtEnd: Bool { at == tokens.count }

  private var next: JinjaTokens.Token? { at < tokens.count ? tokens[at] : nil }

  private mutating func take(_ token: JinjaTokens.Token) -> Bool {
    guard next == token else { return false }
    at += 1
    return true
  }

  private static let strengths: [String: Int] = [
    "or": 1, "and": 2, "==": 4, "!=": 4, "<": 4, ">": 4, "<=": 4, ">=": 4, "in": 4, "not in": 4,
    "is": 4, "is not": 4, "+": 5, "-": 5, "~": 6, "*": 7, "/": 7, "//": 7, "%": 7,
  ]

  private func operation() -> (String, Int)? {
    let word: String
    switch next {
    case .mark(let mark)?: return Self.strengths[mark] == nil ? nil : (mark, 1)
    case .word(let found)?: word = found
    default: return nil
    }
    let second = at + 1 < tokens.count ? tokens[at + 1] : nil
    if word == "not", second == .word("in") { return ("not in", 2) }
    if word == "is", second == .word("not") { return ("is not", 2) }
    return ["or", "and", "in", "is"].contains(word) ? (word, 1) : nil
  }

  /// - Parameter least: only operators of higher precedence are read; 0 reads a whole expression, with its `if`.
  mutating func expression(_ least: Int) -> Jinja? {
    guard let value = operations(least) else { return nil }
    guard least == 0, take(.word("if")) else { return value }
    guard let condition = operations(0) else { return nil }
    var other: Jinja?
    if take(.word("else")) {
      guard let found = expression(0) else { return nil }
      other = found
    }
    return .choice(value, if: condition, else: other)
  }

  private mutating func operations(_ least: Int) -> Jinja? {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthMax, var left = prefix() else { return nil }
    while let (word, count) = operation(), let strength = Self.strengths[word],
      strength > least
    {
      at += count
      guard let right = operations(strength) else { return nil }
      left = .binary(word, left, right)
    }
    return left
  }

  private mutating func prefix() -> Jinja? {
    if take(.word("not")) { return expression(3).map { .unary("not", $0) } }
    if take(.mark("-")) { return expression(8).map { .unary("-", $0) } }
    return postfix()
  }

  private mutating func postfix() -> Jinja? {
    guard var value = primary() else { return nil }
    while let token = next {
      switch token {
      case .mark("."):
        at += 1
        guard case .word(let name)? = next else { return nil }
        at += 1
        value = .member(value, name)
      case .mark("["):
        at += 1
        guard let key = slice() else { return nil }
        value = .entry(value, key)
      case .mark("("):
        at += 1
        guard let arguments = arguments() else { return nil }
        value = .call(value, arguments)
      case .mark("|"):
        at += 1
        guard case .word(let name)? = next else { return nil }
        at += 1
        var words: [Jinja] = []
        if take(.mark("(")) {
          guard let found = arguments() else { return nil }
          words = found
        }
        value = .filter(value, name, words)
      default: return value
      }
    }
    return value
  }

  /// `[0]`, `['name']`; a slice such as `[1:-1]` becomes the name `slice`.
  private mutating func slice() -> Jinja? {
    let key = next == .mark(":") ? .name("slice") : expression(0)
    guard let key else { return nil }
    if take(.mark("]")) { return key }
    guard take(.mark(":")) else { return nil }
    if next != .mark("]"), expression(0) == nil { return nil }
    return take(.mark("]")) ? .name("slice") : nil
  }

  private mutating func arguments() -> [Jinja]? {
    var found: [Jinja] = []
    if take(.mark(")")) { return found }
    while true {
      guard let value = expression(0) else { return nil }
      found.append(value)
      if take(.mark(")")) { return found }
      guard take(.mark(",")) else { return nil }
    }
  }

  private mutating func primary() -> Jinja? {
    guard let token = next else { return nil }
    at += 1
    switch token {
    case .text(let text): return .text(text)
    case .number(let number): return .number(number)
    case .word(let word): return .name(word)
    case .mark("("):
      guard let inner = expression(0), take(.mark(")")) else { return nil }
      return inner
    case .mark("["):
      var entries: [Jinja] = []
      if take(.mark("]")) { return .list([]) }
      while let entry = expression(0) {
        entries.append(entry)
        if take(.mark("]")) { return .list(entries) }
        guard take(.mark(",")) else { return nil }
        if take(.mark("]")) { return .list(entries) }
      }
      return nil
    case .mark("{"): return take(.mark("}")) ? .map : nil
    default: return nil
    }
  }
}
