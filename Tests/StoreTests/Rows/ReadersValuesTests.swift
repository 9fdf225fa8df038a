import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("The copy for readers")
struct ReadersValuesTests {
  /// What a type of its own would turn into another value.
  private static let odd = [
    "9223372036854775807", "9007199254740993", "0.5", "2.0", "1e400", "-0.0", "true", "null", "7",
    #""007""#, #""1e3""#, #""12345678901234567890123""#, #""2024""#, #"" 7 ""#, #""0x10""#,
    #""-0""#,
    #""1.0""#, #""inf""#, #""""#, #""2024-01-02T03:04:05Z""#, #""2024-01-02""#, #""20240102""#,
  ]
  /// Names that mean something in the copy, in its history or in `items`.
  private static let named = [
    "at", "date", "time", "value", "column_name", "title", "published_at", "source", "record_key",
  ]

  private static func job(_ kind: Column.Kind) -> Job {
    let columns =
      [Column("id", nil, .integer), Column("seen", nil, .text, volatile: true)]
      + named.map { Column($0, nil, kind) }
    return .things(columns) {
      $0.takesAll = true
      $0.roles = ["title": "id", "summary": "title", "published_at": "published_at"]
    }
  }

  @Test("holds exactly what the database holds, whatever a column is called", arguments: 0..<8)
  func values(seed: UInt64) async throws {
    let fixture = Fixture()
    var random = SeededRandom(seed: seed)
    func records() -> String {
      let all = (1...12).map { id in
        // The others have values of one kind, or of a few.
        let few = (0..<3).map { _ in Self.odd.randomElement(using: &random) ?? "1" }
        let members = (Self.named + ["seen", "n", "m"]).map { name in
          "\"\(name)\": \((name == "m" ? few : Self.odd).randomElement(using: &random) ?? "1")"
        }
        return "{\"id\": \(id), \(members.joined(separator: ", "))}"
      }
      return "[\(all.joined(separator: ", "))]"
    }
    // Texts stay when their column is called a time.
    for kind in [Column.Kind.text, .text, seed % 2 == 0 ? .time : .text] {
      let store = try await fixture.open(Self.job(kind))
      fixture.time.advance(by: .seconds(3_600))
      if case .text = kind { try await store.walk(things: records()) }
      await store.close()
    }
    let path = "\(fixture.scratch.path)/readers.db"
    let copy = try ReadersCopy.write(of: fixture.folder, at: path, jobs: [], fixture.settings)
    #expect(copy.tables.map(\.name).sorted() == ["box_things", "box_things_history", "items"])
    for table in copy.tables {
      for column in table.columns {
        let name = "\"\(column.name)\""
        let sql =
          "SELECT typeof(\(name)) || ' ' || quote(\(name)) FROM \"\(table.name)\" ORDER BY 1"
        let copied = try Database(path).rows(sql, null: "-")
        let held = try fixture.rows(sql)
        #expect(copied == held, "\(table.name).\(column.name) \(column.type)")
      }
    }
  }
}
