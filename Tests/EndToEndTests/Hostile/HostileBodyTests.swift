import Glibc
import SandboxKit
import TestSupport
import Testing

/// What a server may send instead of a page, tested with the whole program.
@Suite("Hostile bodies", .prompt)
struct HostileBodyTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// The body of the page.
    var body: [UInt8]
    var status: Int32
    /// The ids that are stored afterwards.
    var stored: [Int] = []
    /// The stored rejects, of records or values.
    var rejects = 0
    var type = "application/json"

    var testDescription: String { name }
  }

  private static func items(_ records: [String]) -> [UInt8] {
    Array("{\"items\":[\(records.joined(separator: ","))]}".utf8)
  }

  private static func record(_ id: Int, _ more: String = "") -> String {
    "{\"id\":\(id),\"title\":\"book \(id)\"\(more)}"
  }

  private static func deep(_ levels: Int) -> String {
    String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
  }

  /// A list whose second record has additional bytes in its title.
  private static func spoiled(_ bytes: [UInt8]) -> [UInt8] {
    Array("{\"items\":[\(record(1)),{\"id\":2,\"title\":\"a".utf8) + bytes
      + Array("b\"},\(record(3))]}".utf8)
  }

  static let cases = [
    Case(name: "a usual page", body: items([record(1), record(2)]), status: 0, stored: [1, 2]),
    Case(
      name: "a record 10,000 levels deep",
      body: items([record(1), record(2, ",\"more\":\(deep(10_000))"), record(3)]),
      status: 3, stored: [1, 3], rejects: 1),
    Case(name: "a page that is 10,000 levels deep", body: Array(deep(10_000).utf8), status: 75),
    Case(
      name: "brackets that never close", body: Array(String(repeating: "[", count: 1 << 20).utf8),
      status: 75),
    Case(
      name: "keys twice: the first wins",
      body: items(["{\"id\":1,\"id\":7,\"title\":\"a\",\"title\":\"b\"}", record(2)]), status: 0,
      stored: [1, 2]),
    Case(
      name: "an escaped NUL in a text",
      body: items([record(1), "{\"id\":2,\"title\":\"a\\u0000b\"}"]),
      status: 0, stored: [1, 2]),
    Case(name: "a bare NUL in a text", body: spoiled([0]), status: 0, stored: [1, 2, 3]),
    Case(
      name: "numbers of 400 digits",
      body: items([
        record(1, ",\"price\":\(String(repeating: "9", count: 400))"),
        "{\"id\":\(String(repeating: "9", count: 400)),\"title\":\"x\"}",
        record(3, ",\"price\":1e400"),
      ]), status: 3, stored: [1, 3], rejects: 3),
    Case(name: "bad byte in a record", body: spoiled([0xFF]), status: 0, stored: [1, 2, 3]),
    Case(
      name: "half a surrogate pair in one record", body: spoiled(Array("\\ud83d".utf8)), status: 0,
      stored: [1, 2, 3]),
    Case(
      name: "a bad escape in one record", body: spoiled(Array("\\q".utf8)), status: 3,
      stored: [1, 3], rejects: 1),
    Case(
      name: "numbers that are none",
      body: items([record(1), "{\"id\":007}", record(3), "{\"id\":NaN}"]), status: 3,
      stored: [1, 3], rejects: 2),
    Case(
      name: "a stray quote: nobody knows where its record ends", body: spoiled(Array("\"".utf8)),
      status: 75),
    Case(
      name: "HTML under 200", body: Array("<html><body>Sorry.</body></html>".utf8), status: 1,
      type: "text/html"),
    Case(name: "no byte under 200", body: [], status: 75),
    Case(
      name: "a record in place of the list", body: Array("{\"items\":{\"id\":1}}".utf8), status: 0,
      stored: [1]),
    Case(
      name: "records that are none", body: items(["null", "7", "\"x\"", "[]", record(5)]),
      status: 3,
      stored: [5], rejects: 4),
  ]

  /// The limit of the program's data, including thread stacks: an ordinary run takes up to 120 MB, nearly all of it for
  /// stacks.
  private static let memoryMax = 160 << 20

  @Test("end in a clear, counted outcome, with flat memory", arguments: cases)
  func ending(of hostile: Case) async throws {
    let server = AnswerServer { _ in
      AnswerServer.Reply(fields: ["Content-Type: \(hostile.type)"], body: hostile.body)
    }
    let home = Home()
    let job = home.write(Shelf.job(base: server.origin), to: "shelf.json5")
    // Unreadable bodies are retried with growing waits: once is enough here.
    let ended = await home.trawl(
      "run", job, "-v", "--max-requests", "2", memoryMax: Self.memoryMax, ends: hostile.status)
    let stored = try home.tables.texts("SELECT id FROM shelf_books ORDER BY id")
    #expect(stored == hostile.stored.map(String.init))
    #expect(try home.count("trawl_rejects") == hostile.rejects)
    let certificates = try home.tables.texts(
      "SELECT verdict, received = new + changed + unchanged + repeated + dropped + rejected "
        + "FROM trawl_certificates")
    let verdicts = [0: "complete", 1: "failed", 3: "incomplete", 75: "paused"] as [Int32: String]
    #expect(certificates == ["\(verdicts[hostile.status] ?? "")|1"])
    if ended.status == 75 {
      let tells = ended.errors.holds("until then: ") || ended.errors.holds("another try: ")
      #expect(tells, "\(ended.errors)")
    }
    #expect(try home.tables.texts("PRAGMA integrity_check") == ["ok"])
  }

  @Test(
    "that never end, or unpack to far more, are refused at the cap, with flat memory",
    .timeLimit(.minutes(10)), arguments: [FaultKind.endless, .gzipBomb])
  func beyondTheCap(kind: FaultKind) async throws {
    let sandbox = try Sandbox.small()
    sandbox.arm(ArmedFault(kind, target: "/followers", count: 1000))
    let home = Home()
    // An answer may have 32 MB, and takes three times that while its buffer doubles.
    let most = Self.memoryMax + 192 << 20
    await home.run(home.arguments("github", sandbox, ["-v"]), memoryMax: most, ends: 1)
    let verdicts = try home.tables.verdicts()
    #expect(verdicts["followers of octocat"] == "failed", "\(verdicts)")
    #expect(verdicts["following of octocat"] == "complete", "\(verdicts)")
  }
}
