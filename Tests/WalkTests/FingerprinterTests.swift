import Base
import Walk
import Testing

@Suite("The fingerprints of a stream")
struct FingerprinterTests {
  static func job() throws -> Job {
    var stream = try FakeJob.stream(FakeJob.number, total: .counted)
    stream.path = try #require(Template("/users/{user}/things"))
    stream.query = [
      QueryItem("sort", Template([.text("new")])), QueryItem("q", Template([.hole("q")])),
    ]
    stream.columns = [
      Column(name: "id", source: .paths([try JSONPath("id")]), kind: .integer),
      Column(name: "at", source: .paths([try JSONPath("at")]), kind: .time(digits: 0, zone: nil)),
    ]
    stream.membership = Membership(
      table: "found", columns: [Column(name: "q", source: .parameter("q"))], keyNames: ["id"])
    stream.children = [
      ChildTable(
        table: "parts", records: try JSONPath("parts"), key: ["n"], parentKeyNames: ["id"],
        columns: [Column(name: "n", source: .position)])
    ]
    stream.window = Window(from: "since", to: "until", column: "at", overlap: .zero)
    var job = try FakeJob.job(stream)
    job.account = "me"
    return job
  }

  struct Change: Sendable, CustomTestStringConvertible {
    var name: String
    var request: Bool
    var mapping: Bool
    var make: @Sendable (inout Job) throws -> Void

    var testDescription: String { name }

    init(
      _ name: String, request: Bool = false, mapping: Bool = false,
      _ make: @escaping @Sendable (inout Job) throws -> Void
    ) {
      self.name = name
      self.request = request
      self.mapping = mapping
      self.make = make
    }
  }

  static let table: [Change] = [
    Change("the base's path", request: true) { $0.base.path = "/v2" },
    Change("the stream's path", request: true) { $0.streams[0].path.parts[2] = .text("/stuff") },
    Change("a hole for the same text", request: true) {
      $0.streams[0].query[0].value = Template([.hole("new")])
    },
    Change("a fixed value", request: true) {
      $0.streams[0].query[0].value = Template([.text("old")])
    },
    Change("a parameter more", request: true) {
      $0.streams[0].query.append(QueryItem("x", Template([.text("y")])))
    },
    Change("a parameter that is left out when empty", request: true) {
      $0.streams[0].query[1].isLeftOutIfEmpty = true
    },
    Change("slashes in a value", request: true) { $0.streams[0].slashes = ["user"] },
    Change("how a window is asked", request: true) { $0.streams[0].window?.from = "after" },
    Change("where the text of a window ends", request: true) {
      $0.streams[0].window?.step = .seconds(3600)
    },
    Change("where the text of a window begins", request: true) {
      $0.streams[0].window?.step = .seconds(3600)
      $0.streams[0].window?.includesEnd = false
    },
    Change("a step before a window", request: true) {
      $0.streams[0].window?.includesBegin = false
    },
    Change("whole seconds in a window that shares the instant of its end") {
      $0.streams[0].window?.step = .seconds(1)
      $0.streams[0].window?.includesEnd = false
    },
    Change("the account", request: true) { $0.account = nil },
    Change("who asks", request: true) { $0.era = 1 },
    Change("a header field", request: true) { $0.fields = [HeaderField("X-Shop", "b")] },
    Change("a header field of the stream", request: true) {
      $0.streams[0].fields = [HeaderField("Accept", "text/csv")]
    },
    Change("a column's path", mapping: true) {
      $0.streams[0].columns[0].source = .paths([try JSONPath("no")])
    },
    Change("an alternative path", mapping: true) {
      $0.streams[0].columns[0].source = .paths([try JSONPath("id"), try JSONPath("no")])
    },
    Change("a column's type", mapping: true) { $0.streams[0].columns[0].kind = .text },
    Change("a column's zone", mapping: true) {
      $0.streams[0].columns[1].kind = .time(digits: 0, zone: "Asia/Seoul")
    },
    Change("a column's name", mapping: true) { $0.streams[0].columns[1].name = "made_at" },
    Change("a column's SQL", mapping: true) { $0.streams[0].columns[1].expression = "trim(value)" },
    Change("what is absent", mapping: true) { $0.streams[0].columns[1].absent = ["-"] },
    Change("what is required", mapping: true) { $0.streams[0].columns[1].isRequired = true },
    Change("a column more", mapping: true) {
      $0.streams[0].columns.append(Column(name: "x", source: .constant("y")))
    },
    Change("keep", mapping: true) { $0.streams[0].keep = "id > 5" },
    Change("the key", mapping: true) { $0.streams[0].key = ["at"] },
    Change("where the records are", mapping: true) {
      $0.streams[0].records = try JSONPath("data")
    },
    Change("the table", mapping: true) { $0.streams[0].table = "stuff" },
    Change("the membership", mapping: true) { $0.streams[0].membership?.keyNames = ["thing_id"] },
    Change("a child table", mapping: true) { $0.streams[0].children[0].key = ["m"] },
    Change("the size of a page") { $0.streams[0].size?.value = 50 },
    Change("an answer that no rule of the end takes") {
      $0.errors = [ErrorRule(statuses: [404...404], action: .skip)]
    },
    Change("the host") { $0.base = try WebAddress("http://127.0.0.1:8080/v1") },
    Change("a slash at the base's end") { $0.base.path = "/v1/" },
    Change("the order of the query") { $0.streams[0].query.reverse() },
    Change("the order of the columns") { $0.streams[0].columns.reverse() },
    Change("words for a person") {
      $0.streams[0].about = "things"
      $0.streams[0].emptyHint = "none"
    },
    Change("what keeps a history") { $0.streams[0].columns[1].isVolatile = true },
  ]

  @Test("tell a number in a body from the same text, and from another kind of number")
  func typedBody() throws {
    let hole = Template([.hole("q")])
    let values: [BodyValue] = [.text(hole), .typed(hole, .integer), .typed(hole, .real)]
    let prints = try values.map { value in
      var job = try Self.job()
      job.streams[0].body = .json(.object([BodyValue.Member("n", value)]))
      return Fingerprinter.fingerprints(of: job.streams[0], in: job).request
    }
    #expect(Set(prints).count == 3)
  }

  @Test("change where they must, and nowhere else", arguments: table)
  func tell(change: Change) throws {
    var job = try Self.job()
    let before = Fingerprinter.fingerprints(of: job.streams[0], in: job)
    try change.make(&job)
    let after = Fingerprinter.fingerprints(of: job.streams[0], in: job)
    #expect((before.request != after.request) == change.request)
    #expect((before.mapping != after.mapping) == change.mapping)
  }

  static let ends: [Change] = [
    Change("the style of paging") { $0.streams[0].pager = .link },
    Change("the number of page 1") { $0.streams[0].pager = .number(parameter: "page", first: 0) },
    Change("the flag for more") { $0.streams[0].more = [try JSONPath("more")] },
    Change("the last page") { $0.streams[0].lastPage = .header("X-Last") },
    Change("a sign that is no sign") { $0.streams[0].unread = [["more"]] },
    Change("what the total is worth") { $0.streams[0].total?.trust = .estimate },
    Change("where the total is") { $0.streams[0].total?.field = "X-Total" },
    Change("a cap") { $0.streams[0].cap = Cap(at: 200, doubt: 200, expected: nil) },
    Change("an error that means the end") {
      $0.errors = [ErrorRule(statuses: [422...422], action: .end)]
    },
    Change("an error that means the cap") {
      $0.errors = [ErrorRule(statuses: [422...422], action: .end, isCap: true)]
    },
    Change("an error that means nothing") {
      $0.streams[0].errors = [ErrorRule(statuses: [422...422], action: .empty)]
    },
  ]

  @Test(
    "change with what ends a list, unless every run reads the whole list", arguments: ends)
  func tellEnds(change: Change) throws {
    var by: [(isReadWhole: Bool, make: (inout Base.Stream) -> Void)] = [
      (false, { _ in }), (true, { $0.window = nil }),
      (false, { ($0.window, $0.newestFirst) = (nil, "at") }),
    ]
    for (when, isReadWhole) in [(ParentFeed.When.new, false), (.run, false), (.all, true)] {
      by.append(
        (
          isReadWhole,
          {
            $0.window = nil
            $0.parent = ParentFeed(stream: "users", column: "user", when: when, batch: 1)
          }
        ))
    }
    for (isReadWhole, make) in by {
      var job = try Self.job()
      make(&job.streams[0])
      let before = Fingerprinter.fingerprints(of: job.streams[0], in: job)
      try change.make(&job)
      let after = Fingerprinter.fingerprints(of: job.streams[0], in: job)
      #expect((before.request == after.request) == isReadWhole)
      #expect(before.mapping == after.mapping)
    }
  }

  @Test("do not change with the order of an error's statuses, or of harmless signs")
  func orderOfEnds() throws {
    func print(_ statuses: [ClosedRange<Int>], _ unread: [[String]]) throws -> UInt64 {
      var job = try Self.job()
      job.errors = [ErrorRule(statuses: statuses, action: .end)]
      job.streams[0].unread = unread
      return Fingerprinter.fingerprints(of: job.streams[0], in: job).request
    }
    let turned = try print([410...410, 404...404], [["b"], ["a"]])
    #expect(try print([404...404, 410...410], [["a"], ["b"]]) == turned)
  }

  @Test("change with the step at which a window begins whose end is not asked for")
  func beginning() throws {
    func print(_ step: Duration?) throws -> UInt64 {
      var job = try Self.job()
      job.streams[0].window?.to = nil
      job.streams[0].window?.step = step
      return Fingerprinter.fingerprints(of: job.streams[0], in: job).request
    }
    let seconds = try print(.seconds(1))
    #expect(try print(nil) == seconds && print(.seconds(3600)) != seconds)
  }

  @Test("change with what windows of days ask for at their end")
  func days() throws {
    func print(_ includesEnd: Bool) throws -> UInt64 {
      var job = try Self.job()
      job.streams[0].window?.form = .date
      job.streams[0].window?.includesEnd = includesEnd
      return Fingerprinter.fingerprints(of: job.streams[0], in: job).request
    }
    #expect(try print(true) != print(false))
  }

  @Test("never change between processes and versions: they are stored")
  func pinned() throws {
    let job = try Self.job()
    let prints = Fingerprinter.fingerprints(of: job.streams[0], in: job)
    #expect(prints.request == 12_649_835_919_738_311_088)
    #expect(prints.mapping == 16_873_265_012_272_866_907)
  }
}
