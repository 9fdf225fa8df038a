import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("What a forgotten record leaves elsewhere")
struct ForgottenTracesTests {
  private let fixture = Fixture()
  private static let key: [[SQLValue]] = [[.text("rec-0001")]]

  private static func job(_ children: [ChildTable] = []) -> Job {
    .things([Column("id"), Column("name")]) { $0.children = children }
  }

  private func forget(_ store: RecordStore) async throws -> Erasure {
    try await store.forget(Self.key, of: store.keyedTable("box_things"), Self.job(), .person)
  }

  private func expectProven(_ store: RecordStore) async throws {
    #expect(try await store.prove().findings == [])
    let path = try fixture.folder.databasePath
    #expect(try await IndependentChecker.findings(in: [path])[path]?.map(\.what) == [])
  }

  @Test("is no earlier value of its nested lists")
  func nested() async throws {
    let mails = ChildTable(
      table: "mails", records: path("mails"), key: ["address"], parentKeyNames: ["thing_id"],
      columns: [Column("address"), Column("note")])
    let store = try await fixture.open(Self.job([mails]))
    for note in ["first", "second"] {
      let records = (1...2).map { id in
        #"{"id": "rec-000\#(id)", "mails": [{"address": "a", "note": "\#(note) \#(id)"}]}"#
      }
      try await store.walk(things: "[\(records.joined(separator: ","))]")
    }
    let changes = "SELECT record_key FROM trawl_changes ORDER BY 1"
    #expect(try fixture.rows(changes) == [#"["rec-0001","a"]"#, #"["rec-0002","a"]"#])
    #expect(try await forget(store).records == 1)
    #expect(try fixture.rows(changes) == [#"["rec-0002","a"]"#])
    #expect(try fixture.rows("SELECT note FROM box_mails") == ["second 2"])
    try await expectProven(store)
  }

  @Test("is no argument of a run that names it, and no outcome that does; other runs keep theirs")
  func runs() async throws {
    let store = try await fixture.open(Self.job())
    try await store.walk(things: #"[{"id": "rec-0001"}, {"id": "rec-0002"}]"#)
    for id in 1...2 {
      let run = try await store.beginRun(
        job: "box", command: "run", arguments: ["box", "--set", "q=rec-000\(id)"])
      try await store.endRun(run, outcome: "failed: no rec-000\(id)", exitCode: 69)
    }
    _ = try await forget(store)
    #expect(
      try fixture.rows("SELECT arguments, outcome FROM trawl_runs ORDER BY run").suffix(2) == [
        "[]|", #"["box","--set","q=rec-0002"]|failed: no rec-0002"#,
      ])
    #expect(try await store.mentions(of: NamedTexts(["rec-0001"])) == [])
    try await expectProven(store)
  }

  @Test("is no list that a run may be reading: nothing is forgotten before the run has ended")
  func duringRun() async throws {
    let store = try await fixture.open(Self.job())
    try await store.walk(
      [#"[{"id": "rec-0001"}]"#], stream: "all", of: "box",
      values: [ParameterValue("q", "rec-0001")])
    let lock = try #require(try JobLock.take("box", in: fixture.folder))
    let error = await #expect(throws: StoreError.self) { try await forget(store) }
    #expect(error?.kind == .busy && error?.message.contains("nothing was forgotten") == true)
    #expect(try fixture.one("SELECT id FROM box_things") == "rec-0001")
    withExtendedLifetime(lock) {}
    try await expectProven(store)
  }
}
