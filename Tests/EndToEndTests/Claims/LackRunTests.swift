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
    let status = await home.trawl("status", "j")
    let words = "8 of 20 records of things have no code or no region: nothing is requested for them"
    #expect(status.output.holds("never due  subs: \(words)"), "\(status.output)")
  }

  @Test(
    "are told by run, status, plan and check, each once, where they give a parameter its values")
  func ofValues() async throws {
    let server = Self.server(code: { _ in true }, region: { $0 % 4 == 0 })
    let job = job(server, "get: \"/subs\", query: { team: \"{team}\" }")
    let words = "15 of 20 records of things have no region: nothing is requested for them"
    let check = await home.trawl("check", job)
    #expect(check.output.pieces(around: words).count == 2, "\(check.output)")
    await home.trawl("run", job)
    let report = await home.trawl("report", "j", "--explain")
    #expect(report.output.pieces(around: words).count == 2, "\(report.output)")
    await home.trawl("status", "j", showing: "never due  subs: \(words)")
    let plan = await home.trawl("run", job, "--dry-run")
    #expect(plan.output.pieces(around: words).count == 2, "\(plan.output)")
  }

  @Test("lack nothing where the request does without it")
  func optional() async throws {
    let server = Self.server(code: { _ in true }, region: { _ in false })
    let job = job(server, "get: \"/subs\", query: { team: \"{team?}\" }")
    await home.trawl("run", job)
    let report = await home.trawl("report", "j", "--explain")
    #expect(!report.output.holds("have region"), "\(report.output)")
    #expect(server.calls.count > 1)
  }
}
