internal import Base
internal import Drafting

/// Where the records are, their key, and their columns.
extension ManifestTranslator {
  func readColumns(_ node: YAMLNode, _ stream: inout ManifestStream) {
    var removed: [[String]] = []
    for change in node["transformations"]?.entries ?? []
    where change["type"]?.text == "RemoveFields" {
      removed += (change["field_pointers"]?.entries ?? []).map {
        ($0.entries ?? [$0]).compactMap(\.text)
      }
    }
    let columns = ManifestColumns(node, times: [], removed: removed)
    stream.columns = columns.columns
    for remark in columns.remarks { stream.remark(.columns, remark) }
  }

  mutating func readRecords(
    _ node: YAMLNode, _ selector: YAMLNode?, _ stream: inout ManifestStream
  ) throws(Untranslated) {
    let extractor = selector?["extractor"]
    guard extractor?["type"]?.text ?? "DpathExtractor" == "DpathExtractor" else {
      throw Untranslated("records: code of its own")
    }
    var path: [String] = []
    for step in extractor?["field_path"]?.entries ?? [] {
      let pieces = ManifestText.pieces(step.text ?? "", extractor?["$parameters"])
      guard pieces.count <= 1, pieces.allSatisfy({ $0.text != nil })
      else { throw Untranslated("records: a place that is computed") }
      if let text = pieces.first?.text {
        guard text == "*" || text != "**" && JSONPath.isSayable(text) else {
          throw Untranslated("records: a place that no path can say")
        }
        path.append(text)
      }
    }
    stream.records = Self.path(path)
    Self.checkStop(&stream)
    if path.isEmpty, stream.pages == ["by: \"single\""] {
      stream.remark(
        .records, "The manifest takes the answer itself: a list of records, or one record.")
    }
    readFilter(selector?["record_filter", "condition"]?.text, &stream)
    readAdded(node, &stream)
    readKey(node, &stream)
    try checkLast(&stream)
    checkTime(&stream)
  }

  /// The column of a window is a time, even if the manifest adds it.
  private func checkTime(_ stream: inout ManifestStream) {
    guard let on = stream.window.first(where: { $0.hasPrefix("on: ") }),
      let at = stream.columns.firstIndex(where: { on == "on: \(JobText.quoted($0.name))" })
    else {
      stream.window.removeAll { $0.hasPrefix("on: ") || $0.hasPrefix("overlap: ") }
      return
    }
    // A key that grows is not a time.
    if stream.columns[at].isObject || stream.key.contains(stream.columns[at].name) {
      stream.window.removeAll { $0.hasPrefix("on: ") || $0.hasPrefix("overlap: ") }
    } else if !stream.columns[at].source.holds(" as time") {
      stream.columns[at].source =
        JSONPath.text(of: stream.columns[at].path) + " as time in UTC"
    }
  }

  private static func path(_ steps: [String]) -> String {
    guard !steps.isEmpty else { return "." }
    return steps.map { $0 == "*" ? "*" : JSONPath.text(of: [$0]) }.joined(separator: ".")
  }

  // MARK: added fields

  private mutating func readAdded(_ node: YAMLNode, _ stream: inout ManifestStream) {
    for change in node["transformations"]?.entries ?? [] {
      switch change["type"]?.text ?? "" {
      case "AddFields":
        for field in change["fields"]?.entries ?? [] { add(field, change["$parameters"], &stream) }
      case "RemoveFields": break
      case let type:
        stream.remark(
          .columns,
          "Records are stored as the API sends them; the manifest changes them first (\(type.shown))."
        )
      }
    }
  }

  private mutating func add(
    _ field: YAMLNode, _ parameters: YAMLNode?, _ stream: inout ManifestStream
  ) {
    let path = (field["path"]?.texts ?? [])
    guard path.count == 1, let text = field["value"]?.text else { return }
    let pieces = ManifestText.pieces(text, parameters)
    var taken = Set(stream.columns.filter { $0.path != path }.map(\.name))
    let name = PlainName.unique(DraftNames.plain(path[0], else: "added"), &taken)
    var column = ManifestStream.Column(name: name, source: "", isObject: true, path: path)
    switch pieces.first {
    case .slice?, .outerSlice?, .extra?:
      // A value that the request does not have cannot be a column.
      guard pieces.count == 1, let hole = try? hole(pieces[0], &stream) else { return }
      column.source = JobText.quoted("{\(hole)}")
    case .text(let value)? where pieces.count == 1 && !text.holds("{{"):
      column.source = "{ value: \(JobText.quoted(JobText.braced(value))) }"
    default:
      guard let expression = JinjaTemplate.parts(text).first,
        case .expression(_, let found?) = expression,
        let place = ManifestText.place(found), place.root == "record", !place.steps.isEmpty,
        place.steps.allSatisfy(JSONPath.isSayable)
      else {
        stream.computed.insert(path[0])
        if !text.holds("now_utc") {
          stream.remark(
            .columns, "\(path[0].shown) is computed from the record, and has no column of its own.")
        }
        return
      }
      column.source = JSONPath.text(of: place.steps)
      column.isObject = false
      column.path = place.steps
      stream.addedPaths[path[0]] = name
    }
    stream.columns.removeAll { $0.name == name }
    stream.columns.append(column)
    stream.addedPaths[path[0]] = name
  }

  // MARK: keys

  private mutating func readKey(_ node: YAMLNode, _ stream: inout ManifestStream) {
    let keys = Self.keys(node["primary_key"])
    if !keys.isEmpty, keys.count <= 8 {
      let before = stream
      for path in keys {
        if path.count == 1, let added = stream.addedPaths[path[0]] {
          stream.key.append(added)
          continue
        }
        let name = stream.column(at: path)
        if let at = stream.columns.firstIndex(where: { $0.name == name }) {
          stream.columns[at].source = Self.keyed(stream.columns[at].source)
        }
        stream.key.append(name)
      }
      let isComputed = keys.contains { path in
        (node["transformations"]?.entries ?? []).contains { change in
          (change["fields"]?.entries ?? []).contains { field in
            (field["path"]?.texts ?? []) == path
              && stream.addedPaths[path.last ?? ""] == nil
          }
        }
      }
      if !isComputed, Set(stream.key).count == stream.key.count { return }
      stream = before
      stream.remark(.records, "The manifest's key is computed from the record.")
    } else if keys.isEmpty {
      stream.remark(.records, "The manifest names no key: equal records are one.")
    }
    var taken = Set(stream.columns.map(\.name))
    let digest = PlainName.unique("digest", &taken)
    stream.columns.append(.init(name: digest, source: "\"digest()\"", isObject: true))
    stream.key = [digest]
    if let hole = stream.feed?.column {
      stream.key.insert(stream.column(holding: hole, as: "of_\(hole)"), at: 0)
    }
  }

  /// A key is text or a whole number.
  private static func keyed(_ source: String) -> String {
    for type in [" as real", " as json", " as boolean"] where source.hasSuffix(type) {
      return String(source.dropLast(type.count)) + (type == " as real" ? " as integer" : "")
    }
    return source
  }

  static func keys(_ node: YAMLNode?) -> [[String]] {
    guard let node else { return [] }
    if let text = node.text { return text.isEmpty || text.holds("{{") ? [] : [[text]] }
    return (node.entries ?? []).map { entry in
      (entry.entries ?? [entry]).compactMap(\.text)
    }.filter { !$0.isEmpty }
  }

  /// Paging through a list needs something unique in it.
  private func checkLast(_ stream: inout ManifestStream) throws(Untranslated) {
    guard let path = stream.lastPath, let column = stream.columns.first(where: { $0.path == path })
    else { return }
    if stream.key == [column.name] { return }
    if column.source.holds(" as time") || column.source.hasSuffix(" as date") { return }
    throw Untranslated("paging: by a member of the last record that is not a key")
  }

  // MARK: filters

  private func readFilter(_ text: String?, _ stream: inout ManifestStream) {
    guard let text, !text.isEmpty else { return }
    let parts = JinjaTemplate.parts(text)
    if parts.count == 1, case .expression(let source, let found) = parts[0] {
      // The store itself knows what is new.
      if ["stream_interval", "stream_state", "stream_slice", "config"].contains(where: source.holds)
      {
        stream.remark(
          .records, "The manifest drops what is older than what it knows; here all is kept.")
        return
      }
      if found == .name("record") { return }
      if let found, let sql = Self.keep(found, &stream) {
        stream.keep = sql
        return
      }
    }
    stream.lose(.records, "records: a filter (\(text.harmless(upTo: 60)))")
  }

  /// `record.state == 'open'` as SQL.
  private static func keep(_ condition: Jinja, _ stream: inout ManifestStream) -> String? {
    switch condition {
    case .binary(let word, let left, let right) where word == "and" || word == "or":
      guard let one = keep(left, &stream), let other = keep(right, &stream) else { return nil }
      return "(\(one)) \(word.uppercased()) (\(other))"
    case .binary(let sign, let left, .text(let text)) where sign == "==" || sign == "!=":
      guard let name = column(left, &stream), !text.holds("'") else { return nil }
      return sign == "==" ? "\(name) = '\(text)'" : "\(name) IS NULL OR \(name) <> '\(text)'"
    case .binary(let word, let left, .list(let values)) where word == "in":
      let texts = values.compactMap {
        if case .text(let text) = $0, !text.holds("'") { "'\(text)'" } else { nil }
      }
      guard texts.count == values.count, let name = column(left, &stream) else { return nil }
      return "\(name) IN (\(texts.joined(separator: ", ")))"
    case .binary("in", .text(let name), .name("record")):
      return column(.member(.name("record"), name), &stream).map { "\($0) IS NOT NULL" }
    case .unary("not", let inner):
      return column(inner, &stream).map { "coalesce(\($0), 0) = 0 OR \($0) = ''" }
    case .binary("is not", let left, let right) where ManifestText.isNothing(right):
      return column(left, &stream).map { "\($0) IS NOT NULL" }
    default: return nil
    }
  }

  private static func column(_ expression: Jinja, _ stream: inout ManifestStream) -> String? {
    guard let place = ManifestText.place(expression), place.root == "record", !place.steps.isEmpty,
      place.steps.allSatisfy(JSONPath.isSayable)
    else { return nil }
    return stream.column(at: place.steps)
  }

  // MARK: errors

  /// Statuses that mean that a list does not exist.
  func readErrors(_ handler: YAMLNode?, _ stream: inout ManifestStream) {
    let handlers = handler.map { $0["error_handlers"]?.entries ?? [$0] } ?? []
    for filter in handlers.flatMap({ $0["response_filters"]?.entries ?? [] }) {
      let codes = (filter["http_codes"]?.entries ?? []).compactMap(\.integer)
        .filter { (400...599).contains($0) && $0 != 401 }
      let hasMore = filter["predicate"] != nil || filter["error_message_contains"] != nil
      guard filter["action"]?.text == "IGNORE", !codes.isEmpty, !hasMore else { continue }
      let list = codes.prefix(20).map(String.init).joined(separator: ", ")
      let rule = "{ status: [\(list)], then: \"skip\" }"
      if !stream.errors.contains(rule) { stream.errors.append(rule) }
    }
  }
}
