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

  @Test("a path to one entry of a list is named by check and by the run, with the list's path")
  func oneOfMany() async {
    let server = Self.server()
    let told = "\"items\" is a list of 20; \"items.0\" is one of them: write records: \"items\""
    let file = job(server, records: "items.0", pages: "single")
    for command in ["check", "try", "run"] {
      let ended = await home.trawl(command, file)
      #expect((ended.output + ended.errors).holds(told), "\(ended.output)\(ended.errors)")
    }
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
    for command in ["check", "run"] {
      let ended = await home.run([command, file, "--data", home.data])
      #expect((ended.output + ended.errors).holds(told), "\(ended.output)\(ended.errors)")
    }
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
    let ended = await home.run(
      ["check", job(server, pages: "single")], ends: 0, showing: "1 record came twice")
    #expect(!ended.output.holds("apart"), "\(ended.output)")
  }

  @Test(
    "an order that page 1 contradicts, pictures that are none, and an unused parameter are noted")
  func others() async {
    let server = Self.server()
    let more = "order: \"id falling\", media: { photo: \"title\" }"
    let ended = await home.run(["check", job(server, pages: "offset", more)])
    for told in [
      "order says \"id falling\", and page 1 is rising", "media: photo is title",
      "nothing uses \"unused\"",
    ] {
      #expect(ended.output.holds(told), "\(told): \(ended.output)")
    }
    let sound = await home.run(["check", job(server, pages: "offset", "order: \"id rising\"")])
    #expect(!sound.output.holds("order says"), "\(sound.output)")
  }

  @Test("a step of whole seconds is noted where the times of page 1 have fractions")
  func step() async {
    let server = AnswerServer { call in
      let time = call.path == "/fine" ? "10:20:30.250" : "10:20:30"
      return .json(#"{"items": [{"id": 1, "at": "2026-11-01T\#(time)Z"}]}"#)
    }
    for (path, more, isNoted) in [
      ("/fine", #"step: "1s""#, true), ("/fine", #"step: "1s", end: "outside""#, false),
      ("/fine", #"step: "1s", form: "time(3)""#, false), ("/fine", #"overlap: "1s""#, false),
      ("/whole", #"step: "1d""#, false),
    ] {
      let file = home.write(
        """
        { name: "things", base: "\(server.origin)", streams: { things: { get: "\(path)",
          pages: { by: "single" }, window: { from: "?since", to: "?until", on: "at", \(more) },
          records: "items", key: ["id"], columns: ["id", { at: "at as time" }] } } }
        """, to: "things.json5")
      let ended = await home.run(["check", file])
      #expect(ended.output.holds("has a fraction of one") == isNoted, "\(ended.output)")
    }
  }

  @Test("a window by times that name no zone is noted, until the job names it")
  func zone() async {
    let server = AnswerServer { call in
      let zone = call.path == "/utc" ? "Z" : ""
      return .json(#"{"items": [{"id": 1, "at": "2026-11-01T10:20:30\#(zone)"}]}"#)
    }
    for (path, zone, isNoted) in [
      ("/local", "", true), ("/local", " in UTC", false), ("/utc", "", false),
    ] {
      let file = home.write(
        """
        { name: "things", base: "\(server.origin)", streams: { things: { get: "\(path)",
          pages: { by: "single" }, window: { from: "?since", on: "at" },
          records: "items", key: ["id"], columns: ["id", { at: "at as time\(zone)" }] } } }
        """, to: "things.json5")
      let ended = await home.run(["check", file])
      #expect(ended.output.holds("the times of at name no zone") == isNoted, "\(ended.output)")
    }
  }

  @Test("a keep that drops every record is told by check and by the run")
  func keep() async {
    let server = Self.server()
    let file = job(server, "keep: \"title = 'x'\"")
    for (command, count) in [("check", 20), ("run", 60)] {
      let ended = await home.trawl(command, file)
      #expect(
        (ended.output + ended.errors).holds("keep drops all \(count) records: title = 'x'"),
        "\(ended.output)\(ended.errors)")
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
    for words in [["check", file, "--offline"], ["run", file, "--data", home.data]] {
      let ended = await home.run(words)
      #expect(
        (ended.output + ended.errors).holds(
          words[0] == "run" ? home.advice("trawl key \(file)") : "trawl key \(file)"),
        "\(ended.output)\(ended.errors)")
    }
  }
}
