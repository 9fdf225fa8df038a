public import Base
internal import Jobs

extension APIDescription {
  /// The job file for a description. It seldom says how its lists are paged: the names of
  /// parameters are only hints.
  public func draft(jobName: String, date: String) -> String {
    var draft = DescriptionText(description: self, jobName: jobName, date: date)
    return draft.text()
  }

  /// The address of a list that needs no values, with a page size.
  public func address(of list: List) -> WebAddress? {
    let size = DescriptionText.size(list)
    let needed = list.parameters.filter {
      $0.isRequired && $0.place == .query && $0.name != size?.name
    }
    guard !list.path.utf8.contains(UInt8(ascii: "{")), needed.allSatisfy({ $0.value != nil }),
      let bare = try? WebAddress(server + list.path)  // else nothing can be requested
    else { return nil }
    let address = needed.reduce(bare) { $0.adding($1.name, $1.value ?? "") }
    return size.map { address.adding($0.name, String(max(1, min($0.most ?? 5, 5)))) } ?? address
  }

  /// Header fields that its requests need, such as an API version; not keys, nor fields that Trawl sets itself.
  public func fields(of list: List) -> [HeaderField] {
    list.parameters.compactMap { parameter in
      let name = ParameterWords.plain(parameter.name)
      guard parameter.place == .header, parameter.isRequired, let value = parameter.value,
        Self.fieldWords.contains(where: name.hasSuffix)
      else { return nil }
      return HeaderField(parameter.name, value)
    }
  }

  private static let fieldWords = ["version", "revision", "format", "language", "locale", "schema"]
}

private struct DescriptionText {
  let description: APIDescription
  let jobName: String
  let date: String
  var parameters: [(name: String, line: String)] = []
  /// The names of its streams.
  var taken: Set<String> = []
  var tables: Set<String> = []

  private static let othersMax = 30

  static func size(_ list: APIDescription.List) -> APIDescription.Parameter? {
    list.parameters.first { $0.place == .query && ParameterWords.isSize($0.name) }
  }

  mutating func text() -> String {
    var out = DraftLines()
    var streams = DraftLines()
    for list in description.lists { write(list, &streams) }
    let look =
      description.isOfOnePath
      ? "trawl new ADDRESS, with all values that it needs,"
      : "trawl new \(description.title) --path PATH"
    out.comment(
      "Drafted by trawl new from \(description.title) on \(date), without a request. A description says what"
        + " answers look like; how a list is paged, where it ends, and what its total counts are for a person to"
        + " say: \(look) looks at page 2. Until then kind: \"search\" keeps"
        + " each list unproven.", 0)
    if description.listsLeft > 0 {
      out.comment(
        "\(Wording.count(description.listsLeft, "more path")) that list are left out: trawl new"
          + " \(description.title) --path PATH drafts one.", 0)
    }
    out.line("{")
    out.line("  name: \(JobText.quoted(jobName)),")
    let isBase = description.server.hasPrefix("https://") || description.server.hasPrefix("http://")
    if !isBase { out.comment("The description names no host: say here where the API lives.", 2) }
    // A relative address is the path on the host that the description came from.
    let path = description.server.hasPrefix("/") ? description.server : ""
    let base = isBase ? description.server : "https://api.example.com" + path
    out.line("  base: \(JobText.quoted(base)),")
    auth(&out)
    if !parameters.isEmpty {
      out.line("  params: {")
      for one in parameters { out.line("    \(one.line)") }
      out.line("  },")
    }
    out.courtesy("The limits of your plan belong here; one request a second is polite.")
    out.line("  streams: {")
    out.append(streams)
    out.line("  },")
    out.line("}")
    return out.text
  }

  private func auth(_ out: inout DraftLines) {
    if let remark = description.securityRemark { out.comment("Not drafted: \(remark).", 2) }
    guard let place = description.place else { return }
    if case .basic = place {
      out.comment("Say whose name goes with it, where the key is the password: user.", 2)
    }
    out.line("  auth: \(JobText.auth(place, secret: "\(jobName)-key")),")
  }

  private mutating func write(_ list: APIDescription.List, _ out: inout DraftLines) {
    let words = list.path.split(separator: "/").filter { !$0.hasPrefix("{") }
    let name = PlainName.unique(
      DraftNames.plain(words.last.map { String($0.prefix { $0 != "." }) } ?? "list", else: "list"),
      &taken)
    if !list.about.isEmpty { out.comment(list.about, 4) }
    out.line("    \(name): {")
    var path = ""
    for part in list.path.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      guard part.offset > 0, let end = part.element.firstIndex(of: "}") else {
        path += part.element
        continue
      }
      let own = list.parameters.first { $0.place == .path && $0.name == part.element[..<end] }
      path +=
        "{\(parameter(String(part.element[..<end]), own))}"
        + part.element[part.element.index(after: end)...]
    }
    out.line("      get: \(JobText.quoted(path)),")
    query(list, &out)
    out.line("      kind: \"search\",")
    hints(list, &out)
    out.line("      pages: { by: \"single\" },")
    out.line("      records: \(JobText.quoted(JSONPath.text(of: list.records))),")
    let table = DraftNames.table(name, of: jobName, &tables)
    if table != name { out.line("      into: \(JobText.quoted(table)),") }
    columns(list, &out)
    out.line("    },")
  }

  private mutating func parameter(_ wished: String, _ own: APIDescription.Parameter?) -> String {
    var name = DraftNames.plain(wished, else: "value")
    if ["host", "from", "to"].contains(name) { name = "my_\(name)" }
    if !parameters.contains(where: { $0.name == name }) {
      let value = own?.value.map { "default: \(JobText.quoted($0.harmless(upTo: 200))), " } ?? ""
      parameters.append(
        (name, "\(name): { \(value)about: \(JobText.quoted(own?.about ?? wished)) },"))
    }
    return name
  }

  private mutating func query(_ list: APIDescription.List, _ out: inout DraftLines) {
    let asked = list.parameters.filter { $0.place == .query }
    let needed = asked.filter { $0.isRequired && RequestText.isName($0.name) }
    out.texts("query", needed.map { ($0.name, ["{\(parameter($0.name, $0))}"]) }, 6)
    let fields = description.fields(of: list)
    out.texts("headers", fields.map { ($0.name, [JobText.braced($0.value)]) }, 6)
    for field in list.parameters where field.place == .header && field.isRequired {
      if fields.contains(where: { $0.name == field.name }) { continue }
      out.comment(
        "It is also to send the header field \(field.name.shown): headers, or auth for a key.", 6)
    }
    let others = asked.filter { !$0.isRequired }.map(\.name.shown)
    if !others.isEmpty {
      let rest = others.count > Self.othersMax ? " and \(others.count - Self.othersMax) more" : ""
      // cut: the comment says how many more
      let names = others.prefix(Self.othersMax).joined(separator: ", ")
      out.comment("It may also be asked by: \(names)\(rest).", 6)
    }
  }

  /// Only parameter names hint at paging here.
  private func hints(_ list: APIDescription.List, _ out: inout DraftLines) {
    let all = list.parameters.filter { $0.place == .query }.map(\.name)
    let range = ParameterWords.range(in: all)
    let names = all.filter { $0 != range?.from }
    func first(_ words: some Sequence<String>) -> String? {
      let all = Set(words)
      return names.first { all.contains(ParameterWords.plain($0)) }
    }
    let size =
      Self.size(list).map {
        ", " + JobText.size($0.name, max(1, min($0.most ?? 100, 100_000)))
      } ?? ""
    var hint: String?
    if let name = first(ParameterWords.page) {
      let page = list.parameters.first { $0.place == .query && $0.name == name }
      // A minimum of 0 alone is no sign: many parameters that may be 0 begin with 1.
      let isFromZero = page?.value == "0"
      hint =
        "{ by: \"number\", to: \(JobText.parameter(name))\(isFromZero ? ", first: 0" : "")\(size) }"
    } else if let name = first(ParameterWords.offset) {
      hint = "{ by: \"offset\", to: \(JobText.parameter(name))\(size) }"
    } else if let name = first(ParameterWords.place.union(["after", "marker"])) {
      hint = "{ by: \"token\", to: \(JobText.parameter(name)), next: \"...\"\(size) }"
    }
    if let range {
      let ends = "\(range.from.shown) and \(range.to.shown)"
      out.comment("Perhaps \(ends) are the ends of a range of time: window.", 6)
    }
    if let hint {
      out.comment("Perhaps it is paged like this, and one answer is not all:", 6)
      out.line("      // pages: \(hint),")
    } else {
      out.comment("No parameter speaks of pages: one answer is taken for all.", 6)
    }
  }

  private func columns(_ list: APIDescription.List, _ out: inout DraftLines) {
    var taken: Set<String> = []
    var lines: [String] = []
    var key = ""
    for column in list.columns {
      let name = PlainName.unique(DraftNames.plain(column.path[0], else: "column"), &taken)
      var type = column.type
      if column.path[0] == list.key {
        key = name
        if type == "real" { type = "integer" }
        if type == "json" || type == "boolean" { type = nil }
      }
      lines.append("\(JobText.column(name, column.path, type: type)),")
    }
    if key.isEmpty {
      key = PlainName.unique("digest", &taken)
      lines.insert(key == "digest" ? "\"digest()\"," : "{ \(key): \"digest()\" },", at: 0)
      if lines.count == 1 {
        lines.append("\(JobText.column(PlainName.unique("record", &taken), [], type: "json")),")
      }
    }
    out.comment("The key is a guess: what tells one record from all others?", 6)
    if key != "id" { out.line("      key: [\(JobText.quoted(key))],") }
    if list.left > 0 {
      let have = list.left == 1 ? "has" : "have"
      out.comment("\(Wording.count(list.left, "more member")) of its records \(have) no column.", 6)
    }
    out.line("      columns: [")
    for line in lines { out.line("        \(line)") }
    out.line("      ],")
  }
}
