internal import Base

/// Text with holes. `{q}` must have a value; `{q?}`, alone in a query parameter, omits the parameter if the value is
/// empty.
enum TemplateText {
  /// What is wrong with it; nil: nothing.
  static func problem(_ text: String) -> String? { problem(Template(text), required) }

  private static func problem(_ template: Template?, _ name: (String) -> String) -> String? {
    guard let template else {
      return "a brace that is not closed; a brace itself is written {{ or }}"
    }
    for hole in template.holes where !isName(name(hole)) {
      return "\"{\(hole)}\" is not a hole: its name has small letters, digits and '_';"
        + " a brace itself is written {{ or }}"
    }
    let mayBeEmpty = template.holes.contains { $0.hasSuffix("?") }
    if mayBeEmpty && template.parts.count > 1 {
      return "a hole that may be empty ({name?}) must be alone in its query parameter"
    }
    return nil
  }

  /// A name, or one of the record's columns: `record.login`.
  private static func isName(_ hole: String) -> Bool {
    let isOfRecord = hole.hasPrefix(Confirmation.record)
    let name = isOfRecord ? String(hole.dropFirst(Confirmation.record.count)) : hole
    return PlainName.isPlain(name, lengthMax: 63)
  }

  /// What follows the base: begins with `/`, has no query, and leads nowhere else.
  static func pathProblem(_ text: String) -> String? {
    if text.holds("?}") { return "a hole of a path must have a value: {name}" }
    if let problem = problem(Template(text), bare) { return problem }
    guard text.hasPrefix("/"), !text.hasPrefix("//") else {
      return "must be a path that begins with one '/'; it is added to base"
    }
    if text.utf8.contains(where: { "?#".utf8.contains($0) }) {
      return "a path has no '?' or '#'; parameters belong under query"
    }
    if text.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) {
      return "a path has no '.' or '..' parts"
    }
    if text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) {
      return "a path holds no blanks, control characters or backslashes"
    }
    return nil
  }

  /// A column, or an address with columns in holes.
  static func linkProblem(_ text: String) -> String? {
    guard isAddress(text) else { return PlainName.problem(text) }
    if text.holds("?}") { return "a hole of a link is a column: {name}" }
    if let problem = problem(text) { return problem }
    guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
      return "a link begins with https:// or http://"
    }
    return nil
  }

  static func isAddress(_ text: String) -> Bool {
    text.utf8.contains { "{:/".utf8.contains($0) }
  }

  /// For a sound path: also returns the holes whose values keep their slashes, `{image/}`.
  static func path(_ text: String) -> (template: Template, slashes: Set<String>)? {
    guard let template = Template(text) else { return nil }
    let parts = template.parts.map { part -> Template.Part in
      if case .hole(let name) = part { .hole(withoutSlash(name) ?? name) } else { part }
    }
    return (Template(parts), Set(template.holes.compactMap(withoutSlash)))
  }

  /// The name alone, also of `{name?}` and `{name/}`.
  static func bare(_ hole: String) -> String { withoutSlash(hole) ?? required(hole) }

  private static func withoutSlash(_ hole: String) -> String? {
    hole.hasSuffix("/") ? String(hole.dropLast()) : nil
  }

  /// The template without `?` in its holes, and whether it had one.
  static func read(_ text: String) -> (template: Template, mayBeEmpty: Bool)? {
    guard let template = Template(text), problem(template, required) == nil else { return nil }
    let parts = template.parts.map { part -> Template.Part in
      if case .hole(let name) = part { .hole(required(name)) } else { part }
    }
    return (Template(parts), template.holes.contains { $0.hasSuffix("?") })
  }

  private static func required(_ hole: String) -> String {
    hole.hasSuffix("?") ? String(hole.dropLast()) : hole
  }
}
