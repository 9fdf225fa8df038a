import Base
import Glibc
import TestSupport
import Testing

@Suite("trawl check asks what a run would ask first", .prompt)
struct CheckRunTests {
  private let home = Home()

  /// Four streams of the same form, each with its own path.
  private static func job(_ server: AnswerServer, _ home: Home) -> String {
    let streams = ["books", "empty", "silent", "closed"].map { name in
      """
      \(name): { get: "/\(name)", records: "items", into: "\(name)", key: ["id"],
        pages: { by: "single" }, columns: { id: "id as integer" } },
      """
    }
    return home.write(
      """
      { name: "shelf", about: "books", base: "\(server.origin)",
        streams: { \(streams.joined(separator: "\n")) } }
      """, to: "shelf.json5")
  }

  private static func server() -> AnswerServer {
    AnswerServer { call in
      switch call.target {
      case "/books": .json("{\"items\": [{\"id\": 1}, {\"id\": 2}]}")
      case "/empty": .json("{\"items\": []}")
      case "/silent": AnswerServer.Reply(status: 204)
      default: .json("{\"message\": \"not for you\"}", status: 403)
      }
    }
  }

  @Test(
    "and ends at the first Ctrl-C, as trawl try does, while a server takes its request and never answers",
    arguments: ["check", "try"])
  func silence(command: String) async throws {
    let asking = Locked<BinaryRun?>(nil)
    let server = ScriptedServer { _ in
      asking.withLock { $0?.kill(SIGINT) }
      return [.hold]
    }
    defer { server.stop() }
    let job = home.write(
      """
      { name: "shelf", about: "books", base: "\(server.origin)", streams: { books: {
        get: "/books", records: "items", key: ["id"], pages: { by: "single" }, columns: ["id integer"] } } }
      """, to: "shelf.json5")
    let run = asking.start { home.start([command, job, "--data", home.data]) }
    let ended = await run.end()
    asking.withLock { $0 = nil }
    #expect(ended.status == 128 + SIGINT, "\(ended.output)\(ended.errors)")
    #expect(server.bytesSent.count == 1)
    #expect(!(ended.output + ended.errors).holds("is kept"), "\(ended.errors)")
  }

  @Test("and sends nothing where one of its words names no job")
  func unknownWord() async throws {
    let server = Self.server()
    await home.trawl(
      "check", Self.job(server, home), "nosuch", ends: 64, saying: "there is no job \"nosuch\"")
    #expect(server.calls.isEmpty)
  }

  @Test("and says of each stream what was read and what was not, one request each; nothing is kept")
  func asks() async throws {
    let server = Self.server()
    let ended = await home.trawl("check", Self.job(server, home), ends: 4)
    #expect(server.calls.map(\.target).sorted() == ["/books", "/closed", "/empty", "/silent"])
    for part in [
      "books: 2 records (HTTP 200", "empty: no record (HTTP 200", "silent",
      "closed was not read (HTTP 403",
    ] {
      #expect(ended.output.holds(part), "\(part): \(ended.output)")
    }
    #expect(ended.errors.holds("page 1 of its 4 streams, one request each"))
    #expect(access(home.database, F_OK) != 0)
  }

  @Test("and nothing with --offline, which reads the file alone")
  func offline() async throws {
    let server = Self.server()
    let job = Self.job(server, home)
    let ended = await home.trawl("check", job, "--offline")
    #expect(ended.status == 0 && server.calls.isEmpty, "\(ended.output)\(ended.errors)")
    // Without a key, too: a build server has none.
    await home.trawl("check", "newsapi", "--offline", ends: 0, showing: "needs a secret")
  }

  @Test("-q is silent on a pause, and on a run that another one keeps from beginning")
  func quiet() async throws {
    let server = Self.server()
    let run = ["run", Self.job(server, home), "--stream", "books", "--data", home.data, "-q"]
    let paused = await home.run(run + ["--max-requests", "0"], ends: 75)
    #expect(paused.output.isEmpty && paused.errors.isEmpty, "\(paused.errors)")
    let json = await home.run(run + ["--max-requests", "0", "--json"])
    #expect(json.status == 75 && json.errors.isEmpty, "\(json.errors)")
  }
}
