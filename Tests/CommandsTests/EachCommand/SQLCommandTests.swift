import Glibc
import Base
@testable import Commands
import TestSupport
import Testing

@Suite("trawl sql")
struct SQLCommandTests {
  private static let terminal = TerminalFacts(isOutputTerminal: true, isColourless: true)

  private let trial: CommandTrial
  init() async throws {
    trial = try CommandTrial()
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
  }

  private func sql(
    _ words: String..., facts: TerminalFacts = TerminalFacts(), environment: [String: String] = [:]
  ) async throws -> CommandTrial.Ended {
    try await trial.run(
      ["sql", "--data", trial.data] + words, environment: environment, facts: facts)
  }

  @Test("writes what the database holds in each form, and tells NULL from an empty text")
  func forms() async throws {
    let query = "SELECT 7 AS a, NULL AS b, '' AS c, 'x,\"y\"' AS a, x'00ff' AS e, 'p|q' AS f"
    #expect(try await sql(query).output == "a,b,c,a_2,e,f\n7,,\"\",\"x,\"\"y\"\"\",00ff,p|q\n")
    // A mark may join a quote: it is doubled all the same.
    #expect(try await sql("SELECT '5\"' || char(769) AS a").output == "a\n\"5\"\"\u{301}\"\n")
    #expect(
      try await sql(query, "--jsonl").output
        == #"{"a":7,"b":null,"c":"","a_2":"x,\"y\"","e":"00ff","f":"p|q"}"# + "\n")
    let infinite = "SELECT 9e999 AS a, -9e999 AS b"
    #expect(try await sql(infinite).output == "a,b\n9.0e+999,-9.0e+999\n")
    #expect(try await sql(infinite, "--jsonl").output == "{\"a\":9.0e+999,\"b\":-9.0e+999}\n")
    #expect(try await sql(query, "--json").json[0]?["a"]?.integer == 7)
    #expect(try await sql("SELECT 1 WHERE 0", "--json").json.count == 0)
    let box = try await sql(query, facts: Self.terminal, environment: ["LANG": "C.UTF-8"])
    #expect(box.lines.contains("│ 7 │ NULL │   │ x,\"y\" │ 00ff │ p|q │"), "\(box.output)")
    let quoted = try await sql("SELECT 'NULL' AS a", facts: Self.terminal)
    #expect(quoted.lines.contains("| 'NULL' |"), "\(quoted.output)")
    #expect(try await sql(query, "--csv", "--json").status == .usage)
    let foreign = try await sql(".tables")
    #expect(foreign.status == .usage && foreign.errors.contains("all tables are listed by: trawl"))
  }

  @Test("lists the tables of the jobs without a query, with as many rows as are there")
  func list() async throws {
    let rows = try trial.rows("SELECT count(*) FROM github_users WHERE vanished_at IS NULL")
    let ended = try await sql()
    #expect(ended.status == .complete, "\(ended.errors)")
    #expect(ended.lines.first == "job,table,rows")
    #expect(ended.lines.contains("github,github_users,\(rows[0])"), "\(ended.output)")
    #expect(!ended.output.contains("trawl_"), "\(ended.output)")
  }

  @Test(
    "--changes gives all records, then those behind a cursor; a cursor of another table is 4 and all again"
  )
  func changes() async throws {
    func follow(_ words: String...) async throws -> (rows: [[String]], ended: CommandTrial.Ended) {
      let ended = try await trial.run(["sql", "--changes", "--data", trial.data] + words)
      return (
        ended.lines.map {
          $0.split(separator: ",", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        }, ended
      )
    }
    let present = try trial.rows("SELECT count(*) FROM github_users WHERE vanished_at IS NULL")
    let all = try await follow("github_users")
    #expect(all.ended.status == .complete, "\(all.ended.errors)")
    #expect(all.rows[0].prefix(3) == ["trawl_op", "trawl_cursor", "trawl_proof"])
    #expect(all.rows[1][0] == "all")
    #expect(all.rows.count { $0[0] == "put" } == Int(present[0]))
    let last = try #require(all.rows.last)
    #expect(last[0] == "end")
    let none = try await follow("github_users", "--after", last[1])
    #expect(none.ended.status == .complete)
    #expect(none.rows.map(\.[0]) == ["trawl_op", "end"] && none.rows[1][1] == last[1])
    let other = try await follow("github_follows", "--after", last[1])
    #expect(other.ended.status == .found && other.rows[1][0] == "all", "\(other.ended.everything)")
    for words in [["github_users", "--after", "yesterday"], ["nothing"], []] {
      let wrong = try await trial.run(["sql", "--changes", "--data", trial.data] + words)
      #expect(wrong.status == .usage && wrong.output.isEmpty, "\(wrong.everything)")
    }
    #expect(try await sql("github_users", "--after", last[1]).status == .usage)
  }

  @Test("of a wide table shows the columns that fit a terminal, and names the others")
  func wide() async throws {
    let ended = try await sql("trawl_trust", facts: Self.terminal)
    #expect(ended.lines.allSatisfy { DisplayWidth.of($0) <= 80 }, "\(ended.output)")
    #expect(ended.lines.first?.hasPrefix("+-") == true, "\(ended.output)")
    #expect(ended.errors.contains(" columns hidden ("), "\(ended.errors)")
    for name in ["list", "verdict"] { #expect(ended.lines[1].contains(name)) }
    let named = try await sql("SELECT * FROM trawl_trust", facts: Self.terminal)
    #expect(!named.errors.contains(" hidden ("), "\(named.errors)")
  }

  @Test("takes a table's name alone for a query, and names the one that a slip is near")
  func tables() async throws {
    let rows = try trial.rows("SELECT count(*) FROM github_users")
    #expect(try await sql("GitHub_Users").lines.count - 1 == Int(rows[0]))
    #expect(try await sql("items;").lines.count - 1 == Int(rows[0]))
    let slip = try await sql("github_userz")
    #expect(slip.status == .usage && slip.errors.contains("did you mean \"github_users\"?"))
  }

  @Test("reads a query from stdin, and none that is too long")
  func stdin() async throws {
    let trawl = "'\(BinaryRun.products)/trawl' sql - --data '\(trial.data)'"
    let read = await BinaryRun.run("/bin/sh", ["-c", "echo 'SELECT 7 AS a' | \(trawl)"], ends: 0)
    #expect(read.output == "a\n7\n")
    let long = String(repeating: " ", count: 1_000_001)
    let ended = try await sql(long)
    #expect(ended.status == .usage && ended.errors.contains("a query has at most 1.0 MB"))
  }

  @Test("shows the place of an error, and the names that are near")
  func mistakes() async throws {
    let column = try await sql("SELECT id,\n  logni FROM github_users")
    #expect(column.status == .usage)
    #expect(
      column.errorLines[0].hasSuffix("no such column: logni; did you mean \"login\"? (line 2)"))
    #expect(Array(column.errorLines[1...2]) == ["    logni FROM github_users", "    ^"])
    let table = try await sql("SELECT 1 FROM itmes")
    #expect(table.errors.contains("no such table: itmes; did you mean \"items\"?"))
    let syntax = try await sql("SELECT 1 FRM y")
    #expect(syntax.errors.contains("  SELECT 1 FRM y\n               ^"), "\(syntax.errors)")
    #expect(try await sql(" ").errors.contains("the query is empty"))
    #expect(try await sql("SELECT 1; SELECT 2").status == .usage)
    #expect(try await sql("SELECT 1; -- all").status == .complete)
  }

  @Test("refuses whatever does more than read")
  func readsOnly() async throws {
    let before = try trial.rows("SELECT count(*), max(id) FROM github_users")
    for statement in [
      "INSERT INTO github_users (id) VALUES (1)", "UPDATE github_users SET id = 1",
      "DELETE FROM github_users", "DROP TABLE items", "CREATE TABLE x (a)",
      "CREATE TEMP TABLE x (a)", "ATTACH 'x.db' AS x", "VACUUM INTO 'x.db'", "VACUUM",
      "PRAGMA user_version = 3", "PRAGMA journal_mode = delete", "PRAGMA query_only = 0",
      "PRAGMA wal_checkpoint", "BEGIN IMMEDIATE", "SELECT load_extension('x')",
      "REINDEX github_users",
      "UPDATE sqlite_master SET sql = ''", "ANALYZE github_users",
      "INSERT INTO sqlite_temp_master VALUES (1, 2, 3, 4, 5)",
    ] {
      let ended = try await sql(statement)
      #expect(ended.status == .usage, "\(statement): \(ended.everything)")
      #expect(ended.output == "", "\(statement)")
      #expect(
        try trial.rows("SELECT count(*), max(id) FROM github_users") == before, "\(statement)")
    }
  }

  @Test("reads what is no plain table too")
  func reads() async throws {
    for statement in [
      "SELECT value FROM json_each('[1]')", "SELECT count(*) FROM pragma_table_xinfo('items')",
      "PRAGMA table_list", "EXPLAIN SELECT 1", "SELECT * FROM trawl_trust LIMIT 1",
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3) SELECT x FROM c",
    ] {
      let ended = try await sql(statement)
      #expect(
        ended.status == .complete && ended.lines.count > 1, "\(statement): \(ended.everything)")
    }
  }

  @Test("fits a box to the terminal, says what was cut, and shows many columns one below the other")
  func fits() async throws {
    let long = String(repeating: "long ", count: 40)
    let cut = try await sql(
      "SELECT 1 AS a, '\(long)' AS b, '日本語' AS c", facts: Self.terminal)
    #expect(cut.lines.allSatisfy { DisplayWidth.of($0) <= 80 }, "\(cut.output)")
    #expect(Set(cut.lines.map { DisplayWidth.of($0) }).count == 1)
    #expect(cut.errors.contains("1 row; 1 cell shortened to fit; "))
    let many = try await sql("SELECT * FROM github_users", facts: Self.terminal)
    #expect(many.lines.contains { $0.hasSuffix("login  octocat") }, "\(many.output)")
    let hostile = try await sql("SELECT char(27) || '[31m' AS a", facts: Self.terminal)
    #expect(!hostile.output.utf8.contains(27))
  }

  @Test("writes a file whole or not at all")
  func files() async throws {
    let path = "\(trial.scratch.path)/users.jsonl"
    Golden.write("before", to: path)
    let failed = try await sql(
      "SELECT json(iif(x > 5, '{', x)) FROM (SELECT value AS x FROM json_each('[1,9]'))",
      "-o", path)
    #expect(failed.status == .usage && Golden.read(path) == "before", "\(failed.everything)")
    let kept = try await sql("SELECT id FROM github_users ORDER BY id LIMIT 1", "-o", path)
    #expect(kept.status == .complete && kept.output == "")
    #expect(Golden.read(path)?.hasPrefix("{\"id\":") == true)
    #expect(try await sql("items", "--output", "\(path)/x").status == .cannotCreate)
    #expect(try await sql("items", "-o", "/dev/full").status == .cannotWrite)
    let link = "\(trial.scratch.path)/latest.jsonl"
    #expect(symlink(path, link) == 0)
    #expect(try await sql("SELECT 7 AS x", "-o", link).status == .complete)
    #expect(Golden.read(path) == "{\"x\":7}\n")
    // The link stays, and no file takes its place.
    let empty = "\(trial.scratch.path)/empty.jsonl"
    #expect(symlink("\(path).next", empty) == 0)
    #expect(try await sql("SELECT 7 AS x", "-o", empty).status == .cannotCreate)
    #expect(!trial.exists("empty.jsonl"))
    #expect(try await sql("items", "-o", "-").status == .usage)
  }

  @Test(
    "writes over no part of a data folder and over no database, and takes no ending for CSV that it does not know"
  )
  func refusesFiles() async throws {
    let (data, query) = (trial.data, "SELECT 1")
    for path in [
      "trawl.db", "trawl.db-wal", "trawl.db-shm", "ledger.db", "reports/x.csv", "media/x.csv",
      "locks/x.csv",
    ] {
      let ended = try await sql(query, "--csv", "-o", "\(data)/\(path)")
      #expect(ended.status == .cannotCreate, "\(path): \(ended.everything)")
    }
    let other = "\(trial.scratch.path)/other.csv"
    try await trial.run(["backup", other, "--data", data], ends: .complete)
    #expect(try await sql(query, "-o", other).status == .cannotCreate)
    try await trial.run(["prove", "--data", data], ends: .complete)
    for ending in ["xlsx", "parquet", "db"] {
      let path = "\(trial.scratch.path)/rows.\(ending)"
      let ended = try await sql(query, "-o", path)
      #expect(ended.status == .usage && ended.errors.contains("name it .csv"), "\(ended.errors)")
      #expect(!trial.exists("rows.\(ending)"))
      #expect(try await sql(query, "--csv", "-o", path).status == .complete)
    }
  }

  @Test("says how to get a database, and takes no other file for one")
  func others() async throws {
    let other = "\(trial.scratch.path)/other"
    try await trial.run(["sql", "items", "--data", other], ends: .usage, saying: "JOB makes it")
    mkdir(other, 0o700)
    Golden.write("no database at all", to: "\(other)/trawl.db")
    try await trial.run(["sql", "items", "--data", other], ends: .damaged)
  }
}
