internal import JSON
internal import Model
internal import Store
internal import TestSupport
internal import Testing

@Suite("Rejects that are mapped again")
struct RejectTests {
  let fixture = Fixture()

  @Test("fit when the job's columns do now: whole records and single values, with no request")
  func retry() async throws {
    let strict = [
      Column("id", nil, .integer), Column("price", nil, .integer, required: true),
      Column("stock", nil, .integer), Column(name: "host", source: .parameter("host")),
    ]
    let store = try await fixture.open(.things(strict))
    let page = """
      [{"id": 1, "price": 1.5, "stock": 3}, {"id": 2, "price": 2, "stock": 0.5},
       {"id": 3, "price": "free", "stock": 1}]
      """
    let host = [ParameterValue("host", "a.example")]
    let (_, receipts) = try await store.walk([page], stream: "all", of: "box", values: host)
    #expect(receipts[0].summary.counts.all == [1, 0, 0, 0, 0, 2])
    var loose = strict
    loose[1].kind = .real
    loose[2].kind = .real
    _ = try await store.adopt(.things(loose), origin: Fixture.origin)
    let run = try await store.beginRun(job: "box", command: "backfill", arguments: [])
    let result = try await store.retryRejects(job: "box", run: run)
    #expect([result.fitted, result.left] == [2, 1])
    #expect(
      try fixture.rows("SELECT id, price, stock, host FROM box_things ORDER BY id")
        == ["1|1.5|3.0|a.example", "2|2.0|0.5|a.example"])
    #expect(try fixture.one("SELECT raw FROM trawl_rejects")?.contains("free") == true)
    #expect(try await store.rejectCount(job: "box") == 1)
    #expect(try await store.prove().holds)
    let again = try await store.retryRejects(job: "box", run: run)
    #expect([again.fitted, again.left] == [0, 1])
  }

  @Test("leave a value alone that a later answer has filled")
  func filled() async throws {
    let columns = [Column("id", nil, .integer), Column("stock", nil, .integer)]
    let store = try await fixture.open(.things(columns))
    try await store.walk([#"[{"id": 1, "stock": "x"}]"#], stream: "all", of: "box", values: [])
    try await store.walk([#"[{"id": 1, "stock": 5}]"#], stream: "all", of: "box", values: [])
    #expect(try await store.rejectCount(job: "box") == 0)
    #expect(try fixture.rows("SELECT stock FROM box_things") == ["5"])
  }
}
