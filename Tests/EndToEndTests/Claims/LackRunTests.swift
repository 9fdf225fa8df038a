import Base
import TestSupport
import Testing

@Suite("Records that lack the value by which lists of another stream are named", .prompt)
struct LackRunTests {
  private let home = Home()

  /// Twenty things, and a list of one record for any other request.
  private static func server(
    code: @escaping @Sendable (Int) -> Bool, region: @escaping @Sendable (Int) -> Bool
  ) -> AnswerServer {
    AnswerServer { call in
      if call.path != "/things" { return .json("{\"items\": [{\"id\": 1}]}") }
      let things = (1...20).map { id in
        "{\"id\": \(id), \"code\": \(code(id) ? "\"c\(id)\"" : "null"), "
          + "\"region\": \(region(id) ? "\"r\(id)\"" : "null")}"
      }
      return .json("{\"items\": [\(things.joined(separator: ","))]}")
    }
  }

  private func job(_ server: AnswerServer, _ subs: String) -> String {
    home.write(
      """
      {
        base: "\(server.origin)", params: { team: { default: ["@things.region"] } },
        streams: {
          things: {
            get: "/things", pages: { by: "single" }, records: "items",
            columns: ["id integer", "code", "region"],
          },
          subs: {
            \(subs), pages: { by: "number", to: "?page" }, records: "items", list: "of",
            columns: ["id integer"],
          },
        },
      }
      """, to: "j.json5")
  }

  @Test(
    "leave nothing to request where one of the values that a request needs is in none: that is no success",
    arguments: ["team: \"{team}\"", "r: \"{region}\""])
  func ofAll(query: String) async throws {
    let server = Self.server(code: { $0 % 5 != 0 }, region: { _ in false })
    let subs =
      "for: { each: \"things.code\", when: \"all\" }, get: \"/subs/{code}\", query: { \(query) }"
    await home.trawl("run", job(server, subs), ends: 1, saying: "region")
    #expect(server.calls.count == 1)
  }

  @Test("are counted once, whichever of the values of one request they lack")
  func ofTwo() async throws {
    let server = Self.server(code: { $0 > 4 }, region: { !(5...8).contains($0) })
    let subs =
      "for: { each: \"things.code\", when: \"all\" }, get: \"/subs/{code}\", query: { r: \"{region}\" }"
    let job = job(server, subs)
    await home.trawl("run", job)
    #expect(
      server.calls.filter { $0.path != "/things" && $0.parameters["page"] == "1" }.count == 12)
    let words = "8 of 20 records of things have no code or no region: nothing is requested for them"
    await home.trawl("status", "j", showing: "never due  subs: \(words)")
  }

  @Test(
    "are told by run, status, plan and check, each once, where they name a list or give a parameter its values",
    arguments: [
      (
        "for: { each: \"things.code\", when: \"all\" }, get: \"/subs/{code}\"",
        "4 of 20 records of things have no code"
      ),
      (
        "get: \"/subs\", query: { team: \"{team}\" }",
        "15 of 20 records of things have no region"
      ),
    ])
  func told(subs: String, lack: String) async throws {
    let server = Self.server(code: { $0 % 5 != 0 }, region: { $0 % 4 == 0 })
    let job = job(server, subs)
    let words = "\(lack): nothing is requested for them"
    func expectOnce(_ command: String...) async {
      let shown = await home.run(command + ["--data", home.data], ends: 0).output
      #expect(shown.pieces(around: words).count == 2, "\(shown)")
    }
    await expectOnce("check", job)
    await home.trawl("run", job)
    await expectOnce("report", "j", "--explain")
    await home.trawl("status", "j", ends: 0, showing: "never due  subs: \(words)")
    await expectOnce("run", job, "--dry-run")
  }

  @Test("lack nothing where the request does without it")
  func optional() async throws {
    let server = Self.server(code: { _ in true }, region: { _ in false })
    let job = job(server, "get: \"/subs\", query: { team: \"{team?}\" }")
    await home.trawl("run", job)
    await home.trawl("report", "j", "--explain", without: "have region")
    #expect(server.calls.count > 1)
  }
}
