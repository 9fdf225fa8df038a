internal import Base

/// Reads how a list is paged, after the check of its shape.
struct PagesReader {
  /// The stream.
  let node: JSON5Node
  let request: RequestText.Request?
  let columns: [Column]
  let key: [String]
  let complaints: Complaints

  func pager() -> Pager? {
    guard let pages = node["pages"], let kind = pages["by"]?.string else { return nil }
    check(pages, kind)
    let parameter = pages["to"]?.read(PlaceText.request)?.name
    let next = pages["next"]?.read(PlaceText.next)
    switch kind {
    case "number":
      return parameter.map {
        .number(parameter: $0, first: pages.wholeNumber("first") ?? (hidesFirst(pages) ? 0 : 1))
      }
    case "offset": return parameter.map { .offset(parameter: $0) }
    case "token":
      return next.map { .chain(tokens(NextPage($0, parameter: parameter), pages)) }
    case "after":
      return lastRecord(pages).map {
        .chain(tokens(NextPage(.record($0), parameter: parameter), pages))
      }
    case "link": return .chain(tokens(NextPage(.link), pages))
    case "url": return next.map { .chain(tokens(NextPage($0), pages)) }
    default: return .single
    }
  }

  func read(into stream: inout Stream) {
    guard let pages = node["pages"] else { return }
    stream.hasOnePage = pages["by"]?.string == "single"
    stream.hidesFirstNumber = pages["by"]?.string == "number" && hidesFirst(pages)
    stream.isPositionInBody = pages["to"]?.read(PlaceText.request)?.isInBody ?? false
    if let (place, value) = size(pages) {
      stream.size = PageSize(parameter: place?.name, value: value)
      stream.size?.isInBody = place?.isInBody ?? false
    }
    if let (paths, more) = pages["more"]?.read(PlaceText.flag) {
      (stream.more, stream.moreIs) = (paths, more)
    }
    stream.tokenLife = pages.duration("life") ?? .seconds(3_600)
    switch pages["lastPage"]?.read(PlaceText.answer) {
    case .header(let name): stream.lastPage = .header(name)
    case .paths(let paths): stream.lastPage = .body(paths)
    case nil: break
    }
  }

  private func hidesFirst(_ pages: JSON5Node) -> Bool { pages["first"]?.string == "none" }

  private func size(_ pages: JSON5Node) -> (place: PlaceText.Request?, value: Int)? {
    if let value = pages.wholeNumber("size") { return (nil, value) }
    return pages["size"]?.read(PlaceText.size).map { ($0.place, $0.value) }
  }

  // MARK: the next page

  private static let repeats = "repeat"
  private static let empty = "empty"

  /// The first token, and tokens that mean the end.
  private func tokens(_ page: NextPage, _ pages: JSON5Node) -> NextPage {
    var page = page
    page.first = pages["first"]?.scalarText
    let stops = pages["stops"]?.scalarTexts ?? []
    page.ends = stops.filter { $0 != Self.repeats && $0 != Self.empty }
    page.endsByRepeat = stops.contains(Self.repeats)
    page.endsEmpty = stops.contains(Self.empty)
    return page
  }

  private func lastRecord(_ pages: JSON5Node) -> LastRecord? {
    guard let place = pages["next"], let name = place.string else { return nil }
    guard let column = columns.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      complaints.expect(
        name, in: columns.map(\.name), at: place, "next: there is no column \"\(name.shown)\"")
      return nil
    }
    guard case .paths(let paths) = column.source else {
      complaints.add(place, "next: the column \(name) is not read from the record")
      return nil
    }
    let own = columns.filter { column in
      if case .paths = column.source { key.containsBytes(column.name) } else { false }
    }
    let isUnique = own.map(\.name) == [name]
    switch column.kind {
    case _ where isUnique, .time, .date: break
    default:
      complaints.add(
        place,
        "next: several records may have one value of \(name), and those at a page's edge are lost;"
          + " name the one column of the key, or a time")
    }
    var last = LastRecord(paths, isUnique: isUnique)
    last.isNumber = column.kind == .integer
    return last
  }

  // MARK: combinations

  private func check(_ pages: JSON5Node, _ kind: String) {
    guard let (_, needed, allowed) = PagesShape.kinds.first(where: { $0.word == kind }) else {
      return
    }
    for key in needed where pages[key] == nil {
      complaints.add(pages, "paging by \(kind) needs \"\(key)\"")
    }
    checkPlaces(pages)
    let general = kind == "single" ? ["size"] : ["size", "more"]
    for member in pages.firstMembers
    where member.key != "by" && !(needed + allowed + general).contains(member.key)
      && PagesShape.pages.key(member.key) != nil
    {
      complaints.add(member.value, "\"\(member.key)\" does not go with paging by \(kind)")
    }
    checkTokens(pages, kind)
    checkSetTwice(pages)
  }

  private func checkTokens(_ pages: JSON5Node, _ kind: String) {
    if kind == "number", pages["first"]?.string != nil, !hidesFirst(pages) {
      complaints.add(pages["first"], "the first of numbered pages is 0, 1 or \"none\"")
    }
    let stops = pages["stops"]?.scalarTexts ?? []
    if let first = pages["first"], let token = first.scalarText, stops.containsBytes(token) {
      complaints.add(first, "\"\(token.shown)\" cannot be the first token and mean the end")
    }
    if kind == "url" || kind == "link", let stops = pages["stops"],
      let other = (stops.elements ?? [stops]).first(where: { $0.scalarText != Self.empty })
    {
      complaints.add(other, "paging by \(kind) has no token; it stops by \"empty\" alone")
    }
    var isState = false
    if case .state? = pages["next"]?.read(PlaceText.next) { isState = true }
    if kind == "token", pages["next"] != nil, (pages["to"] == nil) != isState {
      complaints.add(
        pages["to"] ?? pages,
        isState
          ? "the members of an object name their parameters themselves; take \"to\" away"
          : "paging by token needs \"to\"")
    }
    guard isState else { return }
    if pages["first"] != nil || stops.contains(where: { $0 != Self.empty }) {
      complaints.add(
        pages["first"] ?? pages["stops"],
        "\"\(pages["first"] == nil ? "stops" : "first")\" is of one token; it does not go with the members of an object"
      )
    }
    if kind == "url" {
      complaints.add(
        pages["next"], "the members of an object are parameters; they go with paging by token")
    }
  }

  /// Places in the body need a POST.
  private func checkPlaces(_ pages: JSON5Node) {
    if node["post"] != nil { return }
    let to = pages["to"]?.read(PlaceText.request)
    for (key, place) in [("to", to), ("size", size(pages)?.place)]
    where place?.isInBody ?? false {
      complaints.add(pages[key], "\"body:…\" is a place in a body: it needs \"post\"")
    }
  }

  /// Each query parameter is set once: by paging, size, window, the path or `query`.
  private func checkSetTwice(_ pages: JSON5Node) {
    let window = node["window"]
    let path = node["get"] ?? node["post"]
    let behindPath = request?.query.map(\.name) ?? []
    let setters: [(place: JSON5Node?, set: PlaceText.Request?, who: String)] = [
      (pages["to"], pages["to"]?.read(PlaceText.request), "pages.to"),
      (pages["size"], size(pages)?.place, "pages.size"),
      (window?["from"], window?["from"]?.read(PlaceText.request), "window.from"),
      (window?["to"], window?["to"]?.read(PlaceText.request), "window.to"),
    ]
    for (index, setter) in setters.enumerated() {
      guard let set = setter.set else { continue }
      func complain(_ place: JSON5Node?, _ who: String) {
        complaints.add(place, "\"\(set.name)\" is set by \(who) already; one of the two must go")
      }
      if let earlier = setters[..<index].first(where: { $0.set == set }) {
        complain(setter.place, earlier.who)
      }
      guard case .query(let name) = set else { continue }
      if let other = node["query"]?[name] { complain(other, setter.who) }
      if behindPath.containsBytes(name) { complain(path, setter.who) }
    }
  }
}
