internal import Base
internal import Drafting

/// How a list is split by time.
extension ManifestTranslator {
  mutating func readWindow(
    _ node: YAMLNode?, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    guard let node, node["type"]?.text == "DatetimeBasedCursor" else {
      if stream.holdsEnds || stream.windowNames.from != nil {
        throw DraftProblem("time: ends of no window")
      }
      return
    }
    if let option = node["start_time_option"] { try take(option, &stream, isStart: true) }
    if let option = node["end_time_option"] { try take(option, &stream, isStart: false) }
    guard stream.windowNames.from != nil || stream.windowNames.to != nil || stream.holdsEnds else {
      if node["is_client_side_incremental"]?.boolean == true,
        Self.bound(node["start_datetime"]) != nil
      {
        stream.lose(.window, "time: that records before start_datetime are dropped")
      }
      Self.settle(node)
      stream.remark(
        .window, "The manifest reads the whole list, and drops what it knows by its time.")
      return
    }
    let start = node["start_datetime"]
    for bound in [start, node["end_datetime"]] { bound?["datetime_format"]?.settle() }
    if let end = Self.bound(node["end_datetime"]), !Self.isNow(end) {
      stream.lose(.window, "time: an end of its own (end_datetime \(end.onOneLine(upTo: 60)))")
    }
    let standard = node["datetime_format"]?.text ?? ""
    let formats = Set(stream.endFormats.map { $0.isEmpty ? standard : $0 })
    let forms = Set(formats.map(Self.form))
    let written = formats.sorted().joined(separator: " and ").harmless(upTo: 60)
    guard forms.count == 1, let form = forms.first ?? nil else {
      throw DraftProblem("time: written as \(written)")
    }
    guard stream.windowNames.from != nil || stream.holdsEnds else {
      if stream.feed == nil { throw DraftProblem("time: an end without a beginning") }
      // An end that is always now means the whole list.
      Self.settle(node)
      return stream.remark(
        .window,
        "The manifest says the end of a time alone (\(stream.windowNames.to ?? "")); here each list is read whole."
      )
    }
    stream.window = [
      stream.windowNames.from.map { "from: \(Self.end($0, stream))" },
      stream.windowNames.to.map { "to: \(Self.end($0, stream))" },
      // Ends within a text need a window, too.
      form == "time" && !stream.holdsEnds ? nil : "form: \(JobText.quoted(form))",
    ].compactMap { $0 }
    readLookback(node["lookback_window"]?.text, &stream)
    readCursor(node, form, &stream)
    if let start = Self.bound(start) {
      stream.lose(
        .window,
        "time: the first read begins at start_datetime (\(start.onOneLine(upTo: 60))); here it names no"
          + " beginning: then read what is older by trawl backfill JOB --from DATE")
    }
    if stream.holdsEnds, stream.windowNames.from == nil {
      stream.remark(.window, "Its requests need both ends: trawl backfill reads it.")
    }
    stream.remark(
      .window,
      "The manifest writes a time as \(written). Whether the API counts the end itself as inside,"
        + " and how late records are listed, it does not say (end, delay).")
  }

  /// Accepts what is irrelevant if each read covers the whole list.
  private static func settle(_ node: YAMLNode) {
    for name in ["cursor_field", "datetime_format", "lookback_window", "start_datetime"] {
      node[name]?.settle()
    }
    node["end_datetime"]?.settle()
  }

  /// A bound's time, as written.
  private static func bound(_ node: YAMLNode?) -> String? {
    node.flatMap { $0.text ?? $0["datetime"]?.text }
  }

  /// `{{ now_utc() }}`, or the day, in any format.
  private static func isNow(_ text: String) -> Bool {
    let parts = JinjaTemplate.parts(text)
    guard parts.count == 1, case .expression(_, var found?) = parts[0] else { return false }
    while true {
      switch found {
      case .call(.name("format_datetime"), let words) where !words.isEmpty: found = words[0]
      case .call(.member(let inner, "strftime"), _), .call(.member(let inner, "isoformat"), _):
        found = inner
      default: return ["now_utc", "today_utc"].contains { found == .call(.name($0), []) }
      }
    }
  }

  private static func end(_ name: String, _ stream: ManifestStream) -> String {
    JobText.parameter(name, inBody: stream.hasEndsInBody)
  }

  private func readCursor(_ node: YAMLNode, _ form: String, _ stream: inout ManifestStream) {
    guard let field = node["cursor_field"]?.text, !field.holds("{{"), !field.isEmpty else { return }
    let path = field.split(separator: ".").map(String.init)
    let at = stream.columns.firstIndex { $0.path == path || $0.path == [field] }
    guard let at else { return }
    let usual = form == "date" || form == "compact" ? "1d" : "1h"
    stream.time = (stream.columns[at].name, overlap: stream.lookback ?? usual)
  }

  private func readLookback(_ text: String?, _ stream: inout ManifestStream) {
    guard let text else { return }
    stream.lookback = ISODuration.text(text)
    if stream.lookback == nil {
      stream.lose(.window, "time: how far each read goes back (\(text.onOneLine(upTo: 60)))")
    }
  }

  private mutating func take(
    _ option: YAMLNode, _ stream: inout ManifestStream, isStart: Bool
  ) throws(DraftProblem) {
    if ["body_json", "body_data"].contains(option["inject_into"]?.text) {
      return try takeInBody(option, &stream, isStart: isStart)
    }
    let named = ManifestText.pieces(option["field_name"]?.text ?? "", option["$parameters"])
    guard option["inject_into"]?.text == "request_parameter",
      case .text(let written)? = named.first, named.count == 1
    else { throw DraftProblem("time: ends in a header field") }
    guard !stream.hasEndsInBody else { throw DraftProblem("time: one end in the body alone") }
    let name = try Self.parameterName(written)
    stream.query.removeAll { $0.name == name }
    stream.sliced.insert(name)
    try note(name, nil, &stream, isStart: isStart)
  }

  private mutating func takeInBody(
    _ option: YAMLNode, _ stream: inout ManifestStream, isStart: Bool
  ) throws(DraftProblem) {
    let path = option.fieldPath
    guard stream.isPost else { throw DraftProblem("time: in a body that goes with GET") }
    guard !path.isEmpty else {
      throw DraftProblem("time: a place in the body that is computed")
    }
    let isFirst = stream.windowNames.from == nil && stream.windowNames.to == nil
    guard isFirst || stream.hasEndsInBody else {
      throw DraftProblem("time: one end in the body alone")
    }
    stream.hasEndsInBody = true
    let name = JSONPath.text(of: path)
    try note(name, nil, &stream, isStart: isStart)
  }

  func note(
    _ name: String, _ format: String?, _ stream: inout ManifestStream, isStart: Bool
  ) throws(DraftProblem) {
    let end: WritableKeyPath<ManifestStream, String?> =
      isStart ? \.windowNames.from : \.windowNames.to
    guard stream[keyPath: end] ?? name == name else { throw DraftProblem("time: one end twice") }
    stream[keyPath: end] = name
    stream.endFormats.insert(format ?? "")
  }

  /// The format of an end, as a word of `form`.
  static func form(_ format: String) -> String? {
    switch format {
    case "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S+00:00",
      "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S+0000", "%Y-%m-%d %H:%M:%SZ", "%Y-%m-%dT%H:%MZ":
      "time"
    case "%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S.%_msZ",
      "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S.%f+00:00", "%Y-%m-%dT%H:%M:%S.000Z":
      "time(3)"
    case "%Y-%m-%d": "date"
    case "%s": "seconds"
    case "%ms", "%epoch_ms": "milliseconds"
    case "%Y-%m-%d %H:%M:%S": "plain in UTC"
    case "%Y%m%d": "compact"
    default: nil
    }
  }
}
