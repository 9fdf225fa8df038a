internal import Base

/// What a text of a job file must look like: how it is checked, how it is described, and what of it
/// a JSON Schema can say.
enum TextForm: Sendable, Equatable {
  /// Any one line of up to 1,000 bytes; the flag says whether it may be empty.
  case line(mayBeEmpty: Bool)
  case jobName
  /// Of a parameter, quota or stream.
  case name
  /// Of a table or a column.
  case sqlName
  /// Of a query parameter in a URL.
  case queryName
  case headerName
  /// One with holes.
  case headerTemplate
  case base
  case tokenPlace
  case page
  case host
  case secretName
  /// `shop-key $SHOP_KEY`
  case secret
  case duration
  case size
  /// `date in America/New_York`
  case windowForm
  /// `/health OK`
  case health
  /// `defer day 1h`
  case action
  case quotaWindow
  case path
  case typedPath
  /// A column of a list, called after its place.
  case listedColumn
  /// `?page`, `body:variables.after`; with `=100` behind it; `header:X-Api-Key`, `basic`.
  case requestPlace, requestSize, secretPlace
  /// `meta.total`, `header:X-Total-Count`; `continue.*`; `not is_last`.
  case answerPlace, nextPlace, flag
  /// `meta.total counted`
  case total
  /// `{id}:{key}`
  case userAndPassword
  case template
  case link
  /// In the body of a request: of several lines, and longer than others.
  case body
  case requestPath
  /// `4999 doubt 4900`, `25 expected: the best 25 are asked for`
  case cap
  /// `cover_url?w=120`
  case image
  case pattern
  case sql
  case each
  case when
  case order
  case status
  case choice([String])
}

extension TextForm {
  /// What it is called in a message and in the reference.
  var words: String {
    switch self {
    case .line: "text"
    case .jobName: "a job name"
    case .name: "a name"
    case .sqlName: "a table or column name"
    case .queryName: "the name of a query parameter"
    case .headerName: "the name of a header field"
    case .headerTemplate: "the value of a header field, with holes (\"{name}\")"
    case .base: "an http(s) URL without a query"
    case .tokenPlace: "an http(s) URL without a query, or a path behind the base"
    case .page: "an http(s) URL"
    case .host: "a host name"
    case .secretName: "the name of a secret"
    case .secret: "the name of a secret, and a variable that may hold it (\"shop-key $SHOP_KEY\")"
    case .duration: "a duration (\"45s\", \"30m\", \"12h\", \"90d\")"
    case .size: "a size (\"20MB\", \"5GB\")"
    case .windowForm: "a form, and of days a time zone (\"date in America/New_York\")"
    case .health: "a path, and what the body must say (\"/health OK\")"
    case .action: "what is to be done (\"skip\", \"retry 5s\", \"defer day 1h\")"
    case .quotaWindow:
      "the window of a quota: \"second\", \"minute\", \"hour\", \"day\", a duration, or"
        + " \"day from 00:00 America/Los_Angeles\""
    case .path: "a path"
    case .typedPath: "a path with alternatives and type (\"a.b | c as time\")"
    case .requestPlace: "a place in the request (\"?page\", \"body:variables.after\")"
    case .requestSize: "a place in the request with a number (\"?limit=100\")"
    case .secretPlace:
      "a place in the request (\"header:X-Api-Key\", \"header:Authorization Bearer {secret}\", \"?api_key\"), or"
        + " \"basic\" (\"basic {mail}:{secret}\")"
    case .answerPlace: "a path, with alternatives, or \"header:NAME\""
    case .nextPlace: "a path, or \"header:NAME\""
    case .total: "a place and what it says (\"meta.total counted\")"
    case .userAndPassword: "a user's name and a password (\"{id}:{key}\")"
    case .flag: "a path, or \"not\" and a path"
    case .listedColumn: "a path and a type (\"created_at time\")"
    case .template, .body: "text with holes (\"{name}\")"
    case .link: "a column name or a URL with holes (\"https://example.com/{id}\")"
    case .requestPath: "a path with holes (\"/users/{user}\")"
    case .cap: "a number and what it means (\"4999 doubt 4900\", \"25 expected: WHY\")"
    case .image: "a column name, and parameters that are set (\"cover_url?w=120\")"
    case .pattern: "a POSIX extended regular expression"
    case .sql: "an SQL expression"
    case .each: "a stream's column (\"stream.column\")"
    case .when: "\"new\", \"changed\", \"all\", \"run\" or \"stale 7d\""
    case .order: "a column and its direction (\"id falling\", \"changed_at rising\")"
    case .status: "a status (429, \"5xx\", \"500-599\")"
    case .choice(let words): words.map { "\"\($0)\"" }.joined(separator: ", ")
    }
  }

  /// What is wrong with a text, and what would be right; nil when nothing is.
  func problem(_ text: String) -> String? {
    if self == .body {
      return text.utf8.count > Self.bodyBytesMax ? "a text here has at most 20,000 bytes" : nil
    }
    if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), self != .sql {
      return "control characters and line ends have no place here"
    }
    guard text.utf8.count <= 1_000 else { return "a text here has at most 1,000 bytes" }
    switch self {
    case .line(let mayBeEmpty):
      return text.isEmpty && !mayBeEmpty ? "the text is empty" : nil
    case .sqlName: return PlainName.problem(text)
    case .headerName: return HeaderText.nameProblem(text)
    case .headerTemplate: return HeaderText.valueProblem(text) ?? TemplateText.problem(text)
    case .base: return BaseText.problem(text)
    case .tokenPlace:
      guard text.hasPrefix("/") else { return BaseText.problem(text) }
      return text.utf8.contains(UInt8(ascii: "{"))
        ? "a path behind the base has no holes; those of the base are filled"
        : TemplateText.pathProblem(text)
    case .path, .typedPath, .listedColumn, .requestPlace, .requestSize, .answerPlace,
      .nextPlace, .flag, .secretPlace, .total:
      return pathProblem(text)
    case .template: return TemplateText.problem(text)
    case .userAndPassword:
      return text.utf8.contains(UInt8(ascii: ":")) ? TemplateText.problem(text) : misfit(text)
    case .link: return TemplateText.linkProblem(text)
    case .requestPath: return RequestText.problem(text)
    case .image:
      guard let image = ImageText.read(text) else { return misfit(text) }
      return PlainName.problem(image.column)
    case .pattern:
      do { _ = try Pattern(text) } catch { return "\(error)" }
      return nil
    // The store compiles it.
    case .sql: return nil
    case .choice(let words):
      return words.containsBytes(text) ? nil : unknown(text, words)
    case .windowForm:
      if let zone = Window.Form.read(text)?.zone { return Self.zoneProblem(zone) }
      return Window.Form.read(text) == nil ? unknown(text, Window.Form.words) : nil
    case .health:
      let path = HealthText.read(text).path
      return TemplateText.pathProblem(path)
        ?? (path.holds("{") ? "it is made before there are any values: no holes" : nil)
    case .action:
      if ActionText.read(text) != nil { return nil }
      let word = String(text.prefix { $0 != " " })  // cut: the word that says what is done
      return ActionText.words.contains(word)
        ? "\"retry\" may be followed by a wait, \"defer\" by a quota and a wait, as in \"defer day 1h\""
        : unknown(word, ActionText.words)
    case .quotaWindow:
      guard let window = QuotaText.window(text) else { return misfit(text) }
      if case .daily(_, _, let zone) = window { return Self.zoneProblem(zone) }
      return nil
    case .secret, .secretName:
      if SecretName.looksLikeSecret(text) {
        return "this is a secret itself: write a name here, and store it with trawl key; "
          + "who has read this file may have read it, so get a new one"
      }
      return isWellFormed(text) ? nil : misfit(text)
    default: return isWellFormed(text) ? nil : misfit(text)
    }
  }

  private static let bodyBytesMax = 20_000

  private func unknown(_ text: String, _ words: [String]) -> String {
    "\"\(text.shown)\" is not known here" + Suggestion.clauseOrList(for: text, in: words)
  }

  private func misfit(_ text: String) -> String {
    switch self {
    case .jobName:
      "\"\(text.shown)\" is not a job name: a small letter, then up to 63 small letters, digits or '-'"
    case .name:
      "\"\(text.shown)\" is not a name: a small letter, then up to 62 small letters, digits or '_'"
    case .secret, .secretName:
      "\"\(text.shown)\" cannot be the name of a secret: letters, digits, '_', '-' and '.'"
        + (self == .secret ? "; a variable follows it (\"shop-key $SHOP_KEY\")" : "")
    default: "\"\(text.shown)\" is not \(words)"
    }
  }

  private func isWellFormed(_ text: String) -> Bool {
    switch self {
    case .jobName:
      PlainName.isPlain(text, lengthMax: 64, alsoDash: true) && !text.hasSuffix("-")
        && !text.holds("--")
    case .name: PlainName.isPlain(text, lengthMax: 63)
    case .queryName:
      !text.isEmpty && text.utf8.count <= 100
        && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"&=#?{}".utf8.contains($0) }
    case .page: (try? WebAddress(text)) != nil  // only whether it is one matters here
    case .host: Self.isHost(text)
    case .secretName: SecretName.isWellFormed(text)
    case .secret: SecretName.read(text) != nil
    case .duration: DurationText.read(text) != nil
    case .size: SizeText.read(text) != nil
    case .each: FeedText.each(text) != nil
    case .when: FeedText.when(text) != nil
    case .order: OrderText.read(text) != nil
    case .status: StatusText.read(text) != nil
    case .cap: CapText.read(text) != nil
    default: true
    }
  }

  private func pathProblem(_ text: String) -> String? {
    do throws(PathText.Problem) {
      switch self {
      case .typedPath:
        _ = try PathText.typed(text)
        return zoneProblem(in: text)
      case .listedColumn:
        if text == Defaults.all { return nil }
        let column = try PathText.listed(text)
        return PlainName.problem(column.name) ?? zoneProblem(in: text)
      case .requestPlace: _ = try PlaceText.request(text)
      case .requestSize: _ = try PlaceText.size(text)
      case .answerPlace: _ = try PlaceText.answer(text)
      case .nextPlace: _ = try PlaceText.next(text)
      case .total: _ = try PlaceText.total(text)
      case .flag: _ = try PlaceText.flag(text)
      case .secretPlace: return Self.secretProblem(text)
      default:
        let paths = try PathText.alternatives(text)
        if paths.count > 1 { return "only one path is allowed here, without alternatives" }
      }
      return nil
    } catch { return error.description }
  }

  private static func secretProblem(_ text: String) -> String? {
    switch PlaceText.secret(text) {
    case .header(let name, let prefix):
      HeaderText.problem(name: name) == nil
        ? HeaderText.valueProblem(prefix)
        : "\"\(name.shown)\" cannot be the name of a header field"
    case .query(let name): TextForm.queryName.problem(name)
    case .basic(let user): user.flatMap(TemplateText.problem)
    case .userName: nil
    case nil: "\"\(text.shown)\" is not \(TextForm.secretPlace.words)"
    }
  }

  private func zoneProblem(in text: String) -> String? {
    guard text.holds(" in ") else { return nil }
    let words = text.split(separator: " ").filter { !PathText.marks.contains(String($0)) }
    guard words.count >= 3, words[words.count - 2] == "in" else { return nil }
    return Self.zoneProblem(String(words[words.count - 1]))
  }

  private static func zoneProblem(_ zone: String) -> String? {
    ZoneName.isKnown(zone)
      ? nil : "the time zone \"\(zone.shown)\" is not among the system's (\(ZoneName.folder))"
  }

  private static func isHost(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0 & 0xDF) || "-.:[]".utf8.contains($0)
      }
  }
}
