import Base
import Walk

/// Jobs and streams of no particular API.
enum FakeJob {
  static func job(_ stream: Base.Stream) throws -> Job {
    Job(
      name: "shop", about: "a shop", base: try WebAddress("https://api.example/v1"),
      streams: [stream], source: "a test")
  }

  /// - Parameters:
  ///   - isOnePage: the job says that the list has one page.
  ///   - isAsked: each request names the size of its page.
  static func stream(
    _ pager: Pager, size: Int? = 100, total: Total.Trust? = nil, more: Bool = false,
    cap: Cap? = nil, overlaps: Bool = false, isOnePage: Bool = false, isAsked: Bool = true
  ) throws -> Base.Stream {
    var stream = Base.Stream(
      name: "things", path: Template([.text("/things")]), pager: pager,
      records: try JSONPath("items"), table: "things", key: ["id"], columns: [])
    stream.size = size.map { PageSize(parameter: isAsked ? "size" : nil, value: $0) }
    stream.hasOnePage = isOnePage
    if let total { stream.total = Total(paths: [try JSONPath("total")], trust: total) }
    if more { stream.more = [try JSONPath("more")] }
    stream.cap = cap
    // Pages by offset overlap, unless the job expects the list to be cut off.
    if case .offset = pager, !overlaps, cap == nil {
      stream.cap = Cap(at: 1_000_000, doubt: 1_000_000, expected: "it has no end")
    }
    return stream
  }

  /// The table of a list in each record.
  static func child(_ table: String, at path: String) throws -> ChildTable {
    ChildTable(
      table: table, records: try JSONPath(path), key: ["id"], parentKeyNames: ["thing"],
      columns: [])
  }

  static func builder(
    _ stream: Base.Stream, _ values: [ParameterValue] = [], window: TimeWindow? = nil
  ) throws -> StepBuilder {
    let unit = Unit(stream: stream.name, values: values, window: window)
    return try StepBuilder(job: try job(stream), stream: stream, unit: unit)
  }

  /// What a stream's reader makes of an answer.
  static func read(
    _ answer: Answer, of stream: Base.Stream, at cursor: Cursor? = nil
  ) throws -> Reading {
    PageReader(job: try job(stream), stream: stream).read(answer, AnswerBody(answer), at: cursor)
  }

  static func read(
    _ body: String, of stream: Base.Stream, at cursor: Cursor? = nil
  ) throws -> Reading { try read(PageReaderTests.answer(body), of: stream, at: cursor) }

  static func page(_ body: String, of stream: Base.Stream) throws -> Page {
    try PageReaderTests.page(read(body, of: stream))
  }

  /// The signs in an answer: `paging.next more`
  static func signs(
    _ body: String, _ fields: [HeaderField] = [], status: Int = 200, pager: Pager = .single,
    records: String = "items", at address: String = PageReaderTests.place,
    change: (inout Base.Stream) throws -> Void = { _ in }
  ) throws -> [String] {
    var stream = try Self.stream(pager, size: 10)
    stream.records = try JSONPath(records)
    try change(&stream)
    let answer = try PageReaderTests.answer(body, status: status, fields, at: address)
    return try PageReaderTests.page(read(answer, of: stream)).signs
      .map { "\($0.place) \($0.kind.rawValue)" }
  }

  static let number = Pager.number(parameter: "page", first: 1)
  static let offset = Pager.offset(parameter: "offset")
  static func token() throws -> Pager { .token(parameter: "token", next: try JSONPath("next")) }
  static func address() throws -> Pager { .address(next: try JSONPath("next")) }
}
