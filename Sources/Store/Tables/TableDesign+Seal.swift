internal import Base

/// `trawl_hash` of a row: eight bytes of a seal, then eight for each group of columns that the same
/// streams write. Such a part is the digest of its columns, or zeros if no stream has filled it
/// yet. The seal is a digest of everything that no part covers (dates, the change number, columns
/// of an older job file) and of the parts: it finds damage in every column of every row, and says
/// nothing about changes by an API.
extension TableDesign {
  static let partBytes = 8

  /// What the seal covers, in order, before the parts.
  var sealed: [String] {
    let covered = Set(parts.flatMap(\.columns))
    return columns.map(\.name).filter { $0 != Self.digests && !covered.contains($0) } + kept
  }

  /// The digests of an existing row, with these columns set to other values; for `UPDATE … SET`.
  func sealing(_ values: [String: String]) -> String {
    let row = SQLName.quoted(name)
    let parts = "substr(\(row).\(Self.digests), \(Self.partBytes + 1))"
    let list = sealed.map { values[$0] ?? "\(row).\(SQLName.quoted($0))" }
    return "\(Self.digests) = \(Self.seal(parts, list))"
  }

  /// For a new row; unnamed columns are NULL.
  func sealOfNew(_ values: [String: String]) -> String {
    Self.seal("x''", sealed.map { values[$0] ?? "NULL" })
  }

  /// SQLite lets a function have 127 arguments; but from the 33rd on, SQLite 3.40 may replace a constant, such as the
  /// NULL of a new column, by an argument of another call. Even: names and values come in pairs.
  private static let argumentsMax = 30

  /// Parts behind their seal, which covers these values too, as SQL.
  static func seal(_ parts: String, _ values: [String]) -> String {
    values.count <= argumentsMax
      ? "trawl_sealed(\(([parts] + values).joined(separator: ", ")))"
      : "trawl_sealed_words(\(parts), \(collected(by: "trawl_words", values)))"
  }

  /// Nested calls of a function, each with the result so far and some of the arguments, as SQL.
  fileprivate static func collected(by function: String, _ arguments: [String]) -> String {
    stride(from: 0, to: arguments.count, by: argumentsMax).reduce("x''") { taken, first in
      let some = arguments[first..<min(first + argumentsMax, arguments.count)]
      return "\(function)(\(taken), \(some.joined(separator: ", ")))"
    }
  }

  /// Whether a row has a part, as SQL.
  /// - Parameter row: its alias and a dot, if it needs one.
  static func has(part: Int, _ row: String = "") -> String {
    "substr(\(row)\(digests), \(partBytes * (part + 1) + 1), \(partBytes)) <> zeroblob(\(partBytes))"
  }

  /// The part that only this stream fills, if there is one.
  func part(of stream: String) -> Int? {
    parts.firstIndex { part in
      part.finders == [stream]
        || !part.isFound && part.columns.contains { column($0)?.writers == [stream] }
    }
  }
}

/// The part of found columns covers the names and values of the columns that are not NULL, ordered
/// by name: a new column changes the digest of no existing row.
extension TableDesign.Part {
  private static let end = ", found"
  static let volatile = ", volatile"

  init(ofFound streams: [String], key: [String]) {
    self.init(
      name: Self.name(streams) + Self.end, columns: key.sorted(by: Self.precedes))
  }

  /// The streams in words. A stream that is named like a special suffix is not put last.
  static func name(_ streams: [String]) -> String {
    let words = [end, volatile].map { String($0.dropFirst(2)) }
    let special = words.filter(streams.contains)
    return (special + streams.filter { !words.contains($0) }).joined(separator: ", ")
  }

  var isFound: Bool { name.hasSuffix(Self.end) }

  /// The streams that store every member of their records.
  var finders: [String] {
    isFound
      ? name.dropLast(Self.end.count).split(separator: ",").map { String($0.drop { $0 == " " }) }
      : []
  }

  /// The part with a stream renamed: its name lists its streams, then any special suffix.
  func renaming(_ stream: String, to new: String) -> Self {
    var words = name.split(separator: ", ").map(String.init)
    let special = words.count > 1 && [Self.end, Self.volatile].contains(", \(words.last ?? "")")
    for index in words.indices.dropLast(special ? 1 : 0) where words[index] == stream {
      words[index] = new
    }
    var part = self
    part.name =
      Self.name(words.dropLast(special ? 1 : 0)) + (special ? ", \(words.last ?? "")" : "")
    return part
  }

  func with(_ names: [String]) -> Self {
    var part = self
    part.columns = (columns + names).sorted(by: Self.precedes)
    return part
  }

  private static func precedes(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }

  /// The digest as SQL.
  /// - Parameter values: the SQL of a column's value.
  func digest(_ values: (String) -> String) -> String {
    let words =
      isFound
      ? TableDesign.collected(
        by: "trawl_pairs", columns.flatMap { [SQLName.literal($0), values($0)] })
      : TableDesign.collected(by: "trawl_words", columns.map(values))
    return "trawl_part(\(words))"
  }
}
