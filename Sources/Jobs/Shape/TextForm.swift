internal import Base

/// What a text of a job file must look like: what it is called in a message and in the reference, and what is
/// wrong with a text.
struct TextForm: Sendable {
  let words: String
  /// Its texts, where they are a few words.
  private(set) var choices: [String] = []
  private(set) var mayHoldControls = false
  private let check: @Sendable (String) -> String?

  /// - Parameter check: what is wrong with a text of one line and the usual length; nil when nothing is.
  init(_ words: String, _ check: @escaping @Sendable (String) -> String?) {
    (self.words, self.check) = (words, check)
  }

  /// Texts that fit or do not, which is all that there is to say but for `detail`.
  private static func fitting(
    _ words: String, detail: String = "",
    _ fits: @escaping @Sendable (String) -> Bool
  ) -> TextForm {
    TextForm(words) { fits($0) ? nil : misfit($0, words + detail) }
  }

  /// The same, where a reader makes something of those that fit.
  private static func made<Value>(
    _ words: String, _ reader: @escaping @Sendable (String) -> Value?
  ) -> TextForm {
    fitting(words) { reader($0) != nil }
  }

  /// Texts whose reader says what is wrong with them.
  /// - Parameter rule: what else may be wrong with one that was read.
  private static func place<Value>(
    _ words: String,
    _ reader: @escaping @Sendable (String) throws(PathText.Problem) -> Value,
    _ rule: @escaping @Sendable (Value) -> String? = { _ in nil }
  ) -> TextForm {
    TextForm(words) { text in
      do throws(PathText.Problem) { return rule(try reader(text)) } catch {
        return error.description
      }
    }
  }

  /// What is wrong with a text, and what would be right; nil: nothing.
  func problem(_ text: String) -> String? {
    if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), !mayHoldControls {
      return "control characters and line ends have no place here"
    }
    guard text.utf8.count <= 1_000 else { return "a text here has at most 1,000 bytes" }
    return check(text)
  }

  private static func misfit(_ text: String, _ words: String) -> String {
    "\"\(text.shown)\" is not \(words)"
  }

  private static func unknown(_ text: String, _ words: [String]) -> String {
    "\"\(text.shown)\" is not known here" + Suggestion.clauseOrList(for: text, in: words)
  }
}

// MARK: names

extension TextForm {
  /// Any one line of up to 1,000 bytes.
  static func line(mayBeEmpty: Bool) -> TextForm {
    TextForm("text") { $0.isEmpty && !mayBeEmpty ? "the text is empty" : nil }
  }

  static func choice(_ words: [String]) -> TextForm {
    var form = TextForm(words.map { "\"\($0)\"" }.joined(separator: ", ")) {
      words.containsBytes($0) ? nil : unknown($0, words)
    }
    form.choices = words
    return form
  }

  static let jobName = fitting(
    "a job name",
    detail: ": a small letter, then up to 63 small letters, digits or '-'"
  ) {
    PlainName.isPlain($0, lengthMax: 64, alsoDash: true) && !$0.hasSuffix("-") && !$0.holds("--")
  }
  /// Of a parameter, quota or stream.
  static let name = fitting(
    "a name",
    detail: ": a small letter, then up to 62 small letters, digits or '_'"
  ) { PlainName.isPlain($0, lengthMax: 63) }
  static let sqlName = TextForm(
    "a table or column name", PlainName.problem)
  static let queryName = fitting("the name of a query parameter", RequestText.isName)
  static let headerName = TextForm("the name of a header field", HeaderText.nameProblem)
  static let headerTemplate = TextForm("the value of a header field, with holes (\"{name}\")") {
    HeaderText.valueProblem($0) ?? TemplateText.problem($0)
  }
  static let secretName = TextForm("the name of a secret") {
    secretProblem($0, isName: SecretName.isWellFormed($0), "")
  }
  /// `shop-key $SHOP_KEY`
  static let secret = TextForm(
    "the name of a secret, and a variable that may hold it (\"shop-key $SHOP_KEY\")"
  ) {
    secretProblem(
      $0, isName: SecretName.read($0) != nil, "; a variable follows it (\"shop-key $SHOP_KEY\")")
  }

  private static func secretProblem(_ text: String, isName: Bool, _ detail: String) -> String? {
    if SecretName.looksLikeSecret(text) {
      return "this is a secret itself: write a name here, and store it with trawl key; "
        + "who has read this file may have read it, so get a new one"
    }
    return isName
      ? nil
      : "\"\(text.shown)\" cannot be the name of a secret: letters, digits, '_', '-' and '.'\(detail)"
  }

  // MARK: addresses and requests

  static let base = TextForm(
    "an http(s) URL without a query", BaseText.problem)
  static let tokenPlace = TextForm("an http(s) URL without a query, or a path behind the base") {
    guard $0.hasPrefix("/") else { return BaseText.problem($0) }
    return $0.utf8.contains(UInt8(ascii: "{"))
      ? "a path behind the base has no holes; those of the base are filled"
      : TemplateText.pathProblem($0)
  }
  static let page = fitting("an http(s) URL") {
    (try? WebAddress($0)) != nil  // only whether it is one matters here
  }
  static let host = fitting("a host name") {
    (1...253).contains($0.utf8.count)
      && $0.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0 & 0xDF) || "-.:[]".utf8.contains($0)
      }
  }
  static let requestPath = TextForm(
    "a path with holes (\"/users/{user}\")", RequestText.problem)
  /// `/health OK`
  static let health = TextForm(
    "a path, and what the body must say (\"/health OK\")"
  ) {
    let path = HealthText.read($0).path
    return TemplateText.pathProblem(path)
      ?? (path.holds("{") ? "it is made before there are any values: no holes" : nil)
  }
  static let template = TextForm("text with holes (\"{name}\")") { TemplateText.problem($0) }
  static let link = TextForm(
    "a column name or a URL with holes (\"https://example.com/{id}\")", TemplateText.linkProblem)
  static let userAndPassword: TextForm = .init("a user's name and a password (\"{id}:{key}\")") {
    $0.utf8.contains(UInt8(ascii: ":"))
      ? TemplateText.problem($0) : misfit($0, userAndPassword.words)
  }
  static let secretPlace: TextForm = .init(
    "a place in the request (\"header:X-Api-Key\", \"header:Authorization Bearer {secret}\", \"?api_key\"), or"
      + " \"basic\" (\"basic {mail}:{secret}\")"
  ) {
    switch PlaceText.secret($0) {
    case .header(let name, let prefix):
      HeaderText.problem(name: name) ?? HeaderText.valueProblem(prefix)
    case .query(let name): queryName.problem(name)
    case .basic(let user): user.flatMap(TemplateText.problem)
    case .userName: nil
    case nil: misfit($0, secretPlace.words)
    }
  }
  static let requestPlace = place(
    "a place in the request (\"?page\", \"body:variables.after\")", PlaceText.request)
  static let requestSize = place(
    "a place in the request with a number (\"?limit=100\")", PlaceText.size)
  /// `cover_url?w=120`
  static let image: TextForm = .init(
    "a column name, and parameters that are set (\"cover_url?w=120\")"
  ) {
    guard let image = ImageText.read($0) else { return misfit($0, image.words) }
    return PlainName.problem(image.column)
  }

  // MARK: places in an answer

  static let path = place("a path", PlaceText.one)
  static let typedPath = place(
    "a path with alternatives and type (\"a.b | c as time\")", PathText.typed
  ) { ZoneName.problem(of: $0.kind) }
  /// A column of a list, called after its place.
  static let listedColumn = place(
    "a path and a type (\"created_at time\")", PathText.listed
  ) { column in
    column.name == Defaults.all
      ? nil : PlainName.problem(column.name) ?? typedPath.check(column.text)
  }
  static let answerPlace = place(
    "a path, with alternatives, or \"header:NAME\"", PlaceText.answer)
  /// `continue.*`
  static let nextPlace = place("a path, or \"header:NAME\"", PlaceText.next)
  /// `not is_last`
  static let flag = place("a path, or \"not\" and a path", PlaceText.flag)
  /// `meta.total counted`
  static let total = place(
    "a place and what it says (\"meta.total counted\")", PlaceText.total)

  // MARK: values

  static let duration = made(
    "a duration (\"45s\", \"30m\", \"12h\", \"90d\")",
    DurationText.read)
  static let size = made(
    "a size (\"20MB\", \"5GB\")", SizeText.read)
  /// `date in America/New_York`
  static let windowForm = TextForm(
    "a form, and of days a time zone (\"date in America/New_York\")"
  ) {
    if let form = Window.Form.read($0) { return form.zone.flatMap { ZoneName.problem($0) } }
    return Window.Form.isTimeOfZone($0)
      ? "only days take a time zone (\"date in ZONE\", \"compact in ZONE\"); times are requested in UTC"
      : unknown($0, Window.Form.words)
  }
  /// `defer day 1h`
  static let action = TextForm(
    "what is to be done (\"skip\", \"retry 5s\", \"defer day 1h\")"
  ) {
    if ActionText.read($0) != nil { return nil }
    let word = String($0.prefix { $0 != " " })  // cut: the word that says what is done
    return ActionText.words.contains(word)
      ? "\"retry\" may be followed by a wait, \"defer\" by a quota and a wait, as in \"defer day 1h\""
      : unknown(word, ActionText.words)
  }
  static let quotaWindow: TextForm = .init(
    "the window of a quota: \"second\", \"minute\", \"hour\", \"day\", a duration, or"
      + " \"day from 00:00 America/Los_Angeles\""
  ) {
    switch QuotaText.window($0) {
    case .daily(_, _, let zone)?: ZoneName.problem(zone)
    case .rolling?: nil
    case nil: misfit($0, quotaWindow.words)
    }
  }
  /// `4999 doubt 4900`, `25 expected: the best 25 are asked for`
  static let cap = made(
    "a number and what it means (\"4999 doubt 4900\", \"25 expected: WHY\")", CapText.read)
  static let pattern = TextForm("a POSIX extended regular expression") {
    do { _ = try Pattern($0) } catch { return "\(error)" }
    return nil
  }
  /// The store compiles it.
  static let sql = {
    var form = TextForm("an SQL expression") { _ in nil }
    form.mayHoldControls = true
    return form
  }()
  static let each = made(
    "a stream's column (\"stream.column\")",
    FeedText.each)
  static let when = made(
    "\"new\", \"changed\", \"all\", \"run\" or \"stale 7d\"", FeedText.when)
  static let order = made(
    "a column and its direction (\"id falling\", \"changed_at rising\")", OrderText.read)
  static let status = made(
    "a status (429, \"5xx\", \"500-599\")", StatusText.read)
}
