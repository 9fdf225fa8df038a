internal import Base

/// Reads how a list is paged, after its shape was checked.
struct PagesReader {
  /// The stream.
  let node: JSON5Node
  let columns: [Column]
  let key: [String]
  let complaints: Complaints

  func pager() -> Pager? {
    guard let pages = node["pages"], let kind = pages["by"]?.string else { return nil }
    check(pages, kind)
    let parameter = pages.text("param", .queryName) ?? pages.path("in")?.text
    switch kind {
    case "number":
      return parameter.map { .number(parameter: $0, first: pages.wholeNumber("first") ?? 1) }
    case "offset": return parameter.map { .offset(parameter: $0) }
    case "token":
      return next(pages).map { .chain(tokens(NextPage($0, parameter: parameter), pages)) }
    case "after":
      return lastRecord(pages).map {
        .chain(tokens(NextPage(.record($0), parameter: parameter), pages))
      }
    case "link": return .chain(tokens(NextPage(.link), pages))
    case "url": return next(pages).map { .chain(tokens(NextPage($0), pages)) }
    default: return .single
    }
  }

  func read(into stream: inout Stream) {
    guard let pages = node["pages"] else { return }
    stream.hasOnePage = pages["by"]?.string == "single"
    stream.isPositionInBody = pages["in"] != nil
    if let size = pages["size"], let value = size.wholeNumber("value") {
      let place = size.path("in")?.text
      stream.size = PageSize(parameter: size.text("param", .queryName) ?? place, value: value)
      stream.size?.isInBody = place != nil
    }
    stream.more =
      pages["more"]?.members == nil ? pages.paths("more") : pages["more"]?.paths("at") ?? []
    stream.moreIs = pages["more"]?["is"]?.boolean ?? true
    stream.tokenLife = pages.duration("life") ?? .seconds(3_600)
    if let last = pages["last"], last.members != nil {
      complaints.expectOne(of: ["at", "header"], in: last, "last")
      stream.lastPage =
        last.text("header", .headerName).map { .header($0) } ?? .body(last.paths("at"))
    }
  }

  // MARK: the next page

  private func next(_ pages: JSON5Node) -> NextPage.Place? {
    guard let next = pages["next"] else { return nil }
    guard next.members != nil else { return pages.path("next").map { .body($0) } }
    complaints.expectOne(of: ["header", "each", "among"], in: next, "next")
    for key in ["where", "is", "take"] where (next[key] != nil) != (next["among"] != nil) {
      complaints.add(
        next[key] ?? next,
        next[key] == nil
          ? "a link that is chosen needs \"\(key)\": { among: \"links\", where: \"rel\", is: \"next\","
            + " take: \"href\" }" : "\"\(key)\" chooses a link; it goes with \"among\"")
    }
    if let header = next.text("header", .headerName) { return .header(header) }
    if let state = next.path("each") { return .state(state) }
    guard let among = next.path("among"), let test = next.path("where"),
      let target = next.path("take"), let value = next["is"]?.string
    else { return nil }
    return .chosen(ChosenLink(among: among, test: test, value: value, target: target))
  }

  /// The first token, and tokens that mean the end.
  private func tokens(_ page: NextPage, _ pages: JSON5Node) -> NextPage {
    var page = page
    page.first = pages["first"]?.scalarText
    page.ends = pages["ends"]?.scalarTexts ?? []
    page.endsByRepeat = pages["repeats"] != nil
    page.endsEmpty = pages["empty"] != nil
    return page
  }

  private func lastRecord(_ pages: JSON5Node) -> LastRecord? {
    guard let place = pages["last"], let name = place.string else { return nil }
    guard let column = columns.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      complaints.add(
        place,
        "last: there is no column \"\(name.shown)\""
          + Suggestion.clauseOrList(for: name, in: columns.map(\.name)))
      return nil
    }
    guard case .paths(let paths) = column.source else {
      complaints.add(place, "last: the column \(name) is not read from the record")
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
        "last: several records may have one value of \(name), and those at a page's edge are lost;"
          + " name the one column of the key, or a time")
    }
    var last = LastRecord(paths, isUnique: isUnique)
    last.isNumber = column.kind == .integer
    return last
  }

  // MARK: what goes together

  private func check(_ pages: JSON5Node, _ kind: String) {
    guard let (_, needed, allowed) = PagesShape.kinds.first(where: { $0.word == kind }) else {
      return
    }
    for key in needed where pages[key] == nil && (key != "param" || pages["in"] == nil) {
      complaints.add(pages, "paging by \(kind) needs \"\(key)\"")
    }
    for place in [pages, pages["size"]].compactMap({ $0 }) { checkPlace(place) }
    let general = kind == "single" ? ["size"] : ["size", "more"]
    for member in pages.firstMembers
    where member.key != "by" && !(needed + allowed + general).contains(member.key)
      && PagesShape.pages.key(member.key) != nil
    {
      complaints.add(member.value, "\"\(member.key)\" does not go with paging by \(kind)")
    }
    checkTokens(pages, kind)
    checkLast(pages, kind)
    checkSetTwice(pages)
  }

  private func checkTokens(_ pages: JSON5Node, _ kind: String) {
    if kind == "number", pages["first"]?.string != nil {
      complaints.add(pages["first"], "the first of numbered pages is 0 or 1")
    }
    if let first = pages["first"], let end = pages["ends"]?.scalarTexts,
      let token = first.scalarText, end.containsBytes(token)
    {
      complaints.add(first, "\"\(token.shown)\" cannot be the first token and mean the end")
    }
    let isState = pages["next"]?["each"] != nil
    let place = pages["param"] ?? pages["in"]
    if kind == "token", pages["next"] != nil, (place == nil) != isState {
      complaints.add(
        place ?? pages,
        isState
          ? "\"each\" names the parameters itself; take \"\(pages["param"] == nil ? "in" : "param")\" away"
          : "paging by token needs \"param\"")
    }
    guard isState else { return }
    for key in ["first", "ends", "repeats"] where pages[key] != nil {
      complaints.add(pages[key], "\"\(key)\" is of one token; it does not go with \"each\"")
    }
    if kind == "url" {
      complaints.add(pages["next"], "\"each\" names parameters; it goes with paging by token")
    }
  }

  /// What stands in the body of a POST.
  private func checkPlace(_ node: JSON5Node) {
    guard let place = node["in"] else { return }
    if node["param"] != nil {
      complaints.add(
        place, "\"in\" is a place in the body, \"param\" one in the query; one of the two")
    }
    if self.node["body"] == nil, self.node["form"] == nil {
      complaints.add(place, "\"in\" is a place in a body: it needs \"post\"")
    }
    if node.path("in").map({ $0.hasWildcard || $0.isEmpty }) ?? false {
      complaints.add(place, "\"in\" is one place in the body")
    }
  }

  private func checkLast(_ pages: JSON5Node, _ kind: String) {
    guard let last = pages["last"] else { return }
    if kind == "after", last.members != nil {
      complaints.add(last, "last: by after it is a column of the record: last: \"id\"")
    } else if kind != "after", last.string != nil {
      complaints.add(
        last,
        "last: of paging by \(kind) it says where an answer names the last page:"
          + " { at: … } or { header: … }")
    }
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
}
