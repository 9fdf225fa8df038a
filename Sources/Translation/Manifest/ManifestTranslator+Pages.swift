internal import Base
internal import Drafting

/// How a list is paged.
extension ManifestTranslator {
  func readPages(_ retriever: YAMLNode, _ stream: inout ManifestStream) throws(DraftProblem) {
    guard let node = retriever["paginator"], node["type"]?.text != "NoPagination" else {
      stream.pager = "single"
      stream.remark(.pages, "The manifest declares no paging: one answer is taken for all.")
      return
    }
    guard let strategy = node["pagination_strategy"] else {
      throw DraftProblem("paging: without a strategy")
    }
    try checkDecoder(node["decoder"])
    let option = node["page_token_option"]
    let isPath = option?["type"]?.text == "RequestPath"
    var place = isPath ? nil : try placed(option, stream)
    if option == nil, let token = stream.tokenName {
      place = "to: \(JobText.parameter(token.name))"
    } else if let token = stream.tokenName, place != "to: \(JobText.parameter(token.name))" {
      throw DraftProblem("paging: a token in two places")
    }
    switch strategy["type"]?.text ?? "" {
    case "PageIncrement": try readNumbers(strategy, place, &stream)
    case "OffsetIncrement":
      strategy["inject_on_first_request"]?.settle()
      guard let place else { throw DraftProblem("paging: an offset that is not sent") }
      (stream.pager, stream.pages) = ("offset", [place])
    case "CursorPagination": try readCursor(strategy, place, isPath: isPath, &stream)
    default: throw DraftProblem("paging: code of its own")
    }
    readSize(node["page_size_option"], strategy, &stream)
    if let first = stream.tokenName?.first, stream.pager == "token" {
      stream.pages.append("first: \(JobText.quoted(first))")
    }
    let isFirstOnly =
      retriever["ignore_stream_slicer_parameters_on_paginated_requests"]?.boolean ?? false
    checkRepeated(isFirstOnly, &stream)
  }

  /// The engine of manifests sends the parameters with each page; a job requests a next URL as the API names it.
  private func checkRepeated(_ isFirstOnly: Bool, _ stream: inout ManifestStream) {
    let ends = [stream.windowNames.from, stream.windowNames.to].compactMap(\.self)
    let sliced = stream.sliced.union(ends)
    var names = Set(stream.query.map(\.name)).union(sliced).subtracting(stream.pathQuery)
    if isFirstOnly { names.subtract(sliced) }
    let shown = (isFirstOnly ? sliced : names).sorted().joined(separator: ", ").onOneLine(upTo: 100)
    if ["url", "link"].contains(stream.pager) {
      if !names.isEmpty {
        stream.lose(
          .pages, "paging: each page is requested with \(shown); here as the API names it")
      }
    } else if isFirstOnly, !sliced.isEmpty {
      stream.lose(.pages, "paging: only the first page is requested with \(shown)")
    }
  }

  private func placed(
    _ option: YAMLNode?, _ stream: ManifestStream
  ) throws(DraftProblem) -> String? {
    guard let option else { return nil }
    let name = option["field_name"]?.text
    switch option["inject_into"]?.text ?? "request_parameter" {
    case "request_parameter":
      guard let name, !name.holds("{{") else {
        throw DraftProblem("paging: a parameter whose name is computed")
      }
      return "to: \(JobText.parameter(name))"
    case "body_json", "body_data":
      guard stream.isPost else { throw DraftProblem("paging: in a body that goes with GET") }
      let path = option.fieldPath
      guard !path.isEmpty else {
        throw DraftProblem("paging: a place in the body that is computed")
      }
      return "to: \(JobText.parameter(JSONPath.text(of: path), inBody: true))"
    default: throw DraftProblem("paging: in a header field")
    }
  }

  private func readNumbers(
    _ strategy: YAMLNode, _ place: String?, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    let isInjected = strategy["inject_on_first_request"]?.boolean == true
    guard let place else { throw DraftProblem("paging: a page number that is not sent") }
    let start = strategy["start_from_page"]?.text ?? "0"
    guard let first = Int(start), first == 0 || first == 1 else {
      throw DraftProblem("paging: pages that begin with \(start.onOneLine(upTo: 60))")
    }
    (stream.pager, stream.pages) = ("number", [place])
    guard first == 0 else { return }
    if isInjected {
      stream.pages.append("first: 0")
    } else {
      stream.pages.append(Self.noFirst)
      stream.remark(
        .pages, "Its first request sends no number, the second 1: perhaps pages are counted from 1."
      )
    }
  }

  private func readSize(
    _ option: YAMLNode?, _ strategy: YAMLNode, _ stream: inout ManifestStream
  ) {
    guard let option, let size = strategy["page_size"]?.text else {
      option?.settle()
      // One that is not sent only says which page is short.
      strategy["page_size"]?.settle()
      return
    }
    let pieces = ManifestText.pieces(size, strategy["$parameters"])
    var value: Int?
    switch pieces.first {
    case .text(let text)? where pieces.count == 1: value = Int(text)
    case .setting(let path, let fallback)? where pieces.count == 1:
      value = Int(settings.example(path, fallback: fallback))
    default: break
    }
    let name = option["field_name"]?.text
    let path = option.fieldPath
    guard let value, (1...100_000).contains(value) else {
      option.settle()
      return stream.lose(.pages, "paging: a page size (\(size.onOneLine(upTo: 60)))")
    }
    switch option["inject_into"]?.text ?? "request_parameter" {
    case "request_parameter" where name?.holds("{{") == false:
      stream.query.removeAll { $0.name == name }
      stream.pages.append(JobText.size(name ?? "", value))
    case "body_json" where stream.isPost && !path.isEmpty,
      "body_data" where stream.isPost && !path.isEmpty:
      stream.pages.append(JobText.size(JSONPath.text(of: path), value, inBody: true))
    case let place: stream.lose(.pages, "paging: a page size in \(place.shown)")
    }
  }

  // MARK: cursors

  private func readCursor(
    _ strategy: YAMLNode, _ place: String?, isPath: Bool, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    let text = strategy["cursor_value"]?.text ?? ""
    let parts = JinjaTemplate.parts(text)
    guard parts.count == 1, case .expression(let source, let found) = parts[0], let found else {
      throw DraftProblem("paging: a next page that is computed (\(text.harmless(upTo: 60)))")
    }
    if let (path, inner) = CursorForm.inBody(found), let place, place.hasPrefix("to: \"body:") {
      let next = "next: \(JobText.quoted(JSONPath.text(of: path)))"
      (stream.pager, stream.pages) = ("token", [String(place.dropLast()) + ".\(inner)\"", next])
      return try readStop(strategy["stop_condition"]?.text, .token(path), &stream)
    }
    let cursor = try CursorForm(found, source, isPath: isPath)
    (stream.pager, stream.pages) = try pages(cursor, place, &stream)
    try readStop(strategy["stop_condition"]?.text, cursor, &stream)
    if case .counted(let path, _) = cursor, stream.pages.contains(Self.noFirst) {
      stream.remark(
        .pages,
        "The first request sends no number, the next \(JSONPath.text(of: path)) + 1."
          + " If pages are counted from 1, remove first: with it page 1 is read twice.")
    }
  }

  private static let noFirst = "first: \"none\""

  private func pages(
    _ cursor: CursorForm, _ place: String?, _ stream: inout ManifestStream
  ) throws(DraftProblem) -> (pager: String, rest: [String]) {
    switch cursor {
    case .link: return ("link", [])
    case .url(let path): return ("url", ["next: \(JobText.quoted(JSONPath.text(of: path)))"])
    case .field(let name, let isURL):
      let next = "next: \(JobText.header(name))"
      if isURL { return ("url", [next]) }
      guard let place else { throw DraftProblem("paging: a token that is not sent") }
      return ("token", [place, next])
    case .token(let path):
      guard let place else { throw DraftProblem("paging: a token that is not sent") }
      return ("token", [place, "next: \(JobText.quoted(JSONPath.text(of: path)))"])
    case .last(let path):
      guard let place else { throw DraftProblem("paging: a last record that is not sent") }
      stream.lastPath = path
      return ("after", [place, "next: \(JobText.quoted(stream.column(at: path)))"])
    case .counted:
      guard let place else { throw DraftProblem("paging: a page number that is not sent") }
      return ("number", [place, Self.noFirst])
    }
  }

  private func readStop(
    _ text: String?, _ cursor: CursorForm, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    var conditions = [Jinja]()
    if let text, text.lowercased() != "false" {
      let parts = JinjaTemplate.parts(text)
      guard parts.count == 1, case .expression(_, let found?) = parts[0] else {
        return stream.lose(.pages, "paging: an end that is computed (\(text.onOneLine(upTo: 60)))")
      }
      conditions.append(found)
    }
    if case .counted(_, let condition?) = cursor { conditions.append(.unary("not", condition)) }
    let stops = conditions.map { StopForm.all($0, cursor) }
    if stops.contains(nil) {
      return stream.lose(
        .pages, "paging: an end that is computed (\(text?.onOneLine(upTo: 60) ?? "no next page"))")
    }
    var ends: Set<String> = []
    for stop in stops.flatMap({ $0 ?? [] }) {
      switch stop {
      case .nothing(let path) where Self.path(path) != stream.records: more(path, "", &stream)
      case .flag(let path): more(path, "not ", &stream)
      case .token(let text): ends.insert(text)
      case .empty(let list?) where Self.path(list) != stream.records:
        stream.lose(.pages, "paging: an end by the length of \(Self.path(list))")
      case .nothing, .empty:
        // A list ends without records anyway.
        switch cursor {
        case .last, .counted: break
        default: ends.insert("empty")
        }
      case .short:
        switch cursor {
        case .last, .counted, .link, .url: break
        default:
          stream.remark(
            .pages,
            "The manifest takes a short page for the end; here the list ends where no next page is named."
          )
        }
      case .reached(let path):
        // The last page has the number of pages, so they are counted from 1.
        stream.pages.removeAll { $0 == Self.noFirst }
        stream.pages.append("lastPage: \(JobText.quoted(JSONPath.text(of: path)))")
      }
    }
    if !ends.isEmpty { stream.pages.append("stops: \(JobText.texts(ends.sorted()))") }
  }

  private func more(_ path: [String], _ sense: String, _ stream: inout ManifestStream) {
    let line = "more: \(JobText.quoted(sense + JSONPath.text(of: path)))"
    if stream.pages.contains(line) { return }
    if JSONPath.isSayable(path.last ?? ""), !stream.pages.contains(where: { $0.hasPrefix("more:") })
    {
      stream.pages.append(line)
    } else {
      stream.lose(.pages, "paging: an end by \(path.joined(separator: ".").shown)")
    }
  }
}

/// What names the next page.
enum CursorForm {
  case link
  case url([String])
  case token([String])
  case field(String, isURL: Bool)
  case last([String])
  /// A number in the answer plus one, while a condition holds.
  case counted([String], while: Jinja?)

  init(_ expression: Jinja, _ source: String, isPath: Bool) throws(DraftProblem) {
    let shown = source.onOneLine(upTo: 60)
    if let place = ManifestText.place(expression) {
      switch (place.root, place.steps.first) {
      case ("response", _?):
        let steps = place.steps.map { $0 == "-1" ? "[-1]" : $0 }
        self = isPath ? .url(steps) : .token(steps)
      case ("headers", let name?) where name.lowercased() == "link":
        guard place.steps.count == 1 || place.steps.dropFirst() == ["next", "url"] else {
          throw DraftProblem("paging: a next page that is computed (\(shown))")
        }
        self = .link
      case ("headers", let name?) where place.steps.count == 1: self = .field(name, isURL: isPath)
      case ("last_record", _?) where !isPath: self = .last(place.steps)
      case ("last_records", "-1"?) where !isPath && place.steps.count > 1:
        self = .last(Array(place.steps.dropFirst()))
      case ("next_page_token", _): throw DraftProblem("paging: a token of tokens")
      default: throw DraftProblem("paging: a next page that is computed (\(shown))")
      }
      return
    }
    if Self.isOfLink(expression), source.holds("next") {
      self = .link
    } else if let path = Self.cutFromURL(expression), source.holds("=") {
      self = .url(path)
    } else if !isPath, let (path, condition) = Self.counted(expression) {
      self = .counted(path, while: condition)
    } else {
      throw DraftProblem("paging: a next page that is computed (\(shown))")
    }
  }

  /// `'{"after": "' + token + '"}'`: a member of an object in the body.
  static func inBody(_ expression: Jinja) -> (path: [String], member: String)? {
    guard case .binary(_, .binary(_, .text(let front), let token), .text(let back)) = expression,
      back.filter({ !$0.isWhitespace }) == "\"}", let path = responsePath(token)
    else { return nil }
    let plain = front.filter { !$0.isWhitespace }
    guard plain.hasPrefix("{\""), plain.hasSuffix("\":\"") else { return nil }
    let name = String(plain.dropFirst(2).dropLast(3))
    return DraftNames.plain(name, else: "").isEmpty || name.holds("\"") ? nil : (path, name)
  }

  /// Whether it uses only the `Link` header.
  private static func isOfLink(_ expression: Jinja) -> Bool {
    if let place = ManifestText.place(expression), place.root == "headers" {
      return place.steps.first?.lowercased() == "link"
    }
    return switch expression {
    case .member(let inner, _), .entry(let inner, _), .filter(let inner, _, _): isOfLink(inner)
    case .call(.member(let inner, _), _): isOfLink(inner)
    case .choice(let value, _, _): isOfLink(value)
    case .binary("or", let left, _): isOfLink(left)
    default: false
    }
  }

  /// A token cut from a URL: that URL names the next page.
  private static func cutFromURL(_ expression: Jinja) -> [String]? {
    switch expression {
    case .filter(let inner, let name, _) where ["regex_search", "first", "last"].contains(name):
      return cutFromURL(inner) ?? responsePath(inner)
    case .entry(.call(.member(let inner, "split"), _), _):
      return cutFromURL(inner) ?? responsePath(inner)
    case .choice(let value, let condition, let other)
    where other.map(ManifestText.isNothing) ?? true:
      let path = cutFromURL(value)
      let asked = ManifestText.presence(condition)
      return asked?.root == "response" && path?.starts(with: asked?.steps ?? []) == true
        ? path : nil
    default: return nil
    }
  }

  private static func responsePath(_ expression: Jinja) -> [String]? {
    ManifestText.steps(expression, in: "response")
  }

  private static func counted(_ expression: Jinja) -> (path: [String], while: Jinja?)? {
    switch expression {
    case .binary("+", let inner, .number("1")), .binary("+", .number("1"), let inner):
      responsePath(inner).map { ($0, nil) }
    case .choice(let value, let condition, let other)
    where other.map(ManifestText.isNothing) ?? true:
      counted(value).map { ($0.path, condition) }
    default: nil
    }
  }

  /// Whether its value is the token of the next page.
  func isToken(_ expression: Jinja) -> Bool {
    let place = ManifestText.place(expression)
    return switch self {
    case .token(let path): place?.root == "response" && place?.steps == path
    case .field(let name, false): place?.root == "headers" && place?.steps == [name]
    default: false
    }
  }

  func isOf(header: String?) -> Bool {
    switch self {
    case .link: header?.lowercased() == "link"
    case .field(let name, _): header == name
    default: false
    }
  }

  /// Whether an end at this path is implied by the next page's own path.
  func isWithin(_ path: [String]) -> Bool {
    switch self {
    case .url(let own), .token(let own): Array(own.prefix(path.count)) == path
    default: false
    }
  }
}
