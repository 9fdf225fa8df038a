internal import JSON
internal import Model

/// How a stream is paged, where it ends, how it is cut by time.
extension StreamReader {
  func pager() -> Pager? {
    guard let pages = node["pages"], let kind = pages["by"]?.string else { return nil }
    let parameter = pages.text("param", .queryName)
    let next = pages.path("next")
    switch kind {
    case "number":
      return parameter.map { .number(parameter: $0, first: pages.wholeNumber("first") ?? 1) }
    case "offset": return parameter.map { .offset(parameter: $0) }
    case "token":
      let place = pages.text("header", .headerName).map { NextPage.Place.header($0) }
      guard let parameter, let place = place ?? next.map({ .body($0) }) else { return nil }
      return .chain(tokens(NextPage(place, parameter: parameter), pages))
    case "link": return .link
    case "url": return next.map { .address(next: $0) }
    default: return .single
    }
  }

  /// What a token is where it is none of the answers' making, or means that there is none.
  private func tokens(_ page: NextPage, _ pages: JSON5Node) -> NextPage {
    var page = page
    page.first = pages["first"]?.scalarText
    page.ends = pages["ends"]?.scalarTexts ?? []
    page.endsByRepeat = pages["repeats"] != nil
    return page
  }

  /// Which keys go with which kind of paging.
  func checkPages() {
    guard let pages = node["pages"], let kind = pages["by"]?.string else { return }
    let needed: [String: [String]] = [
      "number": ["param"], "offset": ["param", "size"], "token": ["param"],
      "link": [], "url": ["next"], "single": [],
    ]
    let allowed: [String: [String]] = [
      "number": ["param", "first", "size", "more"], "offset": ["param", "size", "more"],
      "token": ["param", "first", "next", "header", "size", "more", "ends", "repeats", "life"],
      "link": ["size", "more", "life"],
      "url": ["next", "size", "more", "life"], "single": ["size"],
    ]
    for key in needed[kind] ?? [] where pages[key] == nil {
      complaints.add(pages, "paging by \(kind) needs \"\(key)\"")
    }
    if kind == "token", (pages["next"] == nil) == (pages["header"] == nil) {
      complaints.add(
        pages,
        pages["next"] == nil
          ? "paging by token needs \"next\", or \"header\" where the answer's head names it"
          : "\"next\" and \"header\" both name the next token; one of the two must go")
    }
    if kind == "number", pages["first"]?.string != nil {
      complaints.add(pages["first"], "the first of numbered pages is 0 or 1")
    }
    if let first = pages["first"], let end = pages["ends"]?.scalarTexts,
      let token = first.scalarText, end.containsBytes(token)
    {
      complaints.add(first, "\"\(token.shown)\" cannot be the first token and mean the end")
    }
    guard let allowed = allowed[kind] else { return }
    for member in pages.firstMembers
    where member.key != "by" && !allowed.contains(member.key)
      && PagesShape.pages.key(member.key) != nil
    {
      complaints.add(member.value, "\"\(member.key)\" does not go with paging by \(kind)")
    }
    checkSetTwice(pages)
  }

  /// A query parameter that paging or the window sets must not stand under `query` too.
  private func checkSetTwice(_ pages: JSON5Node) {
    let window = node["window"]
    let setters: [(JSON5Node?, String)] = [
      (pages["param"], "pages"), (pages["size"]?["param"], "pages.size"),
      (window?["from"], "window"), (window?["to"], "window"),
    ]
    for (place, setter) in setters {
      guard let name = place?.string, let other = node["query"]?[name] else { continue }
      complaints.add(other, "\"\(name)\" is set by \(setter) already; one of the two must go")
    }
  }

  func readPages(_ stream: inout Stream) {
    guard let pages = node["pages"] else { return }
    stream.hasOnePage = pages["by"]?.string == "single"
    if let size = pages["size"], let parameter = size.text("param", .queryName),
      let value = size.wholeNumber("value")
    {
      stream.size = PageSize(parameter: parameter, value: value)
    }
    stream.more =
      pages["more"]?.members == nil ? pages.paths("more") : pages["more"]?.paths("at") ?? []
    stream.moreIs = pages["more"]?["is"]?.boolean ?? true
    stream.tokenLife = pages.duration("life") ?? .seconds(3_600)
  }

  func readEnds(_ stream: inout Stream) {
    stream.unread = Self.unread(node)
    if let total = node["total"] {
      let paths = total.paths("at")
      let trust = total["trust"]?.string.flatMap(Total.Trust.init(rawValue:))
      if let trust, !paths.isEmpty { stream.total = Total(paths: paths, trust: trust) }
    }
    if let cap = node["cap"], let at = cap.wholeNumber("at") {
      let doubt = cap.wholeNumber("doubt") ?? at
      if doubt > at {
        complaints.add(cap["doubt"], "\"doubt\" is beyond the cap itself (\(at))")
      }
      stream.cap = Cap(at: at, doubt: doubt, expected: cap["expected"]?.string)
    }
    stream.expectation = expectation(stream)
    stream.window = window(stream)
    stream.isConditional = node["conditional"]?.boolean ?? false
    stream.spends = names.spends(node["spends"], complaints)
  }

  /// What the job knows to be no sign of more; of a whole job or of one stream.
  static func unread(_ node: JSON5Node) -> [JSONPath] {
    (node["unread"]?.elements ?? []).compactMap { item in
      item.string.flatMap { try? JSONPath($0) }  // its form was checked
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
    guard let found = source.columns.first(where: { $0.name.utf8.elementsEqual(column.utf8) })
    else {
      complaints.add(
        place,
        "the stream \(name) has no column \"\(column)\""
          + Suggestion.clauseOrList(for: column, in: source.columns.map(\.name)))
      return nil
    }
    if found.kind != .integer {
      complaints.add(
        place, "the column \(column) is no whole number; add \" as integer\" to its path")
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
        "a window needs its beginning: \"from\" names a query parameter, or the query holds"
          + " {from}")
    }
    if node["for"] != nil {
      complaints.add(
        window,
        "a stream that is requested for each record of another has no window: its lists are not known "
          + "to a backfill")
    }
    let on = window.text("on", .sqlName)
    checkTimeColumn(on, window, stream)
    if window.duration("step") == .zero {
      complaints.add(window["step"], "the step must be more than nothing")
    }
    return Window(
      from: window.text("from", .queryName), to: window.text("to", .queryName),
      form: window["form"]?.string.flatMap(Window.Form.init(rawValue:)) ?? .time, column: on,
      overlap: window.duration("overlap") ?? .zero, step: window.duration("step") ?? .seconds(1),
      reach: window.duration("reach"), delay: window.duration("delay") ?? .zero,
      includesEnd: window["end"]?.string != "outside")
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
      complaints.add(
        window["on"],
        "there is no column \"\(name)\""
          + Suggestion.clauseOrList(for: name, in: stream.columns.map(\.name)))
    default:
      complaints.add(window["on"], "the column \(name) is no time; add \" as time\" to its path")
    }
  }
}
