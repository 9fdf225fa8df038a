import Base
import TestSupport
import Testing

@Suite("What is said of a job that needs a person", .prompt)
struct AdviceRunTests {
  private let home = Home()

  private func job(_ server: AnswerServer, _ more: String = "") -> String {
    let pages = #"by: "number", to: "?page", size: "?limit=20""#
    return home.write(
      Shelf.job(
        base: server.origin, pages: pages, name: "j", stream: "things",
        columns: #"id: "id as integer""#, list: more), to: "j.json5")
  }

  private static func page(_ call: AnswerServer.Call, of count: Int) -> AnswerServer.Reply {
    let number = call.number("page") ?? 1
    let size = call.number("limit") ?? 20
    let ids = number < 1 ? [] : Array(1...count).dropFirst((number - 1) * size).prefix(size)
    return .json("{\"items\": [\(ids.map { "{\"id\": \($0)}" }.joined(separator: ","))]}")
  }

  @Test(
    "a list that lost too much is incomplete and not failed, and each command in what is printed acts on this folder"
  )
  func withheld() async throws {
    let count = Locked(137)
    let server = AnswerServer { call in Self.page(call, of: count.withLock { $0 }) }
    let job = job(server, "vanish: \"mark\",")
    let folder = ["--data", home.data]
    await home.trawl("run", job, ends: 0)
    count.withLock { $0 = 40 }
    await home.trawl("run", job, ends: 3)
    await home.trawl("run", job)
    let all = await home.trawl(
      "status", showing: "1 incomplete", home.advice("trawl run j") + " --accept-vanish")
    #expect(!all.output.holds("failed"), "\(all.output)")
    for words in [["status", "j"], ["report", "j", "--explain"]] {
      let shown = await home.run(
        words + folder, showing: "(if they are gone: a run with --accept-vanish 97 marks them)")
      #expect(!shown.output.holds("trawl run j"), "\(shown.output)")
    }
    // That it is too old comes first.
    await home.trawl("status", "--max-age", "0s", showing: "1 late")
  }

  @Test("a page that is refused further down is not looked for on page 1 alone")
  func failed() async throws {
    let server = AnswerServer { call in
      call.number("page") ?? 1 > 2
        ? .json("{\"error\": \"too deep\"}", status: 400) : Self.page(call, of: 137)
    }
    let job = job(server)
    await home.trawl(
      "run", job, ends: 1,
      saying: "things failed; to see why, and what page 1 answers now: trawl check")
    await home.trawl("check", job, showing: "things: failed: page 3 is refused")
  }

  @Test("a word that is neither a run nor a time is answered with the names of runs")
  func runs() async throws {
    let job = job(AnswerServer { call in Self.page(call, of: 7) })
    await home.trawl("run", job)
    let name = try home.tables.texts("SELECT name FROM trawl_runs")[0]
    await home.trawl(
      "report", "j", "--changes", "--since", "yesterday", ends: 64, saying: "its last runs: \(name)"
    )
    await home.trawl(
      "report", "j", "--changes", "--since", name, ends: 0, showing: "since the run of")
  }
}
