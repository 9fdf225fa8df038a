import Glibc
import TestSupport
import Testing

/// One row of the table of causes: what happened, and what the user is told.
struct CauseRow: Sendable, CustomTestStringConvertible {
  var cause: String
  var what: String
  /// The server's answer; nil: there is no server.
  var reply: AnswerServer.Reply?
  var status: Set<Int32>
  /// Words of the message: what, where, what to do.
  var words: [String]
  /// Whether a retry might help.
  var isRetried: Bool

  var testDescription: String { "\(cause): \(what)" }

  static let all = [
    CauseRow(
      cause: "network", what: "nobody listens", reply: nil, status: [69, 75],
      words: ["127.0.0.1", "refused"], isRetried: true),
    CauseRow(
      cause: "client", what: "418", reply: .json("{}", status: 418), status: [1],
      words: ["/books", "418"], isRetried: false),
    CauseRow(
      cause: "client", what: "404", reply: .json("{}", status: 404), status: [3],
      words: ["/books", "404"], isRetried: false),
    CauseRow(
      cause: "server", what: "500", reply: .json("{}", status: 500), status: [75, 69],
      words: ["500"], isRetried: true),
    CauseRow(
      cause: "server", what: "599", reply: .json("{}", status: 599), status: [75, 69],
      words: ["599"], isRetried: true),
    CauseRow(
      cause: "status", what: "a redirect that leads nowhere", reply: .json("{}", status: 300),
      status: [1], words: ["/books", "300"], isRetried: false),
    CauseRow(
      cause: "empty", what: "200 without a body", reply: AnswerServer.Reply(), status: [75],
      words: ["empty body", "200"], isRetried: true),
    CauseRow(
      cause: "parse", what: "JSON of another form", reply: .json("{\"error\":\"no\"}"),
      status: [1], words: ["items", "error"], isRetried: false),
    CauseRow(
      cause: "parse", what: "no JSON", reply: .json("<html>"), status: [75], words: ["JSON"],
      isRetried: true),
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
      Shelf.job(base: row.reply == nil ? dead.origin : server.origin),
      to: "shelf.json5")
    let ended = await home.trawl("run", job, "--max-requests", "2")
    #expect(row.status.contains(ended.status), "\(ended.status) \(ended.errors)")
    for word in row.words { #expect(ended.errors.holds(word), "\(word): \(ended.errors)") }
    #expect(!ended.errors.holds("Error("), "\(ended.errors)")
    let told = await home.trawl("report", "shelf", "--json")
    #expect(told.output.holds("\"\(row.cause)\":") == row.isRetried, "\(told.output)")
    guard row.reply != nil else { return }
    #expect((server.calls.count > 1) == row.isRetried, "\(server.calls.count)")
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
