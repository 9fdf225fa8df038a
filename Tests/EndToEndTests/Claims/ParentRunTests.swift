import Base
import TestSupport
import Testing

@Suite("A stream that is requested for each record of another", .prompt)
struct ParentRunTests {
  private let home = Home()

  /// Twenty things, and an answer for each.
  private static func server(_ answer: @escaping @Sendable (Int) -> String) -> AnswerServer {
    AnswerServer { call in
      let parts = call.target.split(separator: "/")
      if parts.count > 1 { return .json(answer(Int(parts[1]) ?? 0)) }
      let things = (1...20).map { "{\"id\": \($0)}" }
      return .json("{\"items\": [\(things.joined(separator: ","))]}")
    }
  }

  private func job(_ server: AnswerServer, records: String = "data") -> String {
    home.write(
      """
      {
        base: "\(server.origin)",
        streams: {
          things: {
            get: "/things", pages: { by: "single" }, records: "items", columns: ["id integer"],
          },
          details: {
            for: { each: "things.id", when: "all" }, get: "/things/{id}", records: "\(records)",
            inserts: true, columns: ["id integer", "x integer"],
          },
        },
      }
      """, to: "j.json5")
  }

  @Test("check and try say what is wrong with its first answer, as they do of any other stream")
  func firstAnswer() async throws {
    for answer in ["{\"data\": {\"id\": 1, \"x\": 1}}", "{\"dta\": null}"] {
      let job = job(Self.server { _ in answer }, records: "dta")
      await home.trawl(
        "check", job, ends: 4, showing: "problem  page 1", "details was not read",
        without: "only a preview")
      await home.trawl("try", job, showing: "\"dta\"", without: "only a preview")
    }
    let empty = Self.server { _ in "{\"data\": []}" }
    await home.trawl("check", job(empty), ends: 0, showing: "details: no record (HTTP 200")
    // What is right is reported as before.
    let sound = Self.server { "{\"data\": {\"id\": \($0), \"x\": 1}}" }
    await home.trawl("check", job(sound), ends: 0, showing: "details: 1 record")
  }

  @Test(
    "try reads the page of records that it is requested for, and --dry-run has one line for its requests"
  )
  func alone() async throws {
    let job = job(Self.server { "{\"data\": {\"id\": \($0), \"x\": 1}}" })
    await home.trawl(
      "try", job, "--stream", "details", ends: 0, showing: "/things/1", "1 record",
      without: "20 records")
    await home.trawl("run", job, "--max-requests", "8", ends: 75)
    let plan = await home.trawl(
      "run", job, "--dry-run", ends: 0, showing: "13 of those stored now; the run may find more",
      without: "not known yet")
    #expect(plan.output.pieces(around: "\n  details").count == 2, "\(plan.output)")
  }

  @Test(
    "whose answers are the same for each record may send what the API ignores: the advice is not another key alone"
  )
  func ignored() async throws {
    let server = AnswerServer { call in
      let items = (1...5).map { "{\"id\": \($0)}" }.joined(separator: ",")
      let notes = (1...15).map { "{\"id\": \($0 + 100)}" }.joined(separator: ",")
      return .json(call.target == "/p" ? "{\"items\": [\(items)]}" : "{\"notes\": [\(notes)]}")
    }
    let job = home.write(
      """
      {
        base: "\(server.origin)",
        streams: {
          p: { get: "/p", pages: { by: "single" }, records: "items", columns: ["id integer"] },
          notes: {
            for: { each: "p.id", when: "all" }, get: "/n", query: { parent_id: "{id}" },
            pages: { by: "single" }, records: "notes", key: ["note"],
            columns: [{ note: "id as integer", of: "{id} as integer" }],
          },
        },
      }
      """, to: "j.json5")
    let words =
      "the API gave records with the same 15 keys in the same order for each of 5 requests"
    await home.trawl(
      "run", job, ends: 3, saying: "notes: \(words)", "or the API ignores what is sent")
    await home.trawl(
      "check", job, showing: words,
      "or 101 is the key of different records: if that is unique only for one {id}, let")
  }

  /// A list for each of three users, who are named by this parameter.
  private func lists(_ server: AnswerServer, by name: String = "user") -> String {
    home.write(
      """
      {
        base: "\(server.origin)", params: { user: { default: ["a", "b", "c"] } },
        streams: {
          things: {
            get: "/t", query: { \(name): "{user}" }, pages: { by: "single" }, list: "of",
            records: "items", columns: ["id integer"],
          },
        },
      }
      """, to: "\(name).json5")
  }

  @Test("and so does a parameter whose values all bring the same list: check requests two of them")
  func sameLists() async throws {
    let count = Locked(29)
    let server = AnswerServer { call in
      let all = (1...count.withLock { $0 }).filter { id in
        call.parameters["user"].map { $0 == (id % 2 == 0 ? "a" : "b") } ?? true
      }
      return .json("{\"items\": [\(all.map { "{\"id\": \($0)}" }.joined(separator: ","))]}")
    }
    let wrong = lists(server, by: "usr")
    let words = "the API gave records with the same 29 keys in the same order for each of"
    await home.trawl("check", wrong, ends: 0, showing: "things user=a: \(words) 2 lists")
    #expect(server.calls.count == 2)
    await home.trawl("run", wrong, ends: 0, saying: "things: \(words) 3 lists")
    // It is reported once, even if the lists grow.
    count.withLock { $0 = 30 }
    await home.trawl("run", wrong, ends: 0, without: "the same")
    for command in ["check", "run"] {
      await home.trawl(command, lists(server), without: "the same")
    }
  }

  @Test("check says which further value was not answered")
  func secondValue() async throws {
    let server = AnswerServer { call in
      call.parameters["user"] == "b"
        ? .json("{\"error\": \"no such user\"}", status: 404) : .json("{\"items\": [{\"id\": 1}]}")
    }
    await home.trawl(
      "check", lists(server), showing: "things user=b was not read: ", without: "user=c")
  }
}
