public import Base

/// Digests of a stream's request and of its mapping; the same in every process.
///
/// The request's digest covers all that is sent and identifies the list: the base's path, the stream's path, fixed
/// query and body, header fields, how a window is written, and the account; and, of a list that not every run reads
/// whole, what is taken for its end. Not the origin (the data folder has that), nor the size of pages, which does not
/// change the list. The mapping's digest covers what decides which rows and values are stored. The order in the job
/// file does not matter, but for that of error rules.
public enum Fingerprinter {
  public static func fingerprints(of stream: Stream, in job: Job) -> Fingerprints {
    Fingerprints(request: request(stream, job), mapping: mapping(stream))
  }

  private static func request(_ stream: Stream, _ job: Job) -> UInt64 {
    var digest = Digest64()
    digest.addField("request 1")
    digest.addField(job.base.path.hasSuffix("/") ? String(job.base.path.dropLast()) : job.base.path)
    digest.add(stream.path)
    // Stable: equal names keep their order, which may matter to an API.
    let query = stream.query.enumerated().sorted {
      $0.element.name == $1.element.name
        ? $0.offset < $1.offset
        : $0.element.name.utf8.lexicographicallyPrecedes($1.element.name.utf8)
    }
    digest.add(count: query.count)
    for (_, item) in query {
      digest.addField(item.name)
      digest.add(item.value)
      digest.add(item.isLeftOutIfEmpty ? 1 : 0)
    }
    digest.addOptional(stream.window?.from)
    digest.addOptional(stream.window?.to)
    digest.addOptional(stream.window?.form.rawValue)
    if let zone = stream.window?.zone { digest.addField("days in \(zone.name)") }
    let namesEnd = stream.namesWindowEnd
    if let shift = stream.window.flatMap({ WindowText.shift($0, namesEnd: namesEnd) }) {
      digest.addField(shift)
    }
    if stream.window?.includesBegin == false { digest.addField("begins earlier") }
    digest.addOptional(job.account)
    add(job.fields, to: &digest)
    add(stream.fields, to: &digest)
    if let body = stream.body { digest.add(body) }
    if stream.window?.isInBody == true { digest.addField("window in the body") }
    if !stream.slashes.isEmpty {
      digest.addField("slashes")
      digest.add(texts: stream.slashes.sorted())
    }
    for item in stream.fieldTexts {
      digest.addField(item.name)
      digest.add(item.value)
    }
    if restsInPart(stream) { digest.add(texts: ends(of: stream, in: job)) }
    return digest.value ^ Fingerprints.mask(era: job.era)
  }

  /// Whether a run may leave out what an earlier one read: what that took for the end stays, until the request is
  /// another one.
  private static func restsInPart(_ stream: Stream) -> Bool {
    stream.window != nil || stream.newestFirst != nil
      || stream.parent.map { $0.when != .all } == true
  }

  /// What is taken for the end of the list. Rules that skip it, or call it out of reach, do not claim that it was read.
  private static func ends(of stream: Stream, in job: Job) -> [String] {
    var ends =
      switch stream.pager {
      case .single: [stream.hasOnePage ? "one page" : "single"]
      case .number(let parameter, let first): ["number \(first)", parameter]
      case .offset(let parameter): ["offset", parameter]
      case .chain(let next): ["chain", next.parameter ?? "", next.first ?? ""]
      }
    ends.append(stream.signOfMore)
    switch stream.lastPage {
    case .body(let paths): ends += ["last page"] + paths.map(\.text)
    case .header(let name): ends += ["last page in", name]
    case nil: break
    }
    for steps in stream.unread.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      ends += ["unread"] + steps
    }
    if let total = stream.total { ends += ["total \(total.trust.rawValue)", total.place] }
    if let cap = stream.cap {
      ends.append("cap \(cap.at) \(cap.doubt)\(cap.expected == nil ? "" : " expected")")
    }
    for rule in stream.errors + job.errors where [.end, .empty].contains(rule.action) {
      ends.append("error \(rule.isCap ? "cap" : rule.action.rawValue)")
      ends += rule.statuses.map { "\($0.lowerBound) to \($0.upperBound)" }.sorted()
      ends += ["at", rule.path?.text ?? "", rule.field ?? "", rule.test ?? ""]
    }
    return ends
  }

  private static func add(_ fields: [HeaderField], to digest: inout Digest64) {
    let sorted = fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    digest.add(count: fields.count)
    for field in sorted {
      digest.addField(field.name.lowercased())
      digest.addField(field.value)
    }
  }

  private static func mapping(_ stream: Stream) -> UInt64 {
    var digest = Digest64()
    digest.addField("mapping 1")
    digest.addField(stream.table)
    digest.addField(stream.records.text)
    digest.add(texts: stream.key)
    digest.add(columns: stream.columns)
    digest.addOptional(stream.keep)
    digest.addOptional(stream.membership?.table)
    digest.add(columns: stream.membership?.columns ?? [])
    digest.add(texts: stream.membership?.keyNames ?? [])
    let children = stream.children.sorted {
      $0.table.utf8.lexicographicallyPrecedes($1.table.utf8)
    }
    digest.add(count: children.count)
    for child in children {
      digest.addField(child.table)
      digest.addField(child.records.text)
      digest.add(texts: child.key)
      digest.add(texts: child.parentKeyNames)
      digest.add(columns: child.columns)
    }
    // Stored pages of an unfinished walk were checked against the order of that time.
    if let order = stream.order { digest.addField(order.text) }
    if stream.readsFeed { digest.addField("feed") }
    if stream.readsColumns { digest.addField("columns") }
    if stream.takesAll { digest.addField("all members") }
    return digest.value
  }
}

extension Digest64 {
  fileprivate mutating func add(count: Int) {
    withUnsafeBytes(of: UInt64(count).littleEndian) { add($0) }
  }

  fileprivate mutating func addOptional(_ text: String?) {
    add(text == nil ? 0 : 1)
    if let text { addField(text) }
  }

  fileprivate mutating func add(texts: [String]) {
    add(count: texts.count)
    for text in texts { addField(text) }
  }

  /// A hole and equal text must differ.
  fileprivate mutating func add(_ template: Template) {
    add(count: template.parts.count)
    for part in template.parts {
      switch part {
      case .text(let text):
        add(0)
        addField(text)
      case .hole(let name):
        add(1)
        addField(name)
      }
    }
  }

  fileprivate mutating func add(_ body: BodyTemplate) {
    switch body {
    case .none: addField("body")
    case .form(let items):
      addField("form")
      for item in items {
        addField(item.name)
        add(item.value)
      }
    case .json(let value):
      addField("json")
      add(value)
    }
  }

  private mutating func add(_ value: BodyValue) {
    switch value {
    case .object(let members):
      add(2)
      add(count: members.count)
      for member in members {
        addField(member.name)
        add(member.value)
      }
    case .list(let values):
      add(3)
      add(count: values.count)
      for value in values { add(value) }
    case .text(let template), .optional(let template):
      add(4)
      add(template)
    case .typed(let template, let scalar):
      add(6)
      addField(scalar.rawValue)
      add(template)
    case .literal(let text), .plain(let text):
      add(5)
      addField(text)
    }
  }

  fileprivate mutating func add(columns: [Column]) {
    add(count: columns.count)
    let sorted = columns.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for column in sorted {
      addField(column.name)
      add(column.source)
      addField(column.kind.stableText)
      addOptional(column.expression)
      add(column.isRequired ? 1 : 0)
      add(texts: column.absent)
    }
  }

  private mutating func add(_ source: Column.Source) {
    switch source {
    case .paths(let paths):
      add(0)
      add(texts: paths.map(\.text))
    case .parameter(let name):
      add(1)
      addField(name)
    case .position: add(2)
    case .memberName: add(5)
    case .digest: add(6)
    case .constant(let text):
      add(3)
      addField(text)
    case .filled(let template):
      add(4)
      add(template)
    }
  }
}

extension Column.Kind {
  /// Never changes: it is part of stored fingerprints.
  fileprivate var stableText: String {
    switch self {
    case .text: "text"
    case .integer: "integer"
    case .real: "real"
    case .boolean: "boolean"
    case .json: "json"
    case .url: "url"
    case .date: "date"
    case .time(let digits, let zone): "time \(digits) \(zone ?? "")"
    }
  }
}
