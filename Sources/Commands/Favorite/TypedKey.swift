internal import Base
internal import Store

extension KeyedTable {
  /// The values of a key that a person typed: the value itself, or a JSON list of several. A host
  /// may be left out: it is the job's own.
  func key(typed word: String) throws(ExitReport) -> [SQLValue] {
    let parts = try parts(of: word)
    var values: [SQLValue] = []
    for (column, part) in zip(key, parts) {
      guard column.isInteger else {
        guard !part.isEmpty else { throw ExitReport(.usage, "a key of \(name) is empty") }
        values.append(.text(part))
        continue
      }
      guard let number = Int64(part) else {
        throw ExitReport(
          .usage, "\"\(word)\" is no key of \(name): \(column.name) is a whole number")
      }
      values.append(.integer(number))
    }
    return values
  }

  private func parts(of word: String) throws(ExitReport) -> [String] {
    if key.count == 1 { return [word] }
    let list = Self.list(word)
    if let list, list.count == key.count { return list }
    // A person who types one value means the key that the API has; ours has the host before it.
    if key.count == 2, key[0].name == "host", list == nil, let origin,
      let host = try? WebAddress(origin).origin.host  // ours
    {
      return [host, word]
    }
    let names = key.map(\.name)
    throw ExitReport(
      .usage, "\"\(word)\" is no key of \(name), which has \(names.count) columns",
      "write \(names.joined(separator: ", ")) as a JSON list: '[\"a\", 1]'")
  }

  /// A key of several columns as a person writes it: a JSON list of texts and whole numbers.
  private static func list(_ text: String) -> [String]? {
    // What is no JSON is no list: the caller says what would be right.
    guard let root = JSONValue(text: text), root.isArray else { return nil }
    let parts = root.elements.map { $0.string ?? $0.integer.map(String.init) }
    return parts.contains(nil) ? nil : parts.compactMap(\.self)
  }
}
