import Base
import Walk
import Testing

@Suite("The answer to the question whether one record is still there")
struct RecordQuestionTests {
  private static func question(records: String? = nil) throws -> RecordQuestion {
    var confirmation = Confirmation(
      Confirmation.Question(
        path: try #require(Template("/users/{record.login}/following/{login}")),
        query: [QueryItem("v", try #require(Template("{record.id}")))]))
    confirmation.records = try records.map { try JSONPath($0) }
    confirmation.lookup = Confirmation.Question(path: try #require(Template("/user/{record.id}")))
    confirmation.renewed = ["login": try JSONPath("login")]
    var stream = Stream(
      name: "followers", path: try #require(Template("/users/{login}/followers")), pager: .link,
      records: try JSONPath("."), table: "users", key: ["id"],
      columns: [Column(name: "id", source: .paths([try JSONPath("id")]), kind: .integer)])
    stream.confirmation = confirmation
    var job = Job(
      name: "people", about: "", base: try WebAddress("https://api.example.org/v1"),
      streams: [stream], source: "a test")
    job.errors = [
      ErrorRule(statuses: [403...403], action: .skip),
      ErrorRule(statuses: [418...418], action: .end),
    ]
    return try #require(RecordQuestion(job, stream))
  }

  private static func answer(
    _ status: Int, _ body: String = "", _ fields: [HeaderField] = [],
    from origin: String = "https://api.example.org"
  ) throws -> Answer {
    let now = Instant(seconds: 1_795_269_600)
    return Answer(
      status: status, fields: HeaderFields(fields), body: Array(body.utf8),
      address: try WebAddress("\(origin)/v1/users/a/following/b"), sentAt: now, receivedAt: now)
  }

  /// The result in one word.
  private static func reading(
    _ question: RecordQuestion, _ answer: Answer, isLookup: Bool = false
  ) -> String {
    switch question.read(answer, isLookup: isLookup, attempt: 1, since: .seconds(60)) {
    case .value(.present): "there"
    case .value(.gone): "gone"
    case .value(.unknown): "nothing"
    case .value(.renewed(let values)): values.map { "\($0)=\($1)" }.joined()
    case .decision(.retry), .decision(.postpone): "later"
    case .decision: "nothing"
    }
  }

  @Test(
    "is what its status says; what is no answer says nothing",
    arguments: [
      (204, "there"), (200, "there"), (404, "gone"), (410, "gone"), (401, "nothing"),
      (403, "nothing"), (451, "nothing"), (400, "nothing"), (418, "nothing"), (422, "nothing"),
      (304, "nothing"), (202, "later"), (429, "later"), (500, "later"), (503, "later"),
    ])
  func statuses(status: Int, told: String) throws {
    #expect(Self.reading(try Self.question(), try Self.answer(status, "{}")) == told)
  }

  @Test(
    "is what stands at `records`: an empty list is gone, an object with its key is there, others say nothing",
    arguments: [
      ("items", #"{"items": []}"#, "gone"), ("items", #"{"items": [{"id": 1}]}"#, "there"),
      ("items", "{}", "nothing"), ("items", #"{"items": null}"#, "nothing"),
      ("items", #"{"items": {}}"#, "nothing"), ("items", "", "nothing"),
      ("items", "<html>", "nothing"), ("items", #"{"error": "lost", "data": []}"#, "nothing"),
      // The record alone, as most APIs answer.
      (".", #"{"id": 1}"#, "there"), ("item", #"{"item": {"id": 1}}"#, "there"),
      (".", #"{"message": "none"}"#, "nothing"), (".", #"{"id": null}"#, "nothing"),
      (".", "{}", "nothing"), ("item", #"{"id": 1, "item": null}"#, "nothing"),
      (".", "[]", "gone"),
    ])
  func lists(place: String, body: String, told: String) throws {
    #expect(Self.reading(try Self.question(records: place), try Self.answer(200, body)) == told)
  }

  @Test("of a lookup is what the record is called now, or that it is gone, or nothing")
  func lookups() throws {
    let question = try Self.question()
    for (status, body, told) in [
      (200, #"{"login": "anna"}"#, "login=anna"), (200, #"{"login": 17}"#, "login=17"),
      (200, #"{"login": ""}"#, "nothing"), (200, #"{"login": null}"#, "nothing"),
      (200, "{}", "nothing"), (200, "", "nothing"), (204, "", "nothing"), (404, "{}", "gone"),
      (403, "{}", "nothing"), (500, "{}", "later"),
    ] {
      #expect(
        Self.reading(question, try Self.answer(status, body), isLookup: true) == told, "\(body)")
    }
  }

  @Test("says nothing when it is older than the walk, or came from elsewhere")
  func foreign() throws {
    let question = try Self.question()
    let old = [HeaderField("Age", "61")]
    let young = [HeaderField("Age", "60")]
    #expect(Self.reading(question, try Self.answer(404, "", old)) == "nothing")
    #expect(Self.reading(question, try Self.answer(404, "", young)) == "gone")
    let elsewhere = try Self.answer(404, from: "https://login.example.org")
    #expect(Self.reading(question, elsewhere) == "nothing")
  }

  @Test("is asked for at an address of the record's columns and the list's values")
  func addresses() throws {
    let question = try Self.question()
    let record = ["login": "a/b", "id": "7"]
    let request = [ParameterValue("login", "me")]
    func address(_ isLookup: Bool, _ record: [String: String]) throws -> String {
      try question.address(isLookup: isLookup, record: record, request: request).description
    }
    #expect(
      try address(false, record) == "https://api.example.org/v1/users/a%2Fb/following/me?v=7")
    #expect(try address(true, record) == "https://api.example.org/v1/user/7")
    for bad in [["id": "7"], ["id": "7", "login": ""], ["id": "7", "login": ".."]] {
      #expect(throws: StepProblem.self) { try address(false, bad) }
    }
  }
}
