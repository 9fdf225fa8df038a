import Glibc

@testable import Base
@testable import Jobs
@testable import Media
@testable import Store
@testable import Walk

/// Code that reads foreign bytes. A trap, a hang or a broken promise is a finding.
enum Target: String, CaseIterable {
  case pages, values, job, link, retry, dates, image, secrets
  /// Ends at the word `crash`: shows that a finding stops the fuzzing.
  case planted

  func feed(_ bytes: [UInt8]) {
    switch self {
    case .pages: Self.readPage(bytes)
    case .values: Self.readValues(bytes)
    case .job: _ = try? JobFile.read(bytes, file: "fuzzed")
    case .link: Self.readLink(bytes)
    case .retry: Self.readLimits(bytes)
    case .dates: Self.readDates(bytes)
    case .image: Self.readImage(bytes)
    case .secrets: Self.follow(bytes)
    case .planted: if bytes.starts(with: "crash".utf8) { fatalError("planted") }
    }
  }

  private static func require(_ holds: Bool, _ promise: String) {
    if !holds { fatalError(promise) }
  }

  private static func readImage(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { all in
      guard let kind = ImageKind(startingWith: all) else { return }
      var scan = ImageScan(kind, limits: ImageLimits())
      if (try? scan.feed(all)) != nil { _ = try? scan.finish() }
    }
  }

  // MARK: pages

  private static let origin = Origin(scheme: "https", host: "api.example", port: 443)
  private static let address = WebAddress(origin: origin, path: "/v1/things", query: "page=1")
  private static let now = Instant(seconds: 1_795_269_600)

  private static func stream(_ pager: Pager) throws -> Stream {
    var stream = Stream(
      name: "things", path: Template([.text("/things")]), pager: pager,
      records: try JSONPath("items"), table: "things", key: ["id"], columns: [])
    stream.total = Total(paths: [try JSONPath("total")], trust: .counted)
    stream.more = [try JSONPath("more")]
    return stream
  }

  private static func read(
    _ body: [UInt8], _ pager: Pager, _ fields: [HeaderField] = []
  ) -> Page? {
    guard let stream = try? stream(pager), let base = try? WebAddress("https://api.example/v1")
    else {
      fatalError("the stand-in cannot be made")
    }
    var job = Job(
      name: "shop", about: "a shop", base: base, streams: [stream], source: "fuzzed")
    job.authentication = Authentication(place: .query(name: "key"), secret: "shop")
    let answer = Answer(
      status: 200, fields: HeaderFields(fields), body: body, address: address, sentAt: now,
      receivedAt: now)
    guard
      case .page(let page) = PageReader(job: job, stream: stream).read(answer, AnswerBody(answer))
    else { return nil }
    return page
  }

  private static func readPage(_ bytes: [UInt8]) {
    guard let next = try? JSONPath("next") else { fatalError("the stand-in cannot be made") }
    for pager in [Pager.address(next: next), .token(parameter: "token", next: next)] {
      guard let page = read(bytes, pager) else { continue }
      for record in page.records { touch(record, depth: 0) }
    }
  }

  /// Reads each value as every type.
  private static func touch(_ value: JSONValue, depth: Int) {
    require(depth <= JSONDocument.depthMax, "a document is deeper than it may be")
    _ = (value.string, value.rawNumber, value.integer, value.unsigned, value.real, value.boolean)
    for element in value.elements { touch(element, depth: depth + 1) }
    for member in value.members { touch(member.value, depth: depth + 1) }
  }

  // MARK: values

  private static let kinds: [Column.Kind] = [
    .text, .integer, .real, .boolean, .json, .url, .date, .time(digits: 0, zone: nil),
    .time(digits: 3, zone: "Europe/Berlin"),
  ]

  /// A stored value has its column's class; a time is stored in one form and reads back unchanged.
  private static func readValues(_ bytes: [UInt8]) {
    guard let whole = try? JSONPath("value") else { fatalError("the stand-in cannot be made") }
    let body = Array(#"{"items":[{"value":"#.utf8) + bytes + Array("}]}".utf8)
    guard let page = read(body, .single) else { return }
    var reader = FieldReader(LocalZones())
    let row = RowBuffer(columns: kinds.count)
    for record in page.records {
      row.clear()
      for (slot, kind) in kinds.enumerated() {
        let column = Column(name: "c", source: .paths([whole]), kind: kind)
        let request = FieldReader.Request(parameters: [], position: 1, parent: nil)
        let field = Field(column, isKey: true)
        guard case .stored = reader.read(field, of: record, request, into: row, slot) else {
          continue
        }
        require("\(row.kind(slot))".uppercased() == kind.sqlType, "a \(row.kind(slot)) as \(kind)")
        guard case .time = kind, let text = row.text(slot) else { continue }
        // Times without a zone are stored without one.
        let isTime = [text, "\(text)Z"].contains { Instant(rfc3339: $0) != nil }
        require(isTime, "a time is stored as \(text)")
      }
    }
  }

  // MARK: heads

  private static func readLink(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let page = read(Array(#"{"items":[]}"#.utf8), .link, [HeaderField("Link", text)]) else {
      return
    }
    guard case .address(let next) = page.next else { return }
    require((try? WebAddress(next)) != nil, "a next address cannot be read again: \(next)")
  }

  private static func readLimits(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let names = [
      "Retry-After", "X-RateLimit-Reset", "X-RateLimit-Remaining", "RateLimit", "RateLimit-Policy",
    ]
    let signs = LimitSigns(HeaderFields(names.map { HeaderField($0, text) }), at: now)
    let year = Duration.seconds(366 * 86_400 + 1)
    if let wait = signs.wait { require(wait >= .zero && wait <= year, "a wait of \(wait)") }
  }

  private static func readDates(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = Instant(httpDate: text)
    if let instant = Instant(rfc3339: text) { _ = instant.description }
    bytes.withUnsafeBufferPointer { _ = TimeReader.read($0) }
    _ = try? ZoneRules(name: "Fuzzed/Zone", bytes: bytes)
  }

  // MARK: next addresses with secrets

  /// Our key, repeated by an API in any spelling, stays out of what is followed and stored.
  private static func follow(_ bytes: [UInt8]) {
    let key = "s3cr+t/k=y"
    let credential = Credential(
      place: .query(name: "key"), secret: Secret(key), origins: [origin])
    let screen = SecretScreen(credential)
    // The fuzzer decides what precedes and follows the key.
    let cut = bytes.firstIndex(of: 0) ?? bytes.count
    let (before, behind) = (bytes[..<cut], bytes[cut...].dropFirst())
    for spelling in [key, PercentEncoding.encoded(key), "s3cr%2Bt/k=y", "s3cr+t%2fk%3Dy"] {
      let text = String(
        decoding: before + Array(spelling.utf8) + behind, as: UTF8.self)
      let cleaned = screen.clean(text)
      require(!cleaned.holds(spelling), "a secret stays in \(cleaned)")
      guard let address = try? Self.address.resolving(text) else { continue }
      let shown = screen.clean(address).description
      require(!screen.isHeld(by: shown), "a secret stays in \(shown)")
      let removed = address.removing(credential.place)
      require((try? WebAddress(removed.description)) == removed, "\(removed) is not read as it was")
    }
  }
}
