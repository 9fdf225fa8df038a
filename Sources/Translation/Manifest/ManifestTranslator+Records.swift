internal import Base
internal import Drafting

/// Where the records are, and their key.
extension ManifestTranslator {
  func readPlace(_ selector: YAMLNode?, _ stream: inout ManifestStream) throws(DraftProblem) {
    let extractor = selector?["extractor"]
    try checkDecoder(extractor?["decoder"])
    if selector?["schema_normalization"]?.members != nil {
      throw DraftProblem("records: values that are changed by code of its own")
    }
    guard extractor?["type"]?.text ?? "DpathExtractor" == "DpathExtractor" else {
      throw DraftProblem("records: code of its own")
    }
    var path: [String] = []
    for step in extractor?["field_path"]?.entries ?? [] {
      let pieces = ManifestText.pieces(step.text ?? "", extractor?["$parameters"])
      guard pieces.count <= 1, pieces.allSatisfy({ $0.text != nil })
      else { throw DraftProblem("records: a place that is computed") }
      if let text = pieces.first?.text {
        guard text == "*" || text != "**" && JSONPath.isSayable(text) else {
          throw DraftProblem("records: a place that no path can say")
        }
        path.append(text)
      }
    }
    stream.records = Self.path(path)
  }

  mutating func readRecords(
    _ node: YAMLNode, _ selector: YAMLNode?, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    if stream.records == ".", stream.pager == "single" {
      stream.remark(
        .records, "The manifest takes the answer itself: a list of records, or one record.")
    }
    let isFilteredLast = selector?["transform_before_filtering"]?.boolean == true
    if !isFilteredLast { stream.replaced = Self.replaced(node) }
    readFilter(selector?["record_filter", "condition"]?.text, &stream)
    if isFilteredLast, stream.keep != nil, node["transformations"]?.entries?.isEmpty == false {
      stream.lose(.records, "records: a filter of what was changed before")
    }
    readAdded(node, &stream)
    readKey(node, &stream)
    try checkLast(&stream)
    checkTime(&stream)
  }

  /// Makes the window's column a time, even if the manifest adds it.
  private func checkTime(_ stream: inout ManifestStream) {
    guard let name = stream.time?.column,
      let at = stream.columns.firstIndex(where: { $0.name == name })
    else { return dropTime(&stream) }
    // An increasing key is not a time.
    if stream.columns[at].isObject || stream.key.contains(name) {
      dropTime(&stream)
    } else if !stream.columns[at].source.holds(" as time") {
      stream.columns[at].source =
        JSONPath.text(of: stream.columns[at].path) + " as time in UTC"
    }
  }

  private func dropTime(_ stream: inout ManifestStream) {
    stream.time = nil
    if let span = stream.lookback, span != "0s", !stream.window.isEmpty {
      stream.lose(.window, "time: that each read goes back \(span): no column holds the time")
    }
  }

  static func path(_ steps: [String]) -> String {
    guard !steps.isEmpty else { return "." }
    return steps.map { $0 == "*" ? "*" : JSONPath.text(of: [$0]) }.joined(separator: ".")
  }

  // MARK: added fields

  /// The members that `AddFields` writes.
  private static func replaced(_ node: YAMLNode) -> Set<String> {
    var names: Set<String> = []
    for change in node["transformations"]?.entries ?? []
    where change["type"]?.text == "AddFields" && (change["condition"]?.text ?? "").isEmpty {
      for field in change["fields"]?.entries ?? [] {
        if let path = field["path"]?.texts, path.count == 1 { names.insert(path[0]) }
      }
    }
    return names
  }

  private mutating func readAdded(_ node: YAMLNode, _ stream: inout ManifestStream) {
    for change in node["transformations"]?.entries ?? [] {
      let type = change["type"]?.text ?? ""
      if let condition = change["condition"]?.text, !condition.isEmpty {
        stream.lose(
          .columns, "records: \(type.shown) with a condition (\(condition.onOneLine(upTo: 60)))")
        for field in change["fields"]?.entries ?? [] {
          stream.computed.insert((field["path"]?.texts ?? []).joined(separator: "."))
        }
        change.settle()
        continue
      }
      switch type {
      case "AddFields":
        for field in change["fields"]?.entries ?? [] {
          let path = field["path"]?.texts ?? []
          if !add(path, field, change["$parameters"], &stream) {
            stream.computed.insert(path.joined(separator: "."))
            let value = field["value"]?.text ?? ""
            stream.lose(
              .columns,
              "records: the added \(path.joined(separator: ".").shown)"
                + " (\(value.onOneLine(upTo: 60)))")
          }
        }
      case "RemoveFields":
        for pointer in Self.keys(change["field_pointers"])
        where pointer.count > 1 || pointer.contains(where: { $0.holds("*") || $0.holds("{{") }) {
          stream.lose(.columns, "records: without \(pointer.joined(separator: ".").shown)")
        }
      default: break
      }
    }
  }

  /// False if no column can express it.
  private mutating func add(
    _ path: [String], _ field: YAMLNode, _ parameters: YAMLNode?, _ stream: inout ManifestStream
  ) -> Bool {
    guard path.count == 1, !path[0].holds("{{"), let text = field["value"]?.text else {
      return false
    }
    let pieces = ManifestText.pieces(text, parameters)
    let type = field["value_type"]?.text
    var taken = Set(stream.columns.filter { $0.path != path }.map(\.name))
    let name = PlainName.unique(DraftNames.plain(path[0], else: "added"), &taken)
    var column = ManifestStream.Column(name: name, source: "", isObject: true, path: path)
    let parts = JinjaTemplate.parts(text)
    switch pieces.first {
    case .slice?, .outerSlice?, .extra?:
      guard pieces.count == 1, type ?? "string" == "string",
        let hole = try? hole(pieces[0], &stream)  // a value that no request has is no column
      else { return false }
      column.source = JobText.quoted("{\(hole)}")
    case .text(let value)? where parts == [.text(value)] && type ?? "string" == "string":
      column.source = JobText.quoted("'\(JobText.braced(value))'")
    default:
      guard parts.count == 1, case .expression(_, let found?) = parts[0],
        let source = Self.place(found), let ending = Self.types[type ?? ""]
      else { return false }
      column.source = JSONPath.text(of: source) + ending
      column.isObject = false
      column.path = source
    }
    stream.columns.removeAll { $0.name == name }
    stream.columns.append(column)
    stream.addedPaths[path[0]] = name
    return true
  }

  private static let types = [
    "": "", "string": "", "integer": " as integer", "number": " as real", "boolean": " as boolean",
  ]

  // MARK: keys

  private mutating func readKey(_ node: YAMLNode, _ stream: inout ManifestStream) {
    let keys = Self.keys(node["primary_key"])
    let isComputed = keys.contains { path in
      stream.computed.contains(path.joined(separator: ".")) || path.contains { $0.holds("{{") }
    }
    if !keys.isEmpty, keys.count <= 8, !isComputed {
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
      if Set(stream.key).count == stream.key.count { return }
      stream = before
    }
    if keys.isEmpty {
      stream.remark(.records, "The manifest names no key: equal records are one.")
    } else {
      stream.lose(.records, "records: their key, which is computed or too long")
    }
    var taken = Set(stream.columns.map(\.name))
    let digest = PlainName.unique("digest", &taken)
    stream.columns.append(.init(name: digest, source: "\"digest()\"", isObject: true))
    stream.key = [digest]
    if let hole = stream.feed?.column {
      stream.key.insert(stream.column(holding: hole, as: "of_\(hole)"), at: 0)
    }
  }

  /// Key columns must be text or integers.
  private static func keyed(_ source: String) -> String {
    for type in [" as real", " as json", " as boolean"] where source.hasSuffix(type) {
      return String(source.dropLast(type.count)) + (type == " as real" ? " as integer" : "")
    }
    return source
  }

  static func keys(_ node: YAMLNode?) -> [[String]] {
    guard let node else { return [] }
    if let text = node.text { return text.isEmpty ? [] : [[text]] }
    return (node.entries ?? []).map { entry in
      (entry.entries ?? [entry]).compactMap(\.text)
    }.filter { !$0.isEmpty }
  }

  /// Paging by the last record needs a unique member.
  private func checkLast(_ stream: inout ManifestStream) throws(DraftProblem) {
    guard let path = stream.lastPath, let column = stream.columns.first(where: { $0.path == path })
    else { return }
    if stream.key == [column.name] { return }
    if column.source.holds(" as time") || column.source.hasSuffix(" as date") { return }
    throw DraftProblem("paging: by a member of the last record that is not a key")
  }

  // MARK: filters

  private func readFilter(_ text: String?, _ stream: inout ManifestStream) {
    guard let text, !text.isEmpty else { return }
    let parts = JinjaTemplate.parts(text)
    if parts.count == 1, case .expression(_, let found?) = parts[0] {
      // The store itself knows what is new.
      if Self.isOfTime(found) {
        return stream.remark(
          .records, "The manifest drops what is older than what it knows; here all is kept.")
      }
      if found == .name("record") { return }
      var tried = stream
      if let sql = Self.keep(found, &tried) {
        stream = tried
        stream.keep = sql
        return
      }
    }
    stream.lose(.records, "records: a filter (\(text.onOneLine(upTo: 60)))")
  }

  /// Whether it only compares a record's time with the state of the stream.
  private static func isOfTime(_ condition: Jinja) -> Bool {
    switch condition {
    case .binary("and", let left, let right): return isOfTime(left) && isOfTime(right)
    case .binary(let sign, let left, let right) where ["<", ">", "<=", ">="].contains(sign):
      let (one, other) = sign.hasPrefix("<") ? (right, left) : (left, right)
      let (record, bound) = (one.names, other.names)
      return record.contains("record") && record.isDisjoint(with: ["config", "parameters"])
        && !bound.isDisjoint(with: ["stream_interval", "stream_state"])
        && bound.isDisjoint(with: ["config", "record", "parameters"])
    default: return false
    }
  }

  /// `record.state == 'open'` as SQL.
  private static func keep(_ condition: Jinja, _ stream: inout ManifestStream) -> String? {
    switch condition {
    case .binary(let word, let left, let right) where word == "and" || word == "or":
      guard let one = keep(left, &stream), let other = keep(right, &stream) else { return nil }
      return "(\(one)) \(word.uppercased()) (\(other))"
    case .binary(let sign, let left, .text(let text)) where sign == "==" || sign == "!=":
      guard let name = column(left, like: [text], &stream) else { return nil }
      return sign == "==" ? "\(name) = '\(text)'" : "\(name) IS NULL OR \(name) <> '\(text)'"
    case .binary("in", let left, .list(let values)):
      let texts = values.compactMap { if case .text(let text) = $0 { text } else { nil } }
      guard texts.count == values.count, let name = column(left, like: texts, &stream) else {
        return nil
      }
      return "\(name) IN (\(texts.map { "'\($0)'" }.joined(separator: ", ")))"
    case .unary("not", let inner):
      // What is false depends on the type.
      guard let path = place(inner), let type = type(path, stream) else { return nil }
      let name = stream.column(filteredAt: path)
      switch type {
      case "string": return "\(name) IS NULL OR \(name) = ''"
      case "boolean", "integer", "number": return "coalesce(\(name), 0) = 0"
      default: return nil
      }
    case .binary("is not", .call(.member(let inner, "get"), let words), .name(let none))
    where none.lowercased() == "none":
      return place(.call(.member(inner, "get"), words)).map {
        "\(stream.column(filteredAt: $0)) IS NOT NULL"
      }
    default: return nil
    }
  }

  /// The column of a text that can equal these, and is never another type.
  private static func column(
    _ expression: Jinja, like texts: [String], _ stream: inout ManifestStream
  ) -> String? {
    guard let path = place(expression) else { return nil }
    let type = type(path, stream)
    let isSure = texts.allSatisfy { text in
      !text.holds("'")
        && (type == "string"
          || type == nil && text.utf8.contains { $0 > 64 }
            && !["true", "false", "null"].contains(text))
    }
    return isSure ? stream.column(filteredAt: path) : nil
  }

  private static func type(_ path: [String], _ stream: ManifestStream) -> String? {
    guard let column = stream.columns.first(where: { $0.path == path && !$0.isObject }) else {
      return nil
    }
    // The window's column is stored as a time.
    return stream.time?.column == column.name ? "time" : column.type
  }

  /// A place in the record.
  private static func place(_ expression: Jinja) -> [String]? {
    let steps = ManifestText.steps(expression, in: "record")
    return steps?.allSatisfy(JSONPath.isSayable) == true ? steps : nil
  }

  // MARK: errors

  /// Reads statuses that mean: no such list.
  func readErrors(_ handler: YAMLNode?, _ stream: inout ManifestStream) {
    let handlers = handler.map { $0["error_handlers"]?.entries ?? [$0] } ?? []
    for filter in handlers.flatMap({ $0["response_filters"]?.entries ?? [] }) {
      let codes = (filter["http_codes"]?.entries ?? []).map { $0.integer ?? 0 }
      let isOfBody = filter["predicate"] != nil || filter["error_message_contains"] != nil
      let action = filter["action"]?.text ?? "FAIL"
      let isOfErrors = !codes.isEmpty && codes.allSatisfy { (400...599).contains($0) }
      // A run stops at errors, or retries, by itself.
      if isOfErrors, ["FAIL", "RETRY", "RATE_LIMITED"].contains(action) { continue }
      guard action == "IGNORE", isOfErrors, !isOfBody, !codes.contains(401), codes.count <= 20
      else {
        let shown = codes.map(String.init).joined(separator: ", ").onOneLine(upTo: 60)
        stream.lose(
          .request, "errors: \(action.shown) of \(isOfBody ? "what an answer says" : shown)")
        continue
      }
      let list = codes.map(String.init).joined(separator: ", ")
      let rule = "{ status: [\(list)], then: \"skip\" }"
      if !stream.errors.contains(rule) { stream.errors.append(rule) }
    }
  }
}
