import Base
import TestSupport
import Testing

@Suite("What a night brought", .prompt)
struct NightsTests {
  /// Four things; in later nights with members that no column takes, and one with another name.
  private static func server(_ night: Locked<Int>) -> AnswerServer {
    AnswerServer { _ in
      let night = night.withLock { $0 }
      let things = (1...4).map { id in
        let name = night > 2 && id == 2 ? "Bob" : "n\(id)"
        let more = night > 1 ? #", "colour": "red", "size": { "w": 1 }"# : ""
        return #"{"id": \#(id), "name": "\#(name)", "mood": "ok"\#(more)}"#
      }
      return .json("[\(things.joined(separator: ", "))]")
    }
  }

  @Test("is said once of members that come newly, and value by value of what changed")
  func nights() async throws {
    let night = Locked(1)
    let server = Self.server(night)
    defer { server.stop() }
    let home = Home()
    let job = home.write(
      """
      { name: "things", base: "\(server.origin)", streams: { all: {
        get: "/all", pages: { by: "single" }, records: ".", into: "things", key: ["id"],
        keep: "id < 4", columns: { id: "id as integer", name: "name" },
        items: { title: "name" },
      } } }
      """, to: "things.json5")
    let command = ["run", job, "--data", home.data]
    let first = await home.run(command)
    #expect(first.status == 0 && !first.errors.holds("new field"), "\(first.errors)")
    // What came and what is in the table are two numbers, and one sentence.
    let report = await home.run(["report", "things", "--data", home.data])
    #expect(report.output.holds("3 rows, 1 dropped by rule of 4 received"), "\(report.output)")
    night.withLock { $0 = 2 }
    let second = await home.run(command)
    #expect(
      second.errors.holds("2 new fields since earlier today: colour, size.w"), "\(second.errors)")
    night.withLock { $0 = 3 }
    try await home.passSecond()
    let third = await home.run(command)
    #expect(third.status == 0 && !third.errors.holds("new field"), "\(third.errors)")
    let changes = await home.run(["report", "things", "--changes", "--data", home.data])
    #expect(changes.output.holds("name: n2 -> Bob"), "\(changes.output)")
    let table = try Tables(home).texts("SELECT record_key, old FROM trawl_changes")
    #expect(table == [#"2|{"name":"n2"}"#])
  }
}
