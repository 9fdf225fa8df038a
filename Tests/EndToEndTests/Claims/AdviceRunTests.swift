import Base
import TestSupport
import Testing

@Suite("What is said of a job that needs a person", .prompt)
struct AdviceRunTests {
  private let home = Home()

  private func job(_ server: AnswerServer, _ more: String = "") -> String {
    home.write(
      """
      {
        base: "\(server.origin)",
        streams: {
          things: {
            get: "/t", pages: { by: "number", to: "?page", size: "?limit=20" }, records: "items",
            \(more) columns: ["id integer"],
          },
        },
      }
      """, to: "j.json5")
  }

  private static func page(_ call: AnswerServer.Call, of count: Int) -> AnswerServer.Reply {
    let number = call.parameters["page"].flatMap(Int.init) ?? 1
    let size = call.parameters["limit"].flatMap(Int.init) ?? 20
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
    await home.run(["run", job] + folder, ends: 0)
    count.withLock { $0 = 40 }
    await home.run(["run", job] + folder, ends: 3)
    await home.run(["run", job] + folder)
    let all = await home.run(["status"] + folder)
    #expect(all.output.holds("1 incomplete") && !all.output.holds("failed"), "\(all.output)")
    #expect(all.output.holds(home.advice("trawl run j") + " --accept-vanish"), "\(all.output)")
    for words in [["status", "j"], ["report", "j", "--explain"]] {
      let shown = await home.run(words + folder)
      #expect(
        shown.output.holds("(if they are gone: a run with --accept-vanish 97 marks them)"),
        "\(shown.output)")
      #expect(!shown.output.holds("trawl run j"), "\(shown.output)")
    }
    // That it is too old comes first.
    try await Task.sleep(for: .seconds(2))
    let late = await home.run(["status", "--max-age", "1s"] + folder)
    #expect(late.output.holds("1 late"), "\(late.output)")
  }

  @Test("a page that is refused further down is not looked for on page 1 alone")
  func failed() async throws {
    let server = AnswerServer { call in
      call.parameters["page"].flatMap(Int.init) ?? 1 > 2
        ? .json("{\"error\": \"too deep\"}", status: 400) : Self.page(call, of: 137)
    }
    let job = job(server)
    let run = await home.run(["run", job, "--data", home.data], ends: 1)
    #expect(
      run.errors.holds("things failed; to see why, and what page 1 answers now: trawl check"),
      "\(run.errors)")
    let check = await home.run(["check", job, "--data", home.data])
    #expect(check.output.holds("things: failed: page 3 is refused"), "\(check.output)")
  }

  @Test("a word that is neither a run nor a time is answered with the names of runs")
  func runs() async throws {
    let server = AnswerServer { call in Self.page(call, of: 7) }
    let job = job(server)
    await home.run(["run", job, "--data", home.data])
    let name = try home.tables.texts("SELECT name FROM trawl_runs")[0]
    let ended = await home.run(
      ["report", "j", "--changes", "--since", "yesterday", "--data", home.data], ends: 64)
    #expect(ended.errors.holds("its last runs: \(name)"), "\(ended.errors)")
    let right = await home.run(
      ["report", "j", "--changes", "--since", name, "--data", home.data], ends: 0)
    #expect(right.output.holds("since the run of"), "\(right.output)")
  }

  @Test("a draft of one page whose answer says that more follow is not all of the list")
  func draft() async throws {
    let server = AnswerServer { _ in
      .json("{\"items\": [{\"id\": 1}, {\"id\": 2}, {\"id\": 3}], \"has_more\": true}")
    }
    let file = "\(home.scratch.path)/draft.json5"
    let ended = await home.run(["new", "\(server.origin)/v1/things", "--yes", "-o", file], ends: 3)
    #expect(ended.errors.holds("page 1 says that more follow"), "\(ended.errors)")
  }
}
