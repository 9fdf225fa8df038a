internal import Base

/// Where a list ends, and how it is cut by time.
extension StreamReader {
  func readEnds(_ stream: inout Stream) {
    stream.unread = unread
    stream.total = node["total"]?.read(PlaceText.total)
    stream.cap = node.text("cap", .cap).flatMap(CapText.read)
    if let cap = stream.cap, cap.doubt > cap.at {
      complaints.add(node["cap"], "\"doubt\" is beyond the cap itself (\(cap.at))")
    }
    stream.expectation = expectation(stream)
    stream.window = window(stream)
    stream.isConditional = node["conditional"]?.boolean ?? (node["post"] == nil)
    stream.spends = names.spends(node["spends"], complaints)
  }

  /// Signs that the job declares harmless.
  private var unread: [[String]] {
    (node["unread"]?.elements ?? []).flatMap { item -> [[String]] in
      switch item.read(PlaceText.answer) {
      case .header(let name): [["header:\(name.lowercased())"]]
      case .paths(let paths): paths.map(\.steps)
      case nil: []
      }
    }
  }

  private func expectation(_ stream: Stream) -> Expectation? {
    guard let place = node["expect"], let (name, column) = place.string.flatMap(FeedText.each)
    else { return nil }
    guard let parent = stream.parent, let feed = names.stream(parent.stream) else {
      complaints.add(
        place,
        "\"expect\" is a column of the record that the list is requested for; it needs \"for\"")
      return nil
    }
    if stream.pager == .single {
      complaints.add(
        place, "single answers have no length; \"expect\" goes with lists that have pages")
    }
    guard let source = names.stream(name), source.table != nil, source.table == feed.table else {
      complaints.add(
        place,
        "\"expect\" names a column of the stream that the list is requested for: "
          + "\"\(parent.stream).…\"")
      return nil
    }
    guard let kind = source.kind(of: column) else {
      complaints.expect(
        column, in: source.columns, at: place, "the stream \(name) has no column \"\(column)\"")
      return nil
    }
    if kind != .integer {
      complaints.add(
        place, "the column \(column) is not a whole number; add \" as integer\" to its path")
    }
    return Expectation(stream: name, column: column)
  }

  private func window(_ stream: Stream) -> Window? {
    guard let window = node["window"], window.members != nil else { return nil }
    let holes = stream.holes
    for end in ["from", "to"] {
      if window[end] != nil && holes.contains(end) {
        complaints.add(window[end], "the query has {\(end)} already; one of the two must go")
      }
    }
    if window["from"] == nil && !holes.contains("from") {
      complaints.add(
        window,
        "a window needs its beginning: from: \"?NAME\", or {from} in the query")
    }
    if let batch = node["for"]?.wholeNumber("batch"), batch > 1 {
      complaints.add(
        node["for"]?["batch"],
        "a window is of one record's list: it does not go with a \"batch\" of several")
    }
    let ends = ["from", "to"].compactMap { key in
      window[key]?.read(PlaceText.request).map { (node: window[key], place: $0) }
    }
    let inBody = ends.filter(\.place.isInBody)
    for end in inBody { checkPlace(end.node, isAlone: inBody.count < ends.count) }
    let on = window.text("on", .sqlName)
    checkTimeColumn(on, window, stream)
    if window.duration("step") == .zero {
      complaints.add(window["step"], "the step must be more than nothing")
    }
    let form = window["form"]?.string.flatMap(Window.Form.read)
    var rule = Window(
      from: window["from"]?.read(PlaceText.request)?.name,
      to: window["to"]?.read(PlaceText.request)?.name,
      form: form?.form ?? .time, column: on,
      overlap: window.duration("overlap") ?? .zero, step: window.duration("step"),
      reach: window.duration("reach"), delay: window.duration("delay") ?? .zero,
      includesEnd: window["end"]?.string != "outside")
    rule.includesBegin = window["begin"]?.string != "outside"
    rule.isInBody = !inBody.isEmpty
    // Its name was checked.
    rule.zone = form?.zone.flatMap { try? ZoneRules.load($0) }
    return rule
  }

  /// An end of a window in the body needs a POST.
  private func checkPlace(_ end: JSON5Node?, isAlone: Bool) {
    if node["post"] == nil {
      complaints.add(end, "\"body:…\" is a place in a body: it needs \"post\"")
    }
    if isAlone {
      complaints.add(
        end, "the ends of a window go together: both into the query, or both into the body")
    }
  }

  private func checkTimeColumn(_ name: String?, _ window: JSON5Node, _ stream: Stream) {
    guard let name else {
      if window["overlap"] != nil {
        complaints.add(window["overlap"], "an overlap goes back in time; it needs \"on\"")
      }
      return
    }
    switch stream.column(name)?.kind {
    case .time, .date: break
    case nil:
      complaints.expect(
        name, in: stream.columns.map(\.name), at: window["on"], "there is no column \"\(name)\"")
    default:
      complaints.add(window["on"], "the column \(name) is not a time; add \" as time\" to its path")
    }
  }
}
