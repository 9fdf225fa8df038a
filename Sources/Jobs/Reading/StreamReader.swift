internal import Base

/// Reads one stream, after the check of its shape.
struct StreamReader {
  let name: String
  let node: JSON5Node
  let names: JobNames
  let complaints: Complaints

  func read() -> StreamDraft? {
    guard node.members != nil else { return nil }
    let feed = feed()
    let place = node["get"] ?? node["post"]
    let request = (node.text("get", .requestPath) ?? node.text("post", .requestPath))
      .flatMap(RequestText.read)
    let query = (request?.query ?? []) + (node["query"]?.queryItems ?? [])
    for item in request?.query ?? [] where node["query"]?[item.name] != nil {
      complaints.add(
        node["query"]?[item.name],
        "\"\(item.name)\" follows the path already; one of the two must go")
    }
    let body = BodyReader(node: node, complaints: complaints).read()
    let holes = checkedHoles(request, at: place, body: body, feed: feed)
    let values = requestValues(holes: holes, feed: feed)
    var columns = ColumnReader(values: values, complaints: complaints).columns(node["columns"])
    let key = (node["key"]?.scalarTexts ?? []).filter { PlainName.problem($0) == nil }
    if node[Defaults.all] != nil {
      for index in columns.indices where key.containsBytes(columns[index].name) {
        columns[index].takeItsNamesake()
      }
    }
    let pages = PagesReader(
      node: node, request: request, columns: columns, key: key, complaints: complaints)
    let pager = pages.pager()
    guard let request, let records = node.path("records"), let table = node.text("into", .sqlName),
      !key.isEmpty, !columns.isEmpty
    else { return nil }

    var stream = Stream(
      name: name, path: request.path, pager: pager ?? .single, records: records, table: table,
      key: key,
      columns: columns)
    stream.takesAll = node[Defaults.all] != nil
    stream.about = node["about"]?.string ?? ""
    stream.was = was()
    stream.query = query
    stream.body = body
    stream.errors = ErrorReader(node: node, quotas: names.quotas, complaints: complaints).read()
    readFields(&stream)
    stream.slashes = request.slashes
    stream.parent = feed
    stream.isSearch = node["kind"]?.string == "search"
    pages.read(into: &stream)
    readEnds(&stream)
    // An undeclared body consists of what pages and windows put there.
    if stream.body == .some(BodyTemplate.none), stream.hasPlacesInBody {
      stream.body = .json(.object([]))
    }
    readFeed(&stream)
    readMeaning(&stream, values: values)
    readOrder(&stream)
    readProving(&stream)
    readTables(&stream, values: values, holes: holes)
    checkFeedUse(stream)
    return StreamDraft(stream: stream, node: node)
  }

  private func readFields(_ stream: inout Stream) {
    for member in node.entries("headers") {
      guard let text = member.value.scalarText, let template = Template(text) else { continue }
      if template.holes.isEmpty {
        stream.fields.append(HeaderField(member.key, template.description))
      } else {
        stream.fieldTexts.append(QueryItem(member.key, template))
      }
    }
  }

  private func was() -> String? {
    guard let was = node.text("was", .name) else { return nil }
    if was.utf8.elementsEqual(name.utf8) {
      complaints.add(
        node["was"], "\"\(was)\" is the stream's name: \"was\" names what it was called before")
    } else if names.stream(was) != nil {
      complaints.add(node["was"], "\"\(was)\" is another stream of the job")
    }
    return was
  }

  // MARK: - Values of the request

  private func feed() -> ParentFeed? {
    guard let node = node["for"], let each = node["each"],
      let (stream, column) = each.string.flatMap(FeedText.each)
    else { return nil }
    let carried = carried(stream, beside: column)
    let batch = node.wholeNumber("batch") ?? 1
    checkSource(of: each, stream, column)
    for value in [column] + carried where names.stream(stream)?.kind(of: value) == .real {
      complaints.add(
        each,
        "{\(value)} is a real number, which has more than one spelling; let its column be text or"
          + " integer"
      )
    }
    if names.parameters.map(\.name).containsBytes(column) {
      complaints.add(
        node,
        "\"\(column)\" is a parameter as well as a column of \(stream): {\(column)} would be both")
    }
    if batch > 1, let first = carried.first {
      complaints.add(
        node["batch"], "{\(first)} is of one record of \(stream); it does not go with \"batch\"")
    }
    return ParentFeed(
      stream: stream, column: column, carries: carried,
      when: node["when"]?.string.flatMap(FeedText.when) ?? .new, batch: batch)
  }

  /// Further columns of the parent's records: those that fill holes of this stream.
  private func carried(_ parent: String, beside column: String) -> [String] {
    let known = names.stream(parent)?.columns ?? []
    let taken = names.parameters.map(\.name) + [column] + Template.own
    var carried: [String] = []
    for hole in holes(of: Self.filled.compactMap { node[$0] })
    where known.containsBytes(hole) && !taken.containsBytes(hole) && !carried.contains(hole) {
      carried.append(hole)
    }
    return carried
  }

  /// The keys with holes for values of the request.
  private static let filled = [
    "get", "post", "query", "body", "form", "headers", "columns", "list", "children", "vanish",
    "listName",
  ]

  private func holes(of nodes: [JSON5Node]) -> [String] {
    nodes.flatMap { node -> [String] in
      if let text = node.string { return Template(text)?.holes ?? [] }
      return holes(of: node.elements ?? (node.members ?? []).map(\.value))
    }.map(TemplateText.bare)
  }

  private func checkSource(of each: JSON5Node, _ stream: String, _ column: String) {
    if stream == ParentFeed.favorites {
      if let first = self.node["key"]?.scalarTexts?.first, first != column {
        complaints.add(
          each, "favorites are kept by the first column of the key; write \"favorites.\(first)\"")
      }
      return
    }
    guard let source = names.stream(stream) else {
      complaints.expect(
        stream, in: names.streams.map(\.name), at: each, "there is no stream \"\(stream)\"")
      return
    }
    if stream == name {
      complaints.add(each, "a stream cannot be requested for each of its own records")
    }
    complaints.expect(
      column, in: source.columns, at: each, "the stream \(stream) has no column \"\(column)\"")
  }

  /// Holes of the request; something must fill each.
  private func checkedHoles(
    _ request: RequestText.Request?, at place: JSON5Node?, body: BodyTemplate?, feed: ParentFeed?
  ) -> [String] {
    // A parameter that is split has no hole of its own.
    var known = names.parameters.flatMap { $0.splits?.holes ?? [$0.name] }
    if let feed { known += names.stream(feed.stream)?.columns ?? [feed.column] }
    if node["window"] != nil { known += ["from", "to"] }
    var used: [String] = []
    func note(_ holes: [String], at place: JSON5Node?) {
      if !isFeedUnsound {
        complaints.expectFilled(
          holes, in: known, at: place, by: "no parameter, parent or window has that name")
      }
      for hole in holes where !used.contains(hole) { used.append(hole) }
    }
    note(request?.holes ?? [], at: place)
    complaints.refuseSecrets(in: request?.query ?? [], at: place)
    for item in node["query"]?.queryItems ?? [] {
      note(item.value.holes, at: node["query"]?[item.name])
    }
    note(body?.holes ?? [], at: node["body"] ?? node["form"])
    for member in node.entries("headers") {
      guard let text = member.value.scalarText.flatMap({ Template($0) }) else { continue }
      note(text.holes, at: member.value)
    }
    for key in ["query", "headers"] { complaints.refuseSecrets(in: node[key], inBody: false) }
    for key in ["body", "form"] { complaints.refuseSecrets(in: node[key], inBody: true) }
    return used
  }

  /// What `param` of a column may name: values of the request, and what the parent carries.
  private func requestValues(holes: [String], feed: ParentFeed?) -> [String] {
    var values = holes.filter { $0 != "from" && $0 != "to" }
    if let feed {
      values = (values + feed.given).eachOnce
      // In a batch it is unknown which of its values returned a record.
      if feed.batch > 1 { values.removeAll { $0 == feed.column } }
    }
    return values
  }

  /// There is an invalid `for`: what it would fill is unknown.
  private var isFeedUnsound: Bool {
    guard let feed = node["for"] else { return false }
    guard let (stream, column) = feed["each"]?.string.flatMap(FeedText.each) else { return true }
    if stream == ParentFeed.favorites { return node["key"]?.scalarTexts?.first != column }
    return names.stream(stream)?.columns.containsBytes(column) != true
  }

  private func checkFeedUse(_ stream: Stream) {
    guard let feed = stream.parent, !isFeedUnsound else { return }
    if !stream.holes.contains(feed.column) {
      complaints.add(
        node["for"]?["each"],
        "the request does not use {\(feed.column)}: every record would ask the same; put it into"
          + " \"get\" or \"query\"")
    }
    if feed.batch > 1, stream.isAskedInBatches, stream.membership == nil,
      stream.answerColumn == nil
    {
      complaints.add(
        node["for"]?["batch"],
        "in a batch each record must name the {\(feed.column)} that it answers, in a column"
          + " \"\(feed.column)\" or as its only key: else nothing shows what is missing")
    }
  }
}
