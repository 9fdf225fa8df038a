@testable import Base
import CSQLite
@testable import Store
import Synchronization
import TestSupport
import Testing

/// What SQLite itself sees of each write to a table of records: the tests' auditor.
///
/// `@unchecked Sendable`: the store's thread alone calls it, and the test asks it through the store.
private final class Auditor: @unchecked Sendable {
  /// Row by row the change number before and after, as SQLite hands them over; nil: there was no row.
  private(set) var writes: [(table: String, before: Int64?, after: Int64?)] = []
  private let columns: [String: Int32]

  /// - Parameter columns: of each table of records and lists the place of its change number.
  init(_ connection: Connection, _ columns: [String: Int32]) {
    self.columns = columns
    let own = Unmanaged.passUnretained(self).toOpaque()
    _ = sqlite3_preupdate_hook(
      connection.handle,
      { context, handle, action, _, table, _, _ in
        guard let context, let handle, let table else { return }
        Unmanaged<Auditor>.fromOpaque(context).takeUnretainedValue()
          .note(handle, action, String(cString: table))
      }, own)
  }

  private func note(_ handle: OpaquePointer, _ action: Int32, _ table: String) {
    guard let column = columns[table] else { return }
    var value: OpaquePointer?
    var (before, after): (Int64?, Int64?)
    if action != SQLITE_INSERT, sqlite3_preupdate_old(handle, column, &value) == SQLITE_OK {
      before = sqlite3_value_int64(value)
    }
    if action != SQLITE_DELETE, sqlite3_preupdate_new(handle, column, &value) == SQLITE_OK {
      after = sqlite3_value_int64(value)
    }
    writes.append((table, before, after))
  }

  func takeWrites() -> [(table: String, before: Int64?, after: Int64?)] {
    defer { writes = [] }
    return writes
  }
}

@Suite("The change number")
struct ChangeNumberTests {
  private let fixture = Fixture()

  /// A job with a list, volatile columns, and two streams that fill one table.
  private static let tables = ["people_users", "people_follows"]

  private static func place(of table: String, _ fixture: Fixture) throws -> Int32 {
    let place = try fixture.one(
      "SELECT cid FROM pragma_table_info('\(table)') WHERE name = 'trawl_change'")
    return try #require(place.flatMap(Int32.init))
  }

  @Test(
    "rises with each write to a table of records, as SQLite itself sees them, but for places in a list",
    arguments: Torture.seeds(plain: 20, long: 400))
  func audited(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let store = try await fixture.open()
    let columns = try Dictionary(
      uniqueKeysWithValues: Self.tables.map { ($0, try Self.place(of: $0, fixture)) })
    let auditor = try await store.audit(columns)
    var last: Int64 = 0
    var known: [String: Set<Int64>] = [:]
    for night in 0..<6 {
      fixture.time.advance(by: .seconds(3600))
      let members = (1...12).filter { _ in random.next() % 4 > 0 }.shuffled(using: &random)
      let renamed = random.next() % 3
      try await store.walk(
        [people(members) { UInt64($0) % 3 == renamed ? "n\(night)" : "u\($0)" }], accept: true)
      let user = Int.random(in: 1...12, using: &random)
      let page = profile(user, followers: Int(random.next() % 3))
      try await store.walk([page], stream: "profile", values: .user(user))
      let writes = await store.takeWrites(auditor)
      for (table, before, after) in writes {
        let number = try #require(after, "a record is never deleted")
        // A moved position in a list is not a change.
        if table == "people_follows", before == number { continue }
        #expect(number > last, "seed \(seed): \(table) \(before ?? 0) -> \(number)")
        known[table, default: []].insert(number)
      }
      last = try #require(
        try fixture.one("SELECT fact FROM trawl_facts WHERE kind = 'change'").flatMap(Int64.init))
    }
    // No row claims a change that SQLite has not seen.
    for table in Self.tables {
      let numbers = try fixture.rows("SELECT DISTINCT trawl_change FROM \(table)").compactMap {
        Int64($0)
      }
      #expect(Set(numbers).isSubset(of: known[table] ?? []), "seed \(seed): \(table)")
    }
    #expect(try await store.prove().findings == [], "seed \(seed)")
  }

  @Test("of a record that changed, went or came back is told with what it held, and of no new one")
  func told() async throws {
    let job = Job.things([Column.id, Column("login")]) { $0.marksVanished = true }
    let store = try await fixture.open(job)
    func night(_ page: String) async throws {
      fixture.time.advance(by: .seconds(3600))
      try await store.walk(things: page, accept: true)
    }
    try await night(people(1...4))
    #expect(try fixture.one("SELECT count(*) FROM trawl_changes") == "0")
    try await night(people([1, 2, 3]) { $0 == 1 ? "other" : "u\($0)" })
    try await night(people(1...4) { $0 == 1 ? "other" : "u\($0)" })
    #expect(
      try fixture.rows("SELECT record_key, kind, old FROM trawl_changes ORDER BY change")
        == [#"1|changed|{"login":"u1"}"#, "4|gone|-", "4|back|-"])
    let numbers = try fixture.rows("SELECT id, trawl_change FROM box_things ORDER BY id")
    #expect(numbers == ["1|2", "2|1", "3|1", "4|4"])
    let runs = try fixture.rows(
      "SELECT first_change, last_change, counts FROM trawl_runs ORDER BY run")
    #expect(
      runs == [
        #"1|1|{"box_things":{"new":4,"changed":0,"gone":0,"first_row":1}}"#,
        #"2|3|{"box_things":{"new":0,"changed":1,"gone":1}}"#,
        #"4|4|{"box_things":{"new":0,"changed":0,"gone":0,"back":1}}"#,
      ])
    let since = fixture.time.now
    let told = try await store.changes(of: "box", since: since, most: 9, withMoving: true)
    #expect(told.map { [$0.new, $0.changed, $0.gone, $0.back] } == [[0, 0, 0, 1]])
  }
}

extension RecordStore {
  fileprivate func audit(_ columns: [String: Int32]) throws -> Auditor {
    try guarded { Auditor(connection, columns) }
  }

  fileprivate func takeWrites(
    _ auditor: Auditor
  ) -> [(table: String, before: Int64?, after: Int64?)] { auditor.takeWrites() }
}
