import Base
import TestSupport
import Testing

@Suite("trawl new says of its draft what its own first requests show", .prompt)
struct DraftTrialTests {
  private let home = Home()
  private var file: String { "\(home.scratch.path)/d.json5" }

  @discardableResult
  private func draft(
    _ address: String, _ more: [String] = [], ends status: Int32, saying words: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> BinaryRun.Ended {
    await home.run(
      ["new", address, "--yes", "-o", file, "--data", home.data] + more, ends: status,
      saying: words, sourceLocation: sourceLocation)
  }

  private static func records(_ from: Int, _ size: Int) -> String {
    let records = (from..<max(from, min(145, from + size))).map { "{\"id\": \($0)}" }
    return "[\(records.joined(separator: ", "))]"
  }

  @Test("A first page that leads nowhere is a doubt, also where it holds all that was seen")
  func lost() async throws {
    let server = AnswerServer { call in
      let page = call.number("page") ?? 1
      let size = call.number("limit") ?? 10
      // Long pages name no next one.
      let next = "Link: </things?limit=10&page=\(page + 1)>; rel=\"next\""
      return .json(
        Self.records((page - 1) * size, size), ["X-Total-Count: 145"] + (size == 10 ? [next] : []))
    }
    await draft(
      server.origin + "/things?limit=10", ends: 3,
      saying: "page 1 as drafted does not lead to page 2, although there is one")
  }

  @Test("A second list whose records hold a nested list of the same name is added beside the first")
  func nestedTwice() async throws {
    let server = AnswerServer { call in
      let key = call.path == "/notes" ? "id" : "number"
      let records = (1...30).map {
        #"{"\#(key)": \#($0), "comments": [{"id": \#($0 * 10), "text": "x"}]}"#
      }
      return .json("[\(records.joined(separator: ", "))]")
    }
    for (target, words) in [("/notes", []), ("/comments", ["--into"]), ("/papers", ["--into"])] {
      let more = words.isEmpty ? ["-o", file] : ["--into", file]
      let ended = await home.run(
        ["new", server.origin + target, "--yes", "--data", home.data] + more)
      #expect(ended.status == 0 || ended.status == 3, "\(target): \(ended.errors)")
    }
    await home.run(["check", file, "--offline"], ends: 0)
  }

  @Test("Names that are too long together are shortened in the tables, each of which stays its own")
  func longNames() async throws {
    let long = "a_collection_of_things_whose_name_is_so"
    let server = AnswerServer { _ in
      .json(#"[{"id": 1, "\#(long)_1": [{"id": 7}], "\#(long)_2": [{"id": 8}]}, {"id": 2}]"#)
    }
    let job = "\(home.scratch.path)/an-api-whose-name-is-no-shorter-than-it.json5"
    for (path, option) in [("\(long)_a", "-o"), ("\(long)_b", "--into")] {
      await home.trawl("new", "\(server.origin)/\(path)", "--yes", option, job, ends: 0)
    }
    await home.run(["check", job, "--offline"], ends: 0)
    await home.trawl("run", job, ends: 0)
    #expect(try home.tables.texts("SELECT count(*) FROM trawl_tables") == ["6"])
  }

  @Test("A name that no job may have is given another", arguments: ["trawl-x", "sqlite"])
  func reserved(name: String) async throws {
    let server = AnswerServer { _ in .json(Self.records(0, 3)) }
    let file = "\(home.scratch.path)/\(name).json5"
    await home.trawl("new", server.origin + "/things", "--yes", "-o", file, ends: 0)
    #expect(Golden.read(file)?.holds("name: \"my-\(name)\"") == true)
  }

  @Test("A file that was edited while a list for it was looked at stays as it is")
  func editedMeanwhile() async throws {
    let text = """
      { name: "d", base: "ORIGIN", streams: { a: { get: "/a", pages: { by: "single" }, records: ".",
        key: ["id"], columns: ["id"] } } }
      """
    let server = AnswerServer { [home, file] _ in
      home.write("// mine", to: file)
      return .json(Self.records(0, 3))
    }
    home.write(text.replacing("ORIGIN", with: server.origin), to: file)
    await home.trawl(
      "new", server.origin + "/things", "--yes", "--into", file, ends: 1,
      saying: "was changed meanwhile")
    #expect(Golden.read(file) == "// mine")
  }

  @Test("One of several equal lists ends with 3, and names the others")
  func siblings() async throws {
    let server = AnswerServer { _ in
      .json("{\"open\": \(Self.records(0, 7)), \"shut\": \(Self.records(7, 4))}")
    }
    await draft(
      server.origin + "/board", ends: 3, saying: "reads open alone, and shut beside it has")
  }

  @Test(
    "A draft that cannot be written, or a file that is no description, ends it before any request")
  func nothingToWrite() async throws {
    let server = AnswerServer { _ in .json(Self.records(0, 3)) }
    for output in ["\(home.scratch.path)/none/d.json5", home.scratch.path] {
      await home.run(
        ["new", server.origin + "/things", "--yes", "-o", output, "--data", home.data], ends: 73)
    }
    #expect(server.calls.isEmpty)
    let answer = home.write("[{\"id\": 1}]", to: "answer.json")
    await home.run(
      ["new", answer, "-o", file, "--data", home.data], ends: 1,
      saying: "is a JSON list, and no OpenAPI description")
  }

  @Test("One page of a list that a total says is longer ends with 3")
  func onePage() async throws {
    let server = AnswerServer { _ in .json("{\"total\": 1311, \"hits\": \(Self.records(0, 20))}") }
    await draft(
      server.origin + "/things", ends: 3,
      saying: "total says 1311, and page 1 has 20 records, and no way to page 2 was found")
    #expect(server.calls.count <= 10)
  }

  @Test("Offsets that count a list of ids among the entries are told")
  func miscount() async throws {
    let server = AnswerServer { call in
      let from = call.number("start") ?? 0
      let size = call.number("rows") ?? 20
      let ids = Array(from..<max(from, min(145, from + size)))
      let entries = ids.map { ", \"\($0)\": {\"uid\": \"u\($0)\"}" }.joined()
      return .json("{\"result\": {\"uids\": \(ids)\(entries)}}")
    }
    await draft(
      server.origin + "/summaries?rows=20", ends: 3,
      saying: "result.* has members that are not records, and offsets count them")
  }

  @Test("Of a POST it is told what moves in the body")
  func moves() async throws {
    let server = AnswerServer { call in
      let body = try? JSONDocument.read(call.bytes).root
      let from = body?["from"]?.integer.map { Int($0) } ?? 0
      let size = body?["size"]?.integer.map { Int($0) } ?? 10
      let isOther = body?["page"] != nil || body?["offset"] != nil
      return isOther || body?["q"]?["a"]?.isNumber != true
        ? .json("{}", status: 400)
        : .json("{\"total\": 145, \"hits\": \(Self.records(from, size))}")
    }
    await draft(
      server.origin + "/search", ["--post", "{\"size\": 20, \"q\": {\"a\": 1.5}}"], ends: 0,
      saying: "and its page 2, with from=100 in the body")
  }

  @Test(
    "A value too short for a key, or a number, is no secret, whatever it is called",
    arguments: [
      ("query_key=1", false), ("token=2024", false), ("api_key=0123456789abcdef", true),
      ("key=1234567890123456", true), ("password=1", true),
    ])
  func secrets(_ query: String, _ isSecret: Bool) async throws {
    let server = AnswerServer { _ in .json(Self.records(0, 3)) }
    let ended = await draft("\(server.origin)/things?\(query)", ends: 0)
    #expect(ended.errors.holds("holds a secret") == isSecret, "\(ended.errors)")
    #expect(Golden.read(file)?.holds("auth: {") == isSecret)
  }
}
