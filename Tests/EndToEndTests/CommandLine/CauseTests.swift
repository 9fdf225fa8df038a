import Glibc
import TestSupport
import Testing

/// One row of the table of causes: what happened, and what the user is told.
struct CauseRow: Sendable, CustomTestStringConvertible {
  let cause: String, what: String
  /// The server's answer; nil: there is no server.
  let reply: AnswerServer.Reply?
  let status: Int32
  /// Words of the message: what, where, what to do.
  let words: [String]

  init(
    _ cause: String, _ what: String, _ reply: AnswerServer.Reply?, _ status: Int32,
    _ words: String...
  ) {
    (self.cause, self.what, self.reply) = (cause, what, reply)
    (self.status, self.words) = (status, words)
  }

  /// Whether a retry might help: by the next run, too.
  var isRetried: Bool { [69, 75].contains(status) }
  var testDescription: String { "\(cause): \(what)" }

  static let all = [
    CauseRow("network", "nobody listens", nil, 69, "127.0.0.1", "refused"),
    CauseRow("client", "418", .json("{}", status: 418), 1, "/books", "418"),
    CauseRow("client", "404", .json("{}", status: 404), 3, "/books", "404"),
    CauseRow("server", "500", .json("{}", status: 500), 75, "500"),
    CauseRow("server", "599", .json("{}", status: 599), 75, "599"),
    CauseRow(
      "status", "a redirect that leads nowhere", .json("{}", status: 300), 1, "/books", "300"),
    CauseRow("empty", "200 without a body", AnswerServer.Reply(), 75, "empty body", "200"),
    CauseRow("parse", "JSON of another form", .json("{\"error\":\"no\"}"), 1, "items", "error"),
    CauseRow("parse", "no JSON", .json("<html>"), 75, "JSON"),
  ]
}

@Suite("Causes", .prompt)
struct CauseTests {
  private let home = Home()

  @Test(
    "are told apart, in a sentence with place and reason, and in the report",
    arguments: CauseRow.all)
  func told(row: CauseRow) async throws {
    let server = AnswerServer { _ in row.reply ?? AnswerServer.Reply() }
    let dead = DeadPort()
    let job = home.write(
      Shelf.job(base: row.reply == nil ? dead.origin : server.origin), to: "shelf.json5")
    let ended = await home.trawl("run", job, "--max-requests", "2", ends: row.status)
    for word in row.words { #expect(ended.errors.holds(word), "\(word): \(ended.errors)") }
    #expect(!ended.errors.holds("Error("), "\(ended.errors)")
    let told = await home.trawl("report", "shelf", "--json")
    #expect(told.output.holds("\"\(row.cause)\":") == row.isRetried, "\(told.output)")
    #expect(server.calls.count == (row.reply == nil ? 0 : row.isRetried ? 2 : 1))
  }

  @Test("request: a value that makes no request is refused, and nothing is sent")
  func request() async throws {
    let server = AnswerServer { _ in AnswerServer.Reply() }
    await home.trawl(
      "run", "github", "--endpoint", server.origin, "--set", "user=a b", ends: 64, saying: "user",
      "letters")
    #expect(server.calls.isEmpty)
  }

  @Test("store: a folder that refuses is named with what helps, and nothing is sent")
  func store() async throws {
    let server = AnswerServer { _ in AnswerServer.Reply() }
    let job = home.write(Shelf.job(base: server.origin), to: "shelf.json5")
    home.write("no folder", to: home.data)
    await home.trawl("run", job, ends: 73, saying: home.data, "--data")
    #expect(server.calls.isEmpty)
  }
}
