internal import Base
internal import Jobs
internal import Walk

/// The job file for the findings; its comments say what was seen and what is unknown.
public struct DraftText: Sendable {
  let findings: Findings
  let survey: FieldSurvey
  let keyColumn: FieldSurvey.Column?
  let tableName: String
  /// As few lines as possible: every member is a column.
  let isShort: Bool

  var subject: Subject { findings.subject }

  init(_ findings: Findings, isShort: Bool = false) {
    self.findings = findings
    self.isShort = isShort
    survey = FieldSurvey(findings.records, names: findings.columnNames, key: findings.key)
    keyColumn = survey.columns.first { $0.path == findings.key }
    var taken = findings.subject.namesTaken
    tableName = DraftNames.table(findings.streamName, of: findings.subject.jobName, &taken)
  }

  /// With comments on what was seen and what is unknown, unless it is short.
  public var text: String {
    var out = DraftLines()
    head(&out)
    out.isShort = isShort
    out.line("{")
    if !subject.isNamedByFile { out.line("  name: \(quoted(subject.jobName)),") }
    if !isShort { out.line("  about: \(quoted(about)),") }
    out.line("  base: \(quoted(base)),")
    auth(&out)
    limits(&out)
    out.line("")
    out.line("  streams: {")
    stream(&out)
    out.line("  },")
    out.line("}")
    return out.text
  }

  /// The list alone, as an entry of a job's streams.
  public var stream: String {
    var out = DraftLines()
    out.isShort = isShort
    out.comment("Drafted by trawl new on \(subject.date), from \(subject.path.shown).", 4)
    for remark in findings.remarks { out.comment("Note: \(remark).", 4) }
    stream(&out)
    return out.text
  }

  func stream(_ out: inout DraftLines) {
    out.line("    \(findings.streamName): {")
    request(&out)
    pages(&out)
    total(&out)
    records(&out)
    if !isShort {
      children(&out)
      uses(&out)
    }
    out.line("    },")
  }

  // MARK: head

  private func head(_ out: inout DraftLines) {
    if isShort {
      out.comment(
        "Drafted by trawl new --short on \(subject.date):"
          + " every member of a record becomes a column.", 0)
      for remark in findings.remarks { out.comment("Note: \(remark).", 0) }
      return
    }
    out.comment(
      "Drafted by trawl new on \(subject.date), from"
        + " \(subject.origin)\(subject.path.shown). Comments say what was seen and what is a guess. Read"
        + " them, correct what is wrong, then", 0)
    out.line("//")
    out.line(
      "//   trawl check ./\(subject.jobName).json5     is it correct, and which proof will it get?")
    out.line("//   trawl try ./\(subject.jobName).json5       page 1 as it would be stored")
    out.line("//")
    for remark in findings.remarks { out.comment("Note: \(remark).", 0) }
    out.comment(
      "Not visible in any answer: terms of use; a ceiling of every list (cap); a promised order (order);"
        + " filters of time (window); what errors mean (errors).", 0)
  }

  var about: String { "\(findings.streamName) of \(subject.origin.host)" }

  /// Path segments that many paths of an API share belong to the base.
  private var baseSegments: Int {
    if let base = subject.base { return base.path.split(separator: "/").count }
    let parts = subject.path.split(separator: "/").map { $0.lowercased() }
    var count = 0
    for part in parts.dropLast() {
      let isVersion =
        part.hasPrefix("v") && part.dropFirst().first.map { ("0"..."9").contains($0) } ?? false
      guard isVersion || ["api", "rest", "hub", "public"].contains(part) else { break }
      count += 1
    }
    return count
  }

  var base: String {
    let parts = subject.path.split(separator: "/").prefix(baseSegments)
    return subject.origin.description + parts.map { "/\($0)" }.joined()
  }

  private var path: String {
    let parts = subject.path.split(separator: "/").dropFirst(baseSegments)
    let rest = "/" + parts.joined(separator: "/")
    let isFolder = subject.path.hasSuffix("/") && rest != "/"
    return JobText.braced(rest + (isFolder ? "/" : ""))
  }

  func auth(_ out: inout DraftLines) {
    guard let place = subject.place, let name = subject.secretName else { return }
    out.line("")
    out.comment(
      "The secret is not in this file: trawl key ./\(subject.jobName).json5 stores it for"
        + " \(subject.origin) only.", 2)
    if subject.origin.isLoopback {
      out.comment(
        "To this machine it is sent only with --send-key-to \(subject.origin).", 2)
    }
    out.line("  auth: \(JobText.auth(place, secret: name)),")
  }

  // MARK: limits

  func limits(_ out: inout DraftLines) {
    out.line("")
    let told = findings.quotas.filter { (1...1_000_000_000).contains($0.limit ?? 0) }
    guard !told.isEmpty else {
      if isShort { return }
      return out.courtesy(
        "No header states a limit. One request a second is polite; see the API's documentation.")
    }
    out.line("  quotas: {")
    var taken: Set<String> = []
    for quota in told {
      let name = PlainName.unique(DraftNames.plain(quota.name ?? "", else: "window"), &taken)
      let (per, remark) = Self.window(quota)
      out.comment("Headers: \(quota.limit ?? 0) allowed\(left(quota)). \(remark)", 4)
      let called = quota.name.map { $0 == name ? "" : ", called: \(quoted($0))" } ?? ""
      out.line("    \(name): { allow: \(quota.limit ?? 1), per: \(quoted(per))\(called) },")
    }
    out.line("  },")
  }

  private func left(_ quota: ServerQuota) -> String {
    quota.remaining.map { ", \($0) left" } ?? ""
  }

  static func window(_ quota: ServerQuota) -> (String, String) {
    if let window = quota.window {
      return (words(window), "They state the window, too.")
    }
    let names = [(60, "minute"), (3_600, "hour"), (86_400, "day")]
    let resets = quota.resetsIn.map { Int($0.components.seconds) }
    let guess = names.first { resets ?? 3_600 <= $0.0 }?.1 ?? "day"
    let why = resets.map { "it resets in \($0) s" } ?? "no reset is stated"
    return (guess, "The window is not stated (\(why)): \(guess) is a guess.")
  }

  private static func words(_ window: Duration) -> String {
    switch window.components.seconds {
    case 1: "second"
    case 60: "minute"
    case 3_600: "hour"
    case 86_400: "day"
    default: "\(max(1, window.components.seconds))s"
    }
  }

  // MARK: request

  func request(_ out: inout DraftLines) {
    out.line("      \(subject.body == nil ? "get" : "post"): \(quoted(path)),")
    if let body = subject.bodyText(without: pagedNames) { out.line("      body: \(body),") }
    if findings.page?.isFeed ?? false { out.line("      reads: \"feed\",") }
    if findings.page?.isColumnar ?? false { out.line("      reads: \"columns\",") }
    let paged = pagedNames
    let fixed =
      subject.body == nil ? subject.parameters.filter { !paged.contains($0.name) } : subject.query
    let kept = fixed.filter { Self.isSayable($0) }
    if kept.count < fixed.count {
      out.comment(
        "Left out, since no job file can hold it:"
          + " \(fixed.filter { !kept.contains($0) }.map(\.name.shown).joined(separator: ", ")).", 6)
    }
    if !kept.isEmpty {
      let pairs = kept.map(\.name).eachOnce.map { name in
        (name: name, values: kept.filter { $0.name == name }.map { JobText.braced($0.value) })
      }
      out.texts("query", pairs, 6)
      out.comment(
        "For a value that users choose, declare it under params and write \"{name}\" here.", 6)
    }
    out.texts("headers", subject.fields.map { ($0.name, [JobText.braced($0.value)]) }, 6)
  }

  /// Parameters that `pages` sends are written nowhere else.
  private var pagedNames: Set<String> {
    var names: Set<String> = []
    if let size = findings.size, findings.paging != nil { names.insert(size.name) }
    switch findings.paging {
    case .number(let name, _)?, .offset(let name)?, .token(let name, _)?,
      .headerToken(let name, _)?, .after(let name)?:
      names.insert(name)
    // Without the parameter for page 1, the answer may name no next page.
    case .each?, .link?, .url?, .headerURL?, nil: break
    }
    return names
  }

  private static func isSayable(_ parameter: Subject.Parameter) -> Bool {
    RequestText.isName(parameter.name) && parameter.value.utf8.count <= 900
      && !parameter.value.unicodeScalars.contains(where: \.isHostile)
  }

  // MARK: pages

  func pages(_ out: inout DraftLines) {
    out.line("")
    guard let paging = findings.paging else { return single(&out) }
    out.comment("Seen: \(findings.pagingRemark).", 6)
    if let size = findings.size, !size.remark.isEmpty {
      out.comment("Size: \(size.remark).", 6)
    }
    var parts = [by(paging)]
    if let size = findings.size {
      parts.append(JobText.size(size.name, size.value, inBody: subject.body != nil))
    } else {
      out.comment("The address had no parameter for the page size: size: \"?NAME=100\".", 6)
    }
    if let flag { parts.append(flag) }
    if findings.isEndless { parts.append("stops: \"empty\"") }
    out.list("pages", parts, 6)
  }

  func by(_ paging: Paging) -> String {
    switch paging {
    case .link: "by: \"link\""
    case .url(let path): "by: \"url\", next: \(quoted(JSONPath.text(of: path)))"
    case .token(let name, let path):
      "by: \"token\", to: \(placed(name)), next: \(quoted(JSONPath.text(of: path)))"
        + firstToken(name)
    case .headerToken(let name, let field):
      "by: \"token\", to: \(placed(name)), next: \(JobText.header(field))"
    case .headerURL(let field): "by: \"url\", next: \(JobText.header(field))"
    case .each(let path): "by: \"token\", next: \(quoted(JSONPath.text(of: path) + ".*"))"
    case .after(let name):
      "by: \"after\", to: \(placed(name)), next: \(quoted(keyColumn?.name ?? "position"))"
    case .number(let name, let first):
      "by: \"number\", to: \(placed(name))" + (first == 1 ? "" : ", first: \(first)")
    case .offset(let name): "by: \"offset\", to: \(placed(name))"
    }
  }

  /// Where it goes in the request.
  private func placed(_ name: String) -> String {
    JobText.parameter(name, inBody: subject.body != nil)
  }

  /// The first value, if any: `cursor=*`.
  private func firstToken(_ name: String) -> String {
    subject.value(of: name).map { $0.isEmpty ? "" : ", first: \(quoted($0))" } ?? ""
  }

  /// A flag that was set on page 1 because more pages follow.
  private var flag: String? {
    guard let flag = findings.page?.envelope.flag, flag.mark.value.boolean == flag.saysMore else {
      return nil
    }
    return "more: \(quoted((flag.saysMore ? "" : "not ") + flag.mark.text))"
  }

  private func single(_ out: inout DraftLines) {
    guard let page = findings.page else { return }
    if page.isOneRecord {
      out.comment("The answer is one object, so there is nothing to page.", 6)
    } else if findings.isShownWhole {
      out.comment(
        "This answer says that it is the whole list. How a longer one is paged is not visible.", 6)
    } else if findings.saysItIsAll(page) {
      out.comment(
        "This seems to be the whole list: \(whyWhole(page)). How a longer one is paged is not visible.",
        6)
    } else {
      out.comment(
        "No way to page 2 was found. If the list is longer than"
          + " \(Wording.count(page.records.count, "record")), declare here how it is paged.", 6)
    }
    if !page.isOneRecord, !findings.isShownWhole, !page.isFeed {
      out.comment(
        "kind: \"search\" keeps the list unproven. Remove it once you know that one answer is all.",
        6)
      out.line("      kind: \"search\",")
    }
    for mark in page.envelope.all(.next) where mark.value.isNull {
      out.comment(
        "\"\(mark.text)\" is null here. If it can name an address: { by: \"url\", next:"
          + " \(quoted(mark.text)) }.", 6)
    }
    out.line("      pages: { by: \"single\" },")
  }

  private func whyWhole(_ page: Sample) -> String {
    if let total = findings.total { return "\(total.place) is \(total.number), as many as came" }
    return "\(Wording.count(page.records.count, "record")) came, and more were asked for"
  }

  // MARK: total

  func total(_ out: inout DraftLines) {
    guard let total = findings.total else { return estimate(&out) }
    let number = total.number
    let trust: String
    switch findings.count {
    case .right:
      out.comment(
        "The API said \(number), and the list ended there. Write \"estimate\" if it also counts hidden"
          + " records.", 6)
      trust = "counted"
    case .wrong(let why):
      out.comment("The API said \(number), but \(why): not trusted.", 6)
      trust = "none"
    case .short(let why):
      out.comment(
        "The API said \(number), but \(why). If the API cuts the list there, write cap; if it counts"
          + " something else, write \"none\".", 6)
      trust = "estimate"
    case .refused(let why):
      out.comment(
        "The API said \(number). The page at that end could not be read (\(why)): perhaps there is a ceiling"
          + " (cap). Write \"counted\" if the number is exact.", 6)
      trust = "estimate"
    case .unknown:
      out.comment(
        "The API said \(number), not verified. Write \"counted\" if the number is exact: it proves the list.",
        6)
      trust = "estimate"
    }
    out.line("      total: \(quoted("\(place(total)) \(trust)")),")
  }

  private func estimate(_ out: inout DraftLines) {
    guard let total = findings.estimate else { return }
    out.comment("The API said \(total.number), and another number on another page.", 6)
    out.line("      total: \(quoted("\(place(total)) estimate")),")
  }

  private func place(_ total: Findings.Total) -> String {
    total.isInHead ? "header:\(total.place)" : total.place
  }

  func quoted(_ text: String) -> String { JobText.quoted(text) }
}
