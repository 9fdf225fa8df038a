internal import Base
internal import Drafting

/// How a list is cut by time.
extension ManifestTranslator {
  mutating func readWindow(
    _ node: YAMLNode?, _ requester: YAMLNode, _ stream: inout ManifestStream
  ) throws(Untranslated) {
    guard let node, node["type"]?.text == "DatetimeBasedCursor" else {
      if node != nil { stream.lose(.window, "time: code of its own") }
      if stream.holdsEnds || stream.windowNames.from != nil {
        throw Untranslated("time: ends of no window")
      }
      return
    }
    if let option = node["start_time_option"] { try take(option, &stream, isStart: true) }
    if let option = node["end_time_option"] { try take(option, &stream, isStart: false) }
    guard stream.windowNames.from != nil || stream.windowNames.to != nil || stream.holdsEnds else {
      stream.remark(
        .window, "The manifest reads the whole list, and drops what it knows by its time.")
      return
    }
    let written =
      stream.windowNames.from?.format ?? stream.endsFormat ?? node["datetime_format"]?.text ?? ""
    guard let form = Self.form(written) else {
      throw Untranslated("time: written as \(written.harmless(upTo: 40))")
    }
    guard stream.windowNames.from != nil || stream.holdsEnds else {
      if stream.feed != nil { return leaveEnd(&stream) }
      throw Untranslated("time: an end without a beginning")
    }
    stream.window = [
      stream.windowNames.from.map { "from: \(Self.end($0.name, stream))" },
      stream.windowNames.to.map { "to: \(Self.end($0.name, stream))" },
      form == "time" ? nil : "form: \(JobText.quoted(form))",
    ].compactMap { $0 }
    readCursor(node, form, &stream)
    if stream.holdsEnds, stream.windowNames.from == nil {
      stream.remark(.window, "Its requests need both ends: trawl backfill reads it.")
    }
    stream.remark(
      .window,
      "Whether the API counts the end itself as inside, and how late records are listed, the manifest does not say (end, delay)."
    )
  }

  private static func end(_ name: String, _ stream: ManifestStream) -> String {
    stream.hasEndsInBody ? JobText.quoted("body:" + name) : JobText.parameter(name)
  }

  /// An end that is always now means the whole list.
  private func leaveEnd(_ stream: inout ManifestStream) {
    let name = stream.windowNames.to?.name ?? ""
    stream.remark(
      .window,
      "The manifest says the end of a time alone (\(name)); here each list is read whole.")
  }

  private func readCursor(_ node: YAMLNode, _ form: String, _ stream: inout ManifestStream) {
    guard let field = node["cursor_field"]?.text, !field.holds("{{"), !field.isEmpty else { return }
    let path = field.split(separator: ".").map(String.init)
    let at = stream.columns.firstIndex { $0.path == path || $0.path == [field] }
    guard let at else { return }
    let isDate = form == "date" || form == "compact"
    stream.window.append("on: \(JobText.quoted(stream.columns[at].name))")
    stream.window.append(
      "overlap: \(JobText.quoted(Self.lookback(node) ?? (isDate ? "1d" : "1h")))")
  }

  private static func lookback(_ node: YAMLNode) -> String? {
    guard let text = node["lookback_window"]?.text, text.hasPrefix("P"), text.hasSuffix("D"),
      let days = Int(text.dropFirst().dropLast()), (1...365).contains(days)
    else { return nil }
    return "\(days)d"
  }

  private mutating func take(
    _ option: YAMLNode, _ stream: inout ManifestStream, isStart: Bool
  ) throws(Untranslated) {
    if ["body_json", "body_data"].contains(option["inject_into"]?.text) {
      return try takeInBody(option, &stream, isStart: isStart)
    }
    let named = ManifestText.pieces(option["field_name"]?.text ?? "", option["$parameters"])
    guard option["inject_into"]?.text == "request_parameter",
      case .text(let written)? = named.first, named.count == 1
    else { throw Untranslated("time: ends in a header field") }
    guard !stream.hasEndsInBody else { throw Untranslated("time: one end in the body alone") }
    let name = Self.mended(written)
    guard !name.utf8.contains(where: { "&=#?{}".utf8.contains($0) || $0 <= 32 }) else {
      throw Untranslated("request: a parameter whose name no job can hold")
    }
    stream.query.removeAll { $0.name == name }
    if isStart {
      stream.windowNames.from = (name, nil)
    } else {
      stream.windowNames.to = (name, nil)
    }
  }

  private mutating func takeInBody(
    _ option: YAMLNode, _ stream: inout ManifestStream, isStart: Bool
  ) throws(Untranslated) {
    let path = option.fieldPath
    guard stream.isPost else { throw Untranslated("time: in a body that goes with GET") }
    guard !path.isEmpty, !path.contains(where: { $0.holds("{{") }) else {
      throw Untranslated("time: a place in the body that is computed")
    }
    let isFirst = stream.windowNames.from == nil && stream.windowNames.to == nil
    guard isFirst || stream.hasEndsInBody else {
      throw Untranslated("time: one end in the body alone")
    }
    stream.hasEndsInBody = true
    let name = JSONPath.text(of: path)
    if isStart {
      stream.windowNames.from = (name, nil)
    } else {
      stream.windowNames.to = (name, nil)
    }
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
