internal import Base

/// A place in an answer, with alternatives and type, as one text: `id.value`, `more | has_more`, `made as time in
/// Asia/Seoul`, `views as integer volatile`. A column may also be `{user}`, a value of the request; `'books'`, a fixed
/// text; or derived from the record: `position()`, `name()`, `digest()`.
enum PathText {
  struct Problem: Error, Equatable, CustomStringConvertible {
    let description: String
  }

  static let alternativesMax = 8
  static let types = "text, integer, real, boolean, json, url, date, time, time(3), time in ZONE"

  /// One path, or several divided by `|`: the first with a value counts.
  static func alternatives(_ text: String) throws(Problem) -> [JSONPath] {
    let parts = split(text)
    guard parts.count <= alternativesMax else {
      throw Problem(description: "at most \(alternativesMax) alternatives")
    }
    var paths: [JSONPath] = []
    for part in parts {
      let trimmed = part.trimmingBlanks
      if trimmed.isEmpty {
        throw Problem(description: "an empty path; the whole value is written \".\"")
      }
      do { paths.append(try JSONPath(trimmed)) } catch {
        throw Problem(description: "\(error)")
      }
    }
    return paths
  }

  /// The source of a column, and what follows it.
  struct Typed {
    var source: Column.Source
    var kind = Column.Kind.text
    var isVolatile = false
    var isRequired = false
  }

  /// The source of a column, and after ` as ` its type and whether it is `volatile` or `required`.
  static func typed(_ text: String) throws(Problem) -> Typed {
    if let fixed = try fixed(text) { return Typed(source: fixed) }
    guard let mark = lastMark(in: text) else {
      let source = try source(text)
      return Typed(source: source, kind: source == .position ? .integer : .text)
    }
    var typed = Typed(source: try source(String(text[..<mark.lowerBound])))
    var words = text[mark.upperBound...].split(separator: " ").map(String.init)
    while let last = words.last, words.count > 1 || last == required, marks.contains(last) {
      if last == required { typed.isRequired = true } else { typed.isVolatile = true }
      words.removeLast()
    }
    let name = words.joined(separator: " ")
    guard let kind = words.isEmpty ? .text : kind(name) else {
      throw Problem(description: "unknown type \"\(name)\"\(typeClause(name))")
    }
    typed.kind = kind
    if case .paths = typed.source { return typed }
    if typed.isVolatile || typed.isRequired {
      throw Problem(description: "what is volatile or required is read from the answer")
    }
    return typed
  }

  /// Words after a type.
  private static let marks = ["volatile", required]
  private static let required = "required"

  /// `'books'`, the same for every record, or `'headlines {country}'` with values of the request.
  private static func fixed(_ text: String) throws(Problem) -> Column.Source? {
    let text = text.trimmingBlanks
    guard text.utf8.count >= 2, text.hasPrefix("'"), text.hasSuffix("'") else { return nil }
    let inner = String(text.dropFirst().dropLast())
    if let problem = TemplateText.problem(inner) { throw Problem(description: problem) }
    guard let template = TemplateText.read(inner)?.template else { return nil }
    return template.holes.isEmpty
      ? .constant(template.filled { _ in nil } ?? "") : .filled(template)
  }

  private static let made: [String: Column.Source] = [
    "position()": .position, "name()": .memberName, "digest()": .digest,
  ]

  private static func source(_ text: String) throws(Problem) -> Column.Source {
    let text = text.trimmingBlanks
    if text.utf8.last == UInt8(ascii: ")"), let source = made[text] { return source }
    guard text.hasPrefix("{"), text.hasSuffix("}") else { return .paths(try alternatives(text)) }
    let hole = String(text.dropFirst().dropLast())
    if let problem = TextForm.name.problem(hole) { throw Problem(description: problem) }
    return .parameter(hole)
  }

  /// For a list of columns: a place, a blank, its type. The column is named after the first alternative.
  static func listed(_ text: String) throws(Problem) -> (name: String, text: String) {
    if text == Defaults.all { return (text, text) }
    let (place, type) = split(listed: text)
    let column = place + (type.map { " as \($0)" } ?? "")
    switch try typed(column).source {
    case .parameter(let name): return (name, column)
    case .paths(let paths):
      let steps = paths[0].steps.filter { $0 != "*" && !$0.hasPrefix("[") }
      if steps.isEmpty {
        throw Problem(description: "a column of the whole record needs a name: { NAME: \".\" }")
      }
      return (PlainName.folded(steps), column)
    case .constant, .filled:
      throw Problem(
        description: "a column of a fixed text needs a name: { NAME: \"\(text.shown)\" }")
    default: return (String(place.dropLast(2)), column)
    }
  }

  /// Splits at the first blank outside quotes that is not next to a bar.
  private static func split(listed text: String) -> (place: String, type: String?) {
    let bytes = marked(text.trimmingBlanks)
    let blank = UInt8(ascii: " ")
    func isBar(_ index: Int) -> Bool {
      bytes[index].byte == UInt8(ascii: "|") && !bytes[index].isQuoted
    }
    for index in bytes.indices where bytes[index].byte == blank && !bytes[index].isQuoted {
      guard let next = bytes[index...].firstIndex(where: { $0.byte != blank }),
        let last = bytes[..<index].lastIndex(where: { $0.byte != blank })
      else { continue }
      if isBar(next) || isBar(last) { continue }
      let type = Self.text(bytes[next...])
      return (Self.text(bytes[...last]), type.hasPrefix("as ") ? String(type.dropFirst(3)) : type)
    }
    return (text.trimmingBlanks, nil)
  }

  private static func typeClause(_ name: String) -> String {
    let words = plainKinds.map(\.key) + ["time"]
    return Suggestion.nearest(to: name, in: words).map(Suggestion.clause) ?? "; one of \(types)"
  }

  private static let plainKinds: KeyValuePairs<String, Column.Kind> = [
    "text": .text, "integer": .integer, "real": .real, "boolean": .boolean, "json": .json,
    "url": .url, "date": .date,
  ]

  /// `integer`, `time(3)`, `time in Asia/Seoul`.
  static func kind(_ text: String) -> Column.Kind? {
    if let plain = plainKinds.first(where: { $0.key == text }) { return plain.value }
    let words = text.split(separator: " ")
    guard let first = words.first, first == "time" || first == "time(3)" else { return nil }
    let digits = first == "time" ? 0 : 3
    if words.count == 1 { return .time(digits: digits, zone: nil) }
    guard words.count == 3, words[1] == "in", ZoneRules.isName(String(words[2])) else {
      return nil
    }
    return .time(digits: digits, zone: String(words[2]))
  }

  /// Splits at bars outside quotes.
  private static func split(_ text: String) -> [String] {
    guard text.utf8.contains(UInt8(ascii: "|")) else { return [text] }
    return marked(text).split(omittingEmptySubsequences: false) {
      $0.byte == UInt8(ascii: "|") && !$0.isQuoted
    }.map(Self.text)
  }

  private static func text(_ part: ArraySlice<(byte: UInt8, isQuoted: Bool)>) -> String {
    String(decoding: part.map(\.byte), as: UTF8.self)
  }

  /// The last ` as ` outside quotes.
  private static func lastMark(in text: String) -> Range<String.Index>? {
    guard text.holds(" as ") else { return nil }
    let mark = Array(" as ".utf8)
    let bytes = marked(text)
    for start in stride(from: bytes.count - mark.count, through: 0, by: -1)
    where (0..<mark.count).allSatisfy({
      bytes[start + $0].byte == mark[$0] && !bytes[start + $0].isQuoted
    }) {
      let from = text.utf8.index(text.startIndex, offsetBy: start)
      return from..<text.utf8.index(from, offsetBy: mark.count)
    }
    return nil
  }

  static func marked(_ text: String) -> [(byte: UInt8, isQuoted: Bool)] {
    var isQuoted = false
    var isEscaped = false
    return text.utf8.map { byte in
      defer {
        if isEscaped {
          isEscaped = false
        } else if isQuoted, byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isQuoted.toggle()
        }
      }
      return (byte, isQuoted || byte == UInt8(ascii: "\""))
    }
  }
}
