public import Base

/// Which columns the records of a stream fill, over the pages that are read: this alone decides
/// which columns `trawl check`, `trawl try` and a first run name.
public struct ColumnSurvey: Sendable {
  /// After so many records, or entries of a nested list, a member that none has counts as missing.
  static let enough = 10

  /// A column, or a nested list.
  private struct Place: Sendable {
    let name: String
    let path: String
    let source: [JSONPath]
    /// Nil: a nested list.
    let field: Field?
    /// The nested list whose entries have it; nil: it belongs to the record itself.
    let list: JSONPath?
    var seen = 0
    var isThere = false
    var filled = 0
    var misfits = 0
    var why = ""
    var example = ""
    var nearest: String?
  }

  private let stream: Stream
  private var places: [Place]
  private var reader = FieldReader(LocalZones())

  /// - Parameter settled: what earlier runs have settled, by the column's name.
  public init(_ stream: Stream, settled: [String: String]) {
    self.stream = stream
    places = Self.places(of: stream.columns + (stream.membership?.columns ?? []))
    for child in stream.children {
      let name = child.records.text
      places.append(
        Place(name: name, path: name, source: [child.records], field: nil, list: nil))
      places += Self.places(of: child.columns, in: child.records)
    }
    places.removeAll { settled[$0.name] == Self.rule($0) }
  }

  private static func places(of columns: [Column], in list: JSONPath? = nil) -> [Place] {
    columns.compactMap { column in
      let paths = column.paths
      if paths.isEmpty || paths.contains(where: \.isEmpty) { return nil }
      let field = Field(column, isKey: false)
      return Place(
        name: (list.map { "\($0.text)." } ?? "") + column.name, path: field.origin,
        source: paths, field: field, list: list)
    }
  }

  /// Nothing is left to look for.
  public var isDone: Bool { places.allSatisfy { $0.filled > 0 } }

  public mutating func add(_ records: [JSONValue]) {
    let row = RowBuffer(columns: 1)
    var unmapped: [String]?
    for index in places.indices where places[index].filled == 0 {
      let found = records.flatMap { record in
        places[index].list.map { Self.entries(of: record, $0) } ?? [record]
      }.filter { !$0.isNull }
      for value in found { read(value, index, row) }
      guard !places[index].isThere, places[index].nearest == nil, !found.isEmpty else { continue }
      let others = unmapped ?? UnmappedFields(of: records, stream: stream).fields.map(\.path)
      unmapped = others
      places[index].nearest = places[index].source.first?.nearest(
        in: found, others: Self.behind(places[index].list, others))
    }
  }

  private mutating func read(_ value: JSONValue, _ index: Int, _ row: RowBuffer) {
    let place = places[index]
    let paths = place.source.filter { !$0.endsAtNothing(in: value) }
    if paths.isEmpty { return }
    places[index].seen += 1
    guard paths.contains(where: { $0.value(in: value) != nil }) else { return }
    places[index].isThere = true
    guard let field = place.field else {
      places[index].filled += 1
      return
    }
    row.clear()
    let request = FieldReader.Request(parameters: [], position: 1, parent: nil, name: nil)
    switch reader.read(field, of: value, request, into: row, 0) {
    case .stored: places[index].filled += 1
    case .absent: break
    case .misfit(let misfit, let raw):
      if places[index].misfits == 0 {
        let told = FieldMisfit(field, misfit, raw)
        (places[index].why, places[index].example) = (told.reason, told.raw.shortened(to: 60))
      }
      places[index].misfits += 1
    }
  }

  private static func entries(of record: JSONValue, _ list: JSONPath) -> [JSONValue] {
    list.all(in: record).flatMap { $0.isArray ? Array($0.elements) : [$0] }
  }

  /// Members of a nested list without a column, by their paths from its entries.
  private static func behind(_ list: JSONPath?, _ paths: [String]) -> [String] {
    guard let list else { return paths }
    let front = JSONPath.text(of: list.steps) + "."
    return paths.compactMap { path in
      guard path.starts(with: front) else { return nil }
      let rest = path.dropFirst(front.count)
      return String(rest.starts(with: "*.") ? rest.dropFirst(2) : rest)
    }
  }

  private static func rule(_ place: Place) -> String {
    place.path + (place.field.map { " as \($0.kind.name)" } ?? "")
  }

  public var findings: [ColumnFinding] { places.compactMap(finding) }

  private func finding(_ place: Place) -> ColumnFinding? {
    let values = place.filled + place.misfits
    let kind: ColumnFinding.Kind
    if place.misfits > 0 {
      kind = .misfits(place.misfits, reason: place.why, example: place.example)
    } else if place.filled > 0 || place.seen < Self.enough {
      return nil
    } else {
      kind = place.isThere ? .empty : .missing(nearest: place.nearest)
    }
    return ColumnFinding(
      stream: stream.name, column: place.name, path: place.path, type: place.field?.kind.name,
      count: values > 0 ? values : place.seen, kind: kind)
  }

  /// What need not be examined again: filled columns, and those found missing.
  public var settled: [String: String] {
    Dictionary(
      places.filter { $0.filled > 0 || finding($0) != nil }.map { ($0.name, Self.rule($0)) }
    ) { first, _ in first }
  }
}
