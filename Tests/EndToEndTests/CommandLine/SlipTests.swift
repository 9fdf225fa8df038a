import Base
import TestSupport
import Testing

@Suite("Slips of a job file whose every path leads to something", .prompt)
struct SlipTests {
  private let home = Home()

  /// Sixty records in ascending order, of seven authors, in numbered pages.
  private static func server() -> AnswerServer {
    AnswerServer { call in
      let page = call.number("page") ?? 1
      let records = (1...60).dropFirst(max(0, page - 1) * 20).prefix(20).map { id in
        #"{"id": \#(id), "title": "title \#(id)", "author": {"id": \#(id % 7)}}"#
      }
      return .json("{\"items\": [\(records.joined(separator: ", "))]}")
    }
  }

  private func job(
    _ server: AnswerServer, records: String = "items", id: String = "id", pages: String = "number",
    _ more: String = ""
  ) -> String {
    let paged =
      pages == "single"
      ? "by: \"single\""
      : "by: \"\(pages)\", to: \"?\(pages == "number" ? "page" : pages)\", size: 20"
    return home.write(
      """
      { name: "things", base: "\(server.origin)", params: { unused: "x" }, streams: { things: {
        get: "/all", pages: { \(paged) }, records: "\(records)", key: ["id"],
        columns: [{ id: "\(id) as integer" }, "title"], \(more) } } }
      """, to: "things.json5")
  }

  private func expect(_ told: String, by commands: String..., of file: String) async {
    for command in commands {
      let ended = await home.trawl(command, file)
      #expect(ended.everything.holds(told), "\(command): \(ended)")
    }
  }

  /// Whether check notes this of a list with this path and window, and times of this form.
  private func isNoted(
    _ told: String, _ server: AnswerServer, _ path: String, _ window: String, at: String
  ) async -> Bool {
    let file = home.write(
      """
      { name: "things", base: "\(server.origin)", streams: { things: { get: "\(path)",
        pages: { by: "single" }, window: { from: "?since", on: "at", \(window) },
        records: "items", key: ["id"], columns: ["id", { at: "\(at)" }] } } }
      """, to: "things.json5")
    return await home.run(["check", file], ends: 0).output.holds(told)
  }

  @Test("a path to one entry of a list is named by check and by the run, with the list's path")
  func oneOfMany() async {
    let server = Self.server()
    let told = "\"items\" is a list of 20; \"items.0\" is one of them: write records: \"items\""
    let file = job(server, records: "items.0", pages: "single")
    await expect(told, by: "check", "try", "run", of: file)
    let bare = AnswerServer { _ in .json("[{\"id\": 1}, {\"id\": 2}, {\"id\": 3}]") }
    await home.run(
      ["check", job(bare, records: "0", pages: "single")],
      showing: "the answer is a list of 3; \"0\" is one of them: write records: \".\"")
  }

  @Test("a nested list of which the path selects one entry is named by check and by the run")
  func oneOfNested() async {
    let server = AnswerServer { _ in
      .json(#"{"items": [{"id": 1, "title": "t", "lines": {"data": [{"id": 1}, {"id": 2}]}}]}"#)
    }
    let lines =
      "children: { lines: { records: \"lines.data.0\", key: [\"id\"], parent: { id: \"thing\" }, "
      + "columns: [\"id integer\"] } }"
    let file = job(server, pages: "single", lines)
    let told =
      "\"lines.data\" is a list of 2; \"lines.data.0\" is one of them: write records: \"lines.data\""
    await expect(told, by: "check", "run", of: file)
  }

  @Test("a key that does not tell records apart is a problem, however the list is paged")
  func key() async {
    let server = Self.server()
    for pages in ["number", "single"] {
      let file = job(server, id: "author.id", pages: pages)
      await home.run(["check", file], ends: 4, showing: "the key does not distinguish them")
    }
    await home.run(
      ["check", job(server, id: "author.id")], showing: "20 records have 7 different keys (id)")
  }

  @Test("a record that came twice is no clash of keys")
  func twice() async {
    let records = [1, 2, 2, 3].map { "{\"id\": \($0), \"title\": \"t\($0)\"}" }
    let server = AnswerServer { _ in .json("{\"items\": [\(records.joined(separator: ", "))]}") }
    await home.run(
      ["check", job(server, pages: "single")], ends: 0, showing: "1 record came twice",
      without: "does not distinguish")
  }

  @Test(
    "an order that page 1 contradicts, pictures that are none, and an unused parameter are noted")
  func others() async {
    let server = Self.server()
    let more = "order: \"id falling\", media: { photo: \"title\" }"
    await home.run(
      ["check", job(server, pages: "offset", more)],
      showing: "order says \"id falling\", and page 1 is rising", "media: photo is title",
      "nothing uses \"unused\"")
    await home.run(
      ["check", job(server, pages: "offset", "order: \"id rising\"")], without: "order says")
  }

  @Test("a step of whole seconds is noted where the times of page 1 have fractions")
  func step() async {
    let server = AnswerServer { call in
      let time = call.path == "/fine" ? "10:20:30.250" : "10:20:30"
      return .json(#"{"items": [{"id": 1, "at": "2026-11-01T\#(time)Z"}]}"#)
    }
    for (path, more, isDue) in [
      ("/fine", #"step: "1s""#, true), ("/fine", #"step: "1s", end: "outside""#, false),
      ("/fine", #"step: "1s", form: "time(3)""#, false), ("/fine", #"overlap: "1s""#, false),
      ("/whole", #"step: "1d""#, false),
    ] {
      let isNoted = await isNoted(
        "has a fraction of one", server, path, #"to: "?until", \#(more)"#, at: "at as time")
      #expect(isNoted == isDue, "\(path) \(more)")
    }
  }

  @Test("a window by times that name no zone is noted, until the job names it")
  func zone() async {
    let server = AnswerServer { call in
      let zone = call.path == "/utc" ? "Z" : ""
      return .json(#"{"items": [{"id": 1, "at": "2026-11-01T10:20:30\#(zone)"}]}"#)
    }
    for (path, zone, isDue) in [
      ("/local", "", true), ("/local", " in UTC", false), ("/utc", "", false),
    ] {
      let told = "the times of at name no zone"
      let isNoted = await isNoted(told, server, path, "", at: "at as time\(zone)")
      #expect(isNoted == isDue, "\(path)\(zone)")
    }
  }

  @Test("a keep that drops every record is told by check and by the run")
  func keep() async {
    let server = Self.server()
    let file = job(server, "keep: \"title = 'x'\"")
    for (command, count) in [("check", 20), ("run", 60)] {
      await expect("keep drops all \(count) records: title = 'x'", by: command, of: file)
    }
  }

  @Test("advice about a key names the path that was typed")
  func advice() async {
    let file = home.write(
      """
      { name: "lit", base: "https://api.example.com", auth: { secret: "lit-key", to: "header:X-Key" },
        streams: { things: { get: "/all", pages: { by: "single" }, records: ".", key: ["id"],
        columns: ["id"] } } }
      """, to: "lit.json5")
    let check = await home.run(["check", file, "--offline"]).everything
    #expect(check.holds("trawl key \(file)"), "\(check)")
    await expect(home.advice("trawl key \(file)"), by: "run", of: file)
  }
}
