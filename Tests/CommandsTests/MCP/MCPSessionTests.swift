import Base
@testable import Commands
import TestSupport
import Testing

@Suite("A session of trawl mcp")
struct MCPSessionTests {
  @Test(
    "that the official client led is answered in the same way again, each answer with its trust",
    arguments: ["mcp-handshake", "mcp-stateless"])
  func recorded(name: String) async throws {
    let text = try #require(Golden.read("\(Golden.root)/Tests/CommandsTests/Golden/\(name).jsonl"))
    var talk = try Conversation(await .stocked())
    var cursor = ""
    var tools: [String: JSONValue] = [:]
    var asked: [String] = []
    var refused: [Int64?] = []
    for line in text.split(separator: "\n") {
      let sent = line.split(separator: "{cursor}", omittingEmptySubsequences: false)
        .joined(separator: cursor)
      let message = try JSONDocument.read(Array(sent.utf8)).root
      let reply = try await talk.line(sent)
      guard message["id"] != nil else {
        #expect(reply == nil, "a notification is not answered")
        continue
      }
      let found = try #require(reply)
      #expect(found["id"]?.integer == message["id"]?.integer)
      for tool in found["result"]?["tools"]?.elements.map({ $0 }) ?? [] {
        tools[tool["name"]?.string ?? ""] = tool
      }
      guard let tool = message["params"]?["name"]?.string, let result = found["result"] else {
        continue
      }
      asked.append(tool)
      let answer = ToolReply(result: result)
      if answer.isError {
        refused.append(found["id"]?.integer)
        continue
      }
      #expect(answer.text.contains("Trust: ") || ["describe", "status"].contains(tool), "\(tool)")
      if tool != "status" {
        let schema = try #require(tools[tool]?["outputSchema"])
        #expect(SchemaCheck.problems(answer.values, schema: schema) == [], "\(tool)")
      }
      if let next = answer.values["cursor"]?.string { cursor = next }
    }
    #expect(Set(asked).isSuperset(of: Tool.all.map(\.name)), "\(asked)")
    // A statement that deletes, a misspelt column and a misspelt argument.
    #expect(refused == [14, 15, 16])
  }

  @Test("says that nothing can be searched where no job says which columns are")
  func unsearchable() async throws {
    let trial = try CommandTrial()
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    var talk = try await Conversation.begun(trial)
    let found = try await talk.call("search", ["words": ["cat"] as [String]])
    #expect(found.text.hasPrefix("0 records: nothing here can be searched"), "\(found.text)")
  }

  @Test("names the verdict of each list that a query over complete and unproven ones has read")
  func verdicts() async throws {
    let trial = try await CommandTrial.stocked()
    var talk = try await Conversation.begun(trial)
    let whole = try await talk.query("SELECT count(*) FROM github_users")
    #expect(whole.verdict == "complete" && whole.tables == ["github_users"])
    let both = try await talk.query(
      "SELECT (SELECT count(*) FROM github_users), (SELECT count(*) FROM giphy_gifs)")
    #expect(both.verdict == "unproven" && both.tables == ["giphy_gifs", "github_users"])
    #expect(both.text.contains("- search q=cat: unproven, "), "\(both.text)")
    #expect(both.text.contains("counts are lower bounds"), "\(both.text)")
    // The same facts as in trawl_trust, which trawl status shows.
    let facts = try trial.rows(
      "SELECT list || '|' || rows || '|' || verdict || '|' || ifnull(proof, '') FROM trawl_trust "
        + "WHERE table_name IN ('github_users', 'giphy_gifs') ORDER BY 1")
    let named = both.trust?["named"]?.elements.map { list in
      ["list", "rows", "verdict", "proof"].map { name in
        list[name]?.string ?? list[name]?.integer.map { "\($0)" } ?? ""
      }.joined(separator: "|")
    }
    #expect(named?.sorted() == facts)
    let lists = try await talk.call("lists")
    #expect(
      lists.values["lists"]?.count == Int(try trial.rows("SELECT count(*) FROM trawl_trust")[0]))
  }

  @Test("speaks the revision that the client asks for, or offers the newest with a handshake")
  func versions() async throws {
    let trial = try CommandTrial()
    for version in MCPSession.handshakes {
      var talk = try Conversation(trial)
      let reply = try await talk.begin(version)
      #expect(reply["result"]?["protocolVersion"]?.string == version)
    }
    var talk = try Conversation(trial)
    let early = try await talk.line(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
    #expect(early?["error"]?["code"]?.integer == -32600)
    let newer = try await talk.begin("2099-01-01")
    #expect(newer["result"]?["protocolVersion"]?.string == MCPSession.handshakes[0])
    let unknown = try await talk.line(
      #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}"#
    )
    #expect(unknown?["error"]?["code"]?.integer == -32022)
    #expect(unknown?["error"]?["data"]?["supported"]?.count == 5)
  }

  @Test("takes several messages in a line where the revision has that, and nowhere else")
  func batches() async throws {
    let ping = #"{"jsonrpc":"2.0","id":7,"method":"ping"}"#
    let note = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
    var talk = try Conversation(try CommandTrial())
    _ = try await talk.begin("2025-03-26")
    let both = try await talk.line("[\(ping),\(note),5]")
    #expect(both?.count == 2 && both?[0]?["result"] != nil && both?[1]?["error"] != nil)
    #expect(try await talk.line("[\(note)]") == nil)
    #expect(try await talk.line("[]")?["error"]?["code"]?.integer == -32600)
    let many = Array(repeating: ping, count: 101).joined(separator: ",")
    let refused = try await talk.line("[\(many)]")?["error"]
    #expect(refused?["message"]?.string == "a batch has at most 100 messages")
    _ = try await talk.begin("2025-06-18")
    #expect(try await talk.line("[\(ping)]")?["error"]?["code"]?.integer == -32600)
  }

  @Test("tells errors of the protocol from errors of a tool, which a model reads and mends")
  func errors() async throws {
    var talk = try await Conversation.begun(.stocked())
    for (line, code) in [
      ("{", -32700), ("nonsense", -32700), ("7", -32600), ("[]", -32600), ("{}", -32600),
      (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32601),
      (#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, -32601),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#, -32602),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#, -32602),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop"}}"#, -32602),
      (
        #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lists","arguments":3}}"#,
        -32602
      ),
    ] {
      let reply = try await talk.line(line)
      #expect(reply?["error"]?["code"]?.integer == Int64(code), "\(line)")
    }
    for line in [
      #"{"jsonrpc":"2.0","method":"no/such"}"#, #"{"jsonrpc":"2.0","id":3,"result":{}}"#,
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    ] { #expect(try await talk.line(line) == nil, "\(line)") }
    // Ids come back unchanged, whatever their size.
    for id in [
      #""x""#, "-0", "123456789012345678901234567890", "1.50", "1e400",
      #""\#(String(repeating: "y", count: 9_000))""#,
    ] {
      let reply = try #require(
        await talk.session.reply(
          to: .text(Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#.utf8))))
      #expect(
        String(decoding: reply, as: UTF8.self) == #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
    }
    #expect(try #require(await talk.session.reply(to: .tooLong)).count < 200)
    let mixed = try JSONDocument.read(Array(#"["a", 1]"#.utf8)).root
    for (tool, arguments, words) in [
      (
        "query", ["sql": "DELETE FROM github_users"] as JSONObject,
        "only reads: DELETE FROM github_users"
      ),
      ("query", ["sql": "SELECT 1; SELECT 2"], "exactly one statement"),
      ("query", ["sql": "ATTACH 'x' AS y"], "ATTACH"),
      ("query", ["sql": " "], "empty"), ("query", [:], "\"sql\" is missing"),
      ("query", ["sql": 5], "\"sql\" is a text"),
      ("query", ["sql": "SELECT 1", "limit": 0], "from 1 to 1000"),
      ("query", ["sql": "SELECT logni FROM github_users"], "did you mean \"login\"?"),
      ("changes", ["table": "github_user"], "did you mean \"github_users\"?"),
      ("changes", ["table": "github_users", "after": "yesterday"], "is not a cursor"),
      ("describe", ["table": "github"], "no job has a table"),
      ("lists", ["job": "githup"], "did you mean \"github\"?"),
      ("lists", ["verdict": "complet"], "did you mean \"complete\"?"),
      ("search", ["words": mixed], "a list of texts"),
      ("why", ["table": "github_users", "key": "x"], "is a whole number"),
      ("why", ["table": "github_users", "key": 1, "column": "logni"], "did you mean \"login\"?"),
    ] {
      let answer = try await talk.call(tool, arguments)
      #expect(answer.isError && answer.text.contains(words), "\(tool): \(answer.text)")
    }
  }

  @Test("says that there is no database yet, and answers once there is")
  func noDatabase() async throws {
    let trial = try CommandTrial()
    var talk = try await Conversation.begun(trial)
    let none = try await talk.call("lists")
    #expect(none.isError && none.text.contains("there is no database"), "\(none.text)")
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    #expect(try await !talk.call("lists").isError)
  }

  @Test("bounds rows, bytes, values and time, and says what it cut")
  func bounds() async throws {
    let trial = try await CommandTrial.stocked()
    var talk = try await Conversation.begun(trial)
    let numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 5000) "
    let rows = try await talk.query(numbers + "SELECT x FROM n", limit: 10)
    #expect(rows.values["rows"]?.count == 10 && rows.values["cut"]?.string == "rows")
    #expect(rows.text.contains("There are more rows"), "\(rows.text)")
    let all = try await talk.query("SELECT 1", limit: 1)
    #expect(all.values["cut"]?.isNull == true)
    let bytes = try await talk.query(numbers + "SELECT hex(zeroblob(1000)) FROM n", limit: 1000)
    #expect(bytes.values["cut"]?.string == "bytes")
    let long = try await talk.query(
      "SELECT replace(hex(zeroblob(5000)), '00', 'é'), zeroblob(9000)")
    #expect(long.values["shortened"]?.integer == 2, "\(long.text)")
    #expect(long.values["rows"]?[0]?[0]?.string?.hasSuffix("é…") == true)
    let huge = try await talk.query("SELECT zeroblob(100000000)")
    #expect(huge.isError, "\(huge.text)")
    // A clock that advances whenever it is read: no test waits.
    let looks = Locked(0)
    var hurried = trial.time.timekeeper
    hurried.elapsed = {
      looks.withLock {
        $0 += 1; return .seconds($0)
      }
    }
    talk = try await Conversation.begun(trial, time: hurried)
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
    let none = try await talk.query(endless + "SELECT count(*) FROM n")
    #expect(none.isError && none.text.contains("stopped after"), "\(none.text)")
    let some = try await talk.query(endless + "SELECT x FROM n WHERE x % 1000000 = 1", limit: 1000)
    #expect(some.values["cut"]?.string == "time", "\(some.text)")
  }

  @Test("says the same of jobs in words and values, worst first, however many lists are left out")
  func standing() async throws {
    let trial = try await CommandTrial.stocked()
    try trial.change("UPDATE trawl_certificates SET standing = 'other request'")
    var talk = try await Conversation.begun(trial)
    let answer = try await talk.call("status")
    let jobs = answer.values["jobs"]?.elements.map { $0 } ?? []
    #expect(jobs.contains { $0["standing"]?.string == "incomplete" }, "\(answer.text)")
    let lines = jobs.map { "\($0["job"]?.string ?? ""): \($0["standing"]?.string ?? "")" }
    #expect(answer.text == lines.joined(separator: "\n"))
  }

  @Test("gives changes behind a cursor a part at a time, none twice and none left out")
  func changes() async throws {
    let trial = try await CommandTrial.stocked()
    var talk = try await Conversation.begun(trial)
    var keys: [Int64] = []
    var cursor: String?
    var parts = 0
    while true {
      parts += 1
      let answer = try await talk.call(
        "changes", ["table": "github_users", "after": cursor, "limit": 5])
      try #require(!answer.isError, "\(answer.text)")
      let place = try #require(
        answer.values["columns"]?.elements.map(\.string).firstIndex(of: "id"))
      keys += answer.values["rows"]?.elements.compactMap { $0[place]?.integer } ?? []
      cursor = answer.values["cursor"]?.string
      if answer.values["has_more"]?.boolean != true { break }
    }
    #expect(parts > 1)
    #expect(
      keys.sorted().map { "\($0)" } == (try trial.rows("SELECT id FROM github_users ORDER BY id")))
    let last = try await talk.call("changes", ["table": "github_users", "after": "now"])
    #expect(last.values["cursor"]?.string == cursor && last.values["rows"]?.count == 0)
    let other = try await talk.call("changes", ["table": "github_follows", "after": cursor])
    #expect(other.values["is_another_table"]?.boolean == true, "\(other.text)")
  }
}
