import Base
import TestSupport
import Testing

@Suite("A stream that is requested for each record of another", .prompt)
struct ParentRunTests {
  private let home = Home()

  /// Twenty things, every fifth of them without a code.
  private static func server(_ answer: @escaping @Sendable (Int) -> String) -> AnswerServer {
    AnswerServer { call in
      let parts = call.target.split(separator: "/").map(String.init)
      if parts.count == 1 {
        let things = (1...20).map {
          "{\"id\": \($0), \"code\": \($0 % 5 == 0 ? "null" : "\"\($0)\"")}"
        }
        return .json("{\"items\": [\(things.joined(separator: ","))]}")
      }
      return .json(answer(Int(parts[1]) ?? 0))
    }
  }

  private func job(_ server: AnswerServer, each: String = "id", records: String = "data") -> String
  {
    home.write(
      """
      {
        base: "\(server.origin)",
        streams: {
          things: {
            get: "/things", pages: { by: "single" }, records: "items", columns: ["id integer", "code"],
          },
          details: {
            for: { each: "things.\(each)", when: "all" }, get: "/things/{\(each)}", records: "\(records)",
            inserts: true, columns: ["id integer", "x integer"],
          },
        },
      }
      """, to: "j.json5")
  }

  @Test("check and try say what is wrong with its first answer, as they do of any other stream")
  func firstAnswer() async throws {
    for answer in ["{\"data\": {\"id\": 1, \"x\": 1}}", "{\"dta\": null}"] {
      let server = Self.server { _ in answer }
      let job = job(server, records: "dta")
      let check = await home.trawl(
        "check", job, ends: 4, showing: "problem  page 1", "details was not read")
      #expect(!check.output.holds("only a preview"), "\(check.output)")
      let look = await home.trawl("try", job)
      #expect(
        look.output.holds("\"dta\"") && !look.output.holds("only a preview"), "\(look.output)")
    }
    let empty = Self.server { _ in "{\"data\": []}" }
    await home.trawl("check", job(empty), ends: 0, showing: "details: no record (HTTP 200")
    // What is right is reported as before.
    let sound = Self.server { "{\"data\": {\"id\": \($0), \"x\": 1}}" }
    await home.trawl("check", job(sound), ends: 0, showing: "details: 1 record")
  }

  @Test(
    "says for how many records nothing is ever requested, since they have no value: run, status, plan and check"
  )
  func withoutValue() async throws {
    let server = Self.server { "{\"data\": {\"id\": \($0), \"x\": 1}}" }
    let job = job(server, each: "code")
    let words = "4 of 20 records of things have no code: nothing is requested for them"
    await home.trawl("check", job, ends: 0, showing: words)
    await home.trawl("run", job, ends: 0)
    await home.trawl("report", "j", "--explain", ends: 0, showing: "details: \(words).")
    await home.trawl("status", "j", ends: 0, showing: "never due  details: \(words)")
    await home.trawl("run", job, "--dry-run", ends: 0, showing: words)
  }

  @Test(
    "try reads the page of records that it is requested for, and --dry-run has one line for its requests"
  )
  func alone() async throws {
    let server = Self.server { "{\"data\": {\"id\": \($0), \"x\": 1}}" }
    let job = job(server)
    let look = await home.trawl(
      "try", job, "--stream", "details", ends: 0, showing: "/things/1", "1 record")
    #expect(!look.output.holds("20 records"), "\(look.output)")
    await home.trawl("run", job, "--max-requests", "8", ends: 75)
    let plan = await home.trawl("run", job, "--dry-run", ends: 0)
    #expect(plan.output.pieces(around: "\n  details").count == 2, "\(plan.output)")
    #expect(!plan.output.holds("not known yet"), "\(plan.output)")
    #expect(plan.output.holds("13 of those stored now; the run may find more"), "\(plan.output)")
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
    let run = await home.trawl("run", job, ends: 3)
    let words =
      "the API gave records with the same 15 keys in the same order for each of 5 requests"
    #expect(run.errors.holds("notes: \(words)"), "\(run.errors)")
    #expect(run.errors.holds("or the API ignores what is sent"), "\(run.errors)")
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
    let again = await home.trawl("run", wrong, ends: 0)
    #expect(!again.errors.holds("the same"), "\(again.errors)")
    for command in ["check", "run"] {
      let right = await home.trawl(command, lists(server))
      #expect(!(right.output + right.errors).holds("the same"), "\(right.errors)")
    }
  }

  @Test("check says which further value was not answered")
  func secondValue() async throws {
    let server = AnswerServer { call in
      call.parameters["user"] == "b"
        ? .json("{\"error\": \"no such user\"}", status: 404) : .json("{\"items\": [{\"id\": 1}]}")
    }
    let check = await home.trawl(
      "check", lists(server), showing: "things user=b was not read: ")
    #expect(!check.output.holds("user=c"), "\(check.output)")
  }
}
