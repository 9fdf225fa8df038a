import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("Columns that no job file declares")
struct FoundColumnsTests {
  let fixture = Fixture()

  private static func job(_ columns: [Column] = [Column.id]) -> Job {
    .things(columns) { $0.takesAll = true }
  }

  private func store(_ pages: [String], as job: Job = job()) async throws {
    let store = try await fixture.open(job)
    try await store.walk(pages, stream: "all", of: "box", values: [])
  }

  /// By key, the values of each row with their classes.
  private func rows(_ fixture: Fixture) throws -> [String: [String: String]] {
    try fixture.read { connection in
      let names = try connection.columns(of: "box_things").filter {
        !$0.hasPrefix("trawl_") && !$0.hasSuffix("_at") || $0.hasPrefix("api_")
      }
      let list = names.map { "typeof(\"\($0)\") || ' ' || \"\($0)\"" }.joined(separator: ", ")
      let all = try connection.rows("SELECT CAST(id AS TEXT), \(list) FROM box_things") { row in
        (
          row.text(0) ?? "",
          Dictionary(
            uniqueKeysWithValues: names.indices.compactMap { index in
              row.text(index + 1).map { (names[index], $0) }
            })
        )
      }
      return Dictionary(uniqueKeysWithValues: all)
    }
  }

  private func digests(_ fixture: Fixture) throws -> [String] {
    try fixture.rows("SELECT id, hex(substr(trawl_hash, 9)) FROM box_things ORDER BY id")
  }

  @Test("take each value as it comes")
  func values() async throws {
    try await store([
      """
      [{"id": 1, "fullName": "a", "order": 2, "first_seen_at": "x", "2fa": true, "off": false, "none": null,
        "half": 1.5, "whole": 2.0, "huge": 12345678901234567890, "fine": 0.12345678901234567891,
        "far": 1e400, "tags": ["a", {"b": 1}], "empty": {}, "user": {"id": 7, "name": "n", "at": {"x": ""}},
        "user_id": 8, "rest": "r", "digest": "00ff00ff00ff00ff"}]
      """
    ])
    #expect(
      try rows(fixture)["1"] == [
        "id": "integer 1", "full_name": "text a", "order_": "integer 2",
        "api_first_seen_at": "text x",
        "api_2fa": "integer 1", "off": "integer 0", "half": "real 1.5", "whole": "integer 2",
        "huge": "text 12345678901234567890", "fine": "text 0.12345678901234567891",
        "far": "text 1e400", "tags": "text [\"a\",{\"b\":1}]", "user_id": "integer 8",
        "user_id_2": "integer 7", "user_name": "text n", "user_at_x": "text ", "rest": "text r",
        "digest": "text 00ff00ff00ff00ff",
      ])
    #expect(try await fixture.prove().rowsHold)
  }

  @Test("are not there for a member that the key is called after")
  func key() async throws {
    var columns = [Column("product_id"), Column("meta_id")]
    for index in columns.indices { columns[index].takeItsNamesake() }
    let job = Job.things(columns, key: ["product_id", "meta_id"]) { $0.takesAll = true }
    try await store(
      [
        #"[{"ProductID": 1, "name": "a", "meta": {"id": "x"}}, {"name": "b", "ProductID": 2, "productId": 9, "meta": {"id": "y"}}]"#,
        #"[{"product_id": 3, "ProductID": 4, "meta_id": "z", "meta": {"id": "w"}}, {"name": "c"}]"#,
      ], as: job)
    let stored = try fixture.rows(
      "SELECT product_id, meta_id, name, product_id_2, product_id_3, meta_id_2 FROM box_things "
        + "ORDER BY product_id")
    #expect(stored == ["1|x|a|-|-|-", "2|y|b|9|-|-", "3|z|-|-|4|w"])
    #expect(try fixture.rows("SELECT count(*) FROM trawl_rejects") == ["1"])
    #expect(try await fixture.prove().rowsHold)
  }

  @Test("leave names that are data, and maps, to one column")
  func rest() async throws {
    let map = (0...50).map { "\"n\($0)\": \($0)" }.joined(separator: ", ")
    try await store([
      """
      [{"id": 1, "scores": {"b": 2, "4711": 1, "a": {"2026-01-31": [3]}}, "map": {\(map)}},
       {"id": 2, "scores": {"8f14e45fceea167a": 4, "me@example.com": 5}, "map": {"n1": 6}}]
      """
    ])
    let stored = try rows(fixture)
    #expect(stored["1"]?["scores_b"] == "integer 2")
    let own = try #require(stored["1"]?["rest"])
    #expect(own.hasPrefix("text {\"map\":{\"n0\":0,\"n1\":1,\"n10\":10,"))
    #expect(own.hasSuffix("\"scores\":{\"4711\":1,\"a\":{\"2026-01-31\":[3]}}}"))
    #expect(
      stored["2"] == [
        "id": "integer 2", "map_n1": "integer 6",
        "rest": "text {\"scores\":{\"8f14e45fceea167a\":4,\"me@example.com\":5}}",
      ])
  }

  @Test("are 200 at most, and lose nothing beyond")
  func most() async throws {
    let members = (0..<230).map { "\"m\($0)\": \($0)" }.joined(separator: ", ")
    try await store(["[{\"id\": 1, \(members)}]", "[{\"id\": 2, \"m7\": 1, \"late\": true}]"])
    let stored = try rows(fixture)
    #expect(stored["1"]?.count == 202)
    #expect(stored["1"]?["rest"]?.hasPrefix("text {\"m200\":200,\"m201\":201,") == true)
    #expect(stored["2"] == ["id": "integer 2", "m7": "integer 1", "rest": "text {\"late\":true}"])
    #expect(try await fixture.prove().rowsHold)
  }

  @Test("are none that a declared column takes")
  func declared() async throws {
    try await store(
      [
        """
        [{"id": 1, "user": {"name": "n", "who": "w"}, "who": "x", "body": "b", "summary": "s",
          "made": "2026-01-31 10:00:00Z"}]
        """
      ],
      as: Self.job([
        Column.id, Column(name: "who", source: .paths([path("user.name")])),
        Column(name: "text", source: .paths([path("body"), path("summary")])),
        Column("made", nil, .time),
      ]))
    #expect(
      try rows(fixture)["1"] == [
        "id": "integer 1", "who": "text n", "text": "text b", "made": "text 2026-01-31T10:00:00Z",
        "user_who": "text w", "who_2": "text x", "body": "text b", "summary": "text s",
      ])
  }

  @Test("are two for two spellings of a letter, which are two names of members")
  func spellings() async throws {
    let page = #"[{"id": 1, "th\u00e9": "a"}, {"id": 2, "the\u0301": "b"}]"#
    try await store([page])
    #expect(
      try fixture.rows("SELECT id, th, the FROM box_things ORDER BY id") == ["1|a|-", "2|-|b"])
    #expect(try await fixture.prove().rowsHold)
    // A declared column takes one of them, from now on.
    let job = Self.job([Column.id, Column(name: "tea", source: .paths([path("th\u{e9}")]))])
    for _ in 1...2 { try await store([page], as: job) }
    #expect(
      try fixture.rows(
        "SELECT name FROM pragma_table_info('box_things') WHERE name LIKE 't%' "
          + "AND name NOT LIKE 'trawl%' ORDER BY name") == ["tea", "th", "the"])
    #expect(
      try fixture.rows("SELECT id, tea, the FROM box_things ORDER BY id") == ["1|a|-", "2|-|b"])
    #expect(try await fixture.prove().rowsHold)
  }

  @Test("change no row in the run that finds them; after it, a first value is a change")
  func firstValues() async throws {
    var store = try await fixture.walked(Self.job(), "[{\"id\": 1}, {\"id\": 2}]")
    let before = try digests(fixture)
    fixture.time.advance(by: .seconds(60))
    let second = try await store.walk(things: "[{\"id\": 1}, {\"id\": 2, \"a\": 1}]")
    #expect(second.1[0].found == ["a"])
    #expect(second.1[0].summary.counts.all == [0, 0, 2, 0, 0, 0])
    #expect(try fixture.rows("SELECT id FROM box_things WHERE changed_at IS NOT NULL") == [])
    #expect(try digests(fixture)[0] == before[0])
    #expect(try digests(fixture)[1] != before[1])
    await store.close()
    fixture.time.advance(by: .seconds(60))
    store = try await fixture.open(Self.job())
    let third = try await store.walk(things: "[{\"id\": 1, \"a\": 3}, {\"id\": 2, \"a\": 2}]")
    #expect(third.1[0].found == [] && third.1[0].summary.counts.all == [0, 2, 0, 0, 0, 0])
    #expect(
      try fixture.rows("SELECT record_key, kind FROM trawl_changes ORDER BY change, 1")
        == ["2|filled", "1|changed", "2|changed"])
    await store.close()
    #expect(try await fixture.prove().rowsHold)
  }

  @Test("come with their page or not at all")
  func atomic() async throws {
    let store = try await fixture.open(Self.job())
    let (id, _) = try await store.store(things: "[{\"id\": 1, \"a\": 1}]")
    try fixture.alter(
      """
      CREATE TRIGGER fail BEFORE INSERT ON box_things WHEN NEW.id = 3
      BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END
      """)
    let before = try fixture.everything()
    let page = "[{\"id\": 2, \"b\": 1}, {\"id\": 3, \"c\": {\"d\": 2}}]"
    await #expect(throws: StoreError.self) {
      try await store.commit(try Page(page), step: Step(page: 2), of: id)
    }
    #expect(try fixture.everything() == before)
    try fixture.alter("DROP TRIGGER fail")
    let receipt = try await store.commit(try Page(page), step: Step(page: 2), of: id)
    #expect(receipt.found == ["b", "c_d"])
    #expect(
      try fixture.rows("SELECT id, a, b, c_d FROM box_things ORDER BY id")
        == ["1|1|-|-", "2|-|1|-", "3|-|-|2"])
    await store.close()
    #expect(try await fixture.prove().rowsHold)
  }

  @Test("stay through the next run without a table made anew, and through edits of the job")
  func edits() async throws {
    try await store(["[{\"id\": 1, \"a\": \"5\", \"b\": {\"c\": 2}}]"])
    let schema = "SELECT sql FROM sqlite_schema WHERE name = 'box_things'"
    let before = try fixture.one(schema)
    #expect(before?.contains(", a /* a */ ANY, b_c /* b.c */ ANY, --") == true)
    let again = try await fixture.openBare()
    #expect(try await again.adopt(Self.job()) == [])
    #expect(try fixture.one(schema) == before)
    // One of them is declared now: its values are of that type, and the digests hold.
    let declared = Self.job([Column.id, Column("a", nil, .integer)])
    #expect(try await again.adopt(declared) == ["box_things.a is INTEGER now, was ANY"])
    try await again.walk(things: "[{\"id\": 1, \"a\": 5, \"b\": {\"c\": 2}, \"d\": 1}]")
    let typed = try fixture.one("SELECT typeof(a), a, b_c, d, changed_at FROM box_things")
    #expect(typed == "integer|5|2|1|-")
    // Columns are no longer found: they stay, and are not written.
    try await again.adopt(.things([Column.id]))
    try await again.walk(things: "[{\"id\": 1, \"e\": 5}]")
    #expect(try fixture.rows("SELECT a, b_c, d FROM box_things") == ["5|2|1"])
    // And they are found again under their names; what was declared as a plain member, too.
    try await again.adopt(Self.job())
    try await again.walk(things: "[{\"id\": 1, \"a\": \"x\", \"b\": {\"c\": 3}}]")
    #expect(try fixture.rows("SELECT a, b_c, d FROM box_things") == ["x|3|-"])
    await again.close()
    #expect(try await fixture.prove().rowsHold)
  }

  @Test("are shared by streams of the same records")
  func shared() async throws {
    var job = Self.job()
    var other = job.streams[0]
    other.name = "others"
    job.streams.append(other)
    let store = try await fixture.walked(job, "[{\"id\": 1, \"a\": 1}]")
    try await store.walk(
      ["[{\"id\": 2, \"a\": 2, \"b\": 2}]"], stream: "others", of: "box", values: [])
    try await store.walk(things: "[{\"id\": 1, \"a\": 1, \"b\": 1}]")
    #expect(try fixture.rows("SELECT id, a, b FROM box_things ORDER BY id") == ["1|1|1", "2|2|2"])
    await store.close()
    #expect(try await fixture.prove().rowsHold)
  }

  @Test("are seen by a proof when one of them is damaged")
  func damage() async throws {
    try await store(["[{\"id\": 1, \"a\": 1, \"b\": 2}]"])
    #expect(try await fixture.prove().rowsHold)
    try fixture.alter("UPDATE box_things SET a = 2, b = 1")
    #expect(try await !fixture.prove().rowsHold)
    try fixture.alter("UPDATE box_things SET a = 1, b = 2")
    #expect(try await fixture.prove().rowsHold)
    try fixture.alter("UPDATE box_things SET b = NULL")
    #expect(try await !fixture.prove().rowsHold)
  }

  @Test("are typed in the copy for readers by what is in them")
  func readers() async throws {
    try await store([
      """
      [{"id": 1, "n": 1, "r": 1.5, "t": "x", "at": "2026-01-31T10:00:00Z", "m": 1},
       {"id": 2, "n": 2, "r": 2, "t": "y", "at": "2026-02-01T10:00:00Z", "m": "x"}]
      """
    ])
    let columns = try #require(
      try fixture.readersCopy([Self.job()]).tables.first { $0.name == "box_things" }
    ).columns
    let types = columns.filter { ["n", "r", "t", "at", "m"].contains($0.name) }
    #expect(
      types.map { "\($0.name) \($0.type)" }
        == ["n INTEGER", "r ", "t TEXT", "at DATETIME", "m "])
  }

  // MARK: any records

  private static func value(_ random: inout SeededRandom) -> String {
    let all = [
      "null", "true", "1", "1.0", "-2.5", "\"x\"", "\"\"", "[]", "[1,{\"z\":2}]", "{}",
      "12345678901234567890", "{\"x\":1}", "{\"x\":{\"y\":\"z\"},\"w\":2}", "{\"17\":1,\"x\":2}",
      "1e400",
    ]
    return all[Int(random.next() % UInt64(all.count))]
  }

  /// The order of members, and of those within them, differs from record to record.
  private static func record(_ id: Int, _ random: inout SeededRandom) -> String {
    let names = ["a", "bC", "d e", "order", "4711", "rowid", "f.g"].filter { _ in
      random.next() % 2 == 0
    }
    let members = names.map { "\"\($0)\": \(value(&random))" } + ["\"id\": \(id)"]
    return "{\(members.shuffled(using: &random).joined(separator: ", "))}"
  }

  @Test("are the same for the same records, in any order and in any pages", arguments: 0..<40)
  func anyOrder(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let records = (1...9).map { Self.record($0, &random) }
    var seen: [[String: [String: String]]] = []
    var taken: [[String]] = []
    for _ in 0..<3 {
      let own = Fixture()
      var left = records.shuffled(using: &random)
      var pages: [String] = []
      while !left.isEmpty {
        let count = min(left.count, Int.random(in: 1...5, using: &random))
        pages.append("[\(left.prefix(count).joined(separator: ","))]")
        left.removeFirst(count)
      }
      let store = try await own.open(Self.job())
      try await store.walk(pages, stream: "all", of: "box", values: [])
      await store.close()
      seen.append(try rows(own))
      taken.append(try digests(own))
      #expect(try await own.prove().rowsHold)
    }
    #expect(seen[0].count == 9)
    #expect(seen[0] == seen[1] && seen[1] == seen[2])
    #expect(taken[0] == taken[1] && taken[1] == taken[2])
    let expected = try Self.expected(records)
    #expect(seen[0].mapValues { $0.filter { $0.key != "id" } } == expected)
  }

  /// In another way than the program's: from the text of each record.
  private static func expected(_ records: [String]) throws -> [String: [String: String]] {
    var all: [String: [String: String]] = [:]
    for text in records {
      let record = try JSONDocument.read(Array(text.utf8)).root
      var columns: [String: String] = [:]
      var rest: [String] = []
      func plain(_ name: String) -> String {
        ["order": "order_", "rowid": "api_rowid"][name] ?? name
      }
      func put(_ value: JSONValue, _ name: String) {
        switch value.kind {
        case .null: return
        case .string: columns[plain(name)] = "text \(value.string ?? "")"
        case .boolean: columns[plain(name)] = "integer 1"
        case .array: columns[plain(name)] = "text " + String(decoding: value.json, as: UTF8.self)
        case .object:
          for member in value.members { put(member.value, "\(name)_\(member.key.string ?? "")") }
        default:
          let number = value.rawNumber ?? ""
          columns[plain(name)] =
            ["1": "integer 1", "1.0": "integer 1", "2": "integer 2", "-2.5": "real -2.5"][number]
            ?? "text \(number)"
        }
      }
      let names = [
        "a": "a", "bC": "b_c", "d e": "d_e", "order": "order", "rowid": "rowid", "f.g": "f_g",
      ]
      for member in record.members.sorted(by: { ($0.key.string ?? "") < ($1.key.string ?? "") }) {
        let name = member.key.string ?? ""
        let json = String(decoding: member.value.json, as: UTF8.self)
        if name == "id" || json == "null" || json == "{}" { continue }
        if name == "4711" {
          rest.append("\"4711\":\(json)")
        } else if json == "{\"17\":1,\"x\":2}" {
          rest.append("\"\(name)\":{\"17\":1}")
          columns[(names[name] ?? "") + "_x"] = "integer 2"
        } else {
          put(member.value, names[name] ?? "")
        }
      }
      if !rest.isEmpty { columns["rest"] = "text {\(rest.joined(separator: ","))}" }
      all[record["id"]?.rawNumber ?? ""] = columns
    }
    return all
  }
}
