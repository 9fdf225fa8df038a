import Glibc
internal import Base

/// The content of the database between two runs, read from outside.
struct YearBook: Sendable {
  struct Row: Sendable, Equatable {
    var name: String?
    var views: Int?
    var detail: String?
    var photo: String?
    var firstSeen: String
    var changed: String?
    var vanished: String?
  }

  struct Place: Sendable, Equatable {
    var firstSeen: String
    var vanished: String?
  }

  struct Certificate: Sendable {
    var number: Int64
    /// The world's name of the list.
    var list: String
    var verdict: String
    var cause: String
    var why: String
    var withheld: Int
    var isOpen: Bool
    var isWindow: Bool

    /// Records of one page are missing, which counts only when later walks lack them, too.
    var isDoubtful: Bool { why.contains("believed when later walks") }
  }

  /// By table and key.
  var rows: [String: [Int: Row]] = [:]
  /// By list and key: memberships, or the rows of a table with a single list.
  var places: [String: [Int: Place]] = [:]
  /// By table and key, in order of time.
  var counters: [String: [Int: [Int]]] = [:]
  var certificates: [Certificate] = []
  /// The addresses of stored pictures.
  var pictures: Set<String> = []
  /// By number: the world's names.
  var lists: [Int: String] = [:]

  /// Tables with a single list of many pages.
  static let long = ["things", "wide", "deep"]
  static let tables = long + ["items", "people", "groups", "news"]

  /// From a data folder; empty if it has no database yet.
  init(_ path: String) throws {
    guard access("\(path)/trawl.db", F_OK) == 0 else { return }
    let connection = try Connection("\(path)/trawl.db", .readOnly)
    defer { connection.close() }
    let there = Set(try connection.rows("SELECT name FROM sqlite_schema") { $0.text(0) ?? "" })
    guard there.contains("trawl_jobs"),
      let job = try connection.text("SELECT job FROM trawl_jobs")
    else { return }
    // Tables are named after their job.
    let shop = String(job.map { $0 == "-" ? "_" : $0 })
    for table in Self.tables where there.contains("\(shop)_\(table)") {
      let known = Set(try connection.columns(of: "\(shop)_\(table)"))
      func column(_ name: String) -> String { known.contains(name) ? name : "NULL" }
      let sql =
        "SELECT id, \(column("name")), \(column("views")), \(column("detail")), "
        + "\(column("photo")), first_seen_at, \(column("changed_at")), \(column("vanished_at")) "
        + "FROM \(shop)_\(table)"
      let all = try connection.rows(sql) { row in
        (
          row.int(0),
          Row(
            name: row.text(1), views: row.text(2).flatMap { Int($0) }, detail: row.text(3),
            photo: row.text(4), firstSeen: row.text(5) ?? "", changed: row.text(6),
            vanished: row.text(7))
        )
      }
      rows[table] = Dictionary(uniqueKeysWithValues: all)
      if there.contains("\(shop)_\(table)_history") {
        let values = try connection.rows(
          "SELECT id, value FROM \(shop)_\(table)_history WHERE column_name = 'views' ORDER BY id, at"
        ) { ($0.int(0), $0.int(1)) }
        counters[table] = Dictionary(grouping: values) { $0.0 }.mapValues { $0.map(\.1) }
      }
    }
    for list in Self.long {
      places[list] = rows[list]?.mapValues {
        Place(firstSeen: $0.firstSeen, vanished: $0.vanished)
      }
    }
    for (table, key, other) in [
      ("tagged", "item_id", "topic"), ("members", "person_id", "group_id"),
    ]
    where there.contains("\(shop)_\(table)") {
      let known = try connection.columns(of: "\(shop)_\(table)")
      let key = known.contains(key) ? key : "id"
      let name = table == "tagged" ? "items topic=" : "members id="
      let all = try connection.rows(
        "SELECT \(other), \(key), first_seen_at, vanished_at FROM \(shop)_\(table)"
      ) { ("\(name)\($0.text(0) ?? "")", $0.int(1), $0.text(2) ?? "", $0.text(3)) }
      for (list, key, first, vanished) in all {
        places[list, default: [:]][key] = Place(firstSeen: first, vanished: vanished)
      }
    }
    guard there.contains("trawl_certificates") else { return }
    pictures = Set(
      try connection.rows("SELECT url FROM trawl_media_urls WHERE digest IS NOT NULL") {
        $0.text(0) ?? ""
      })
    let names = try connection.rows("SELECT list_number, stream, parameters FROM trawl_lists") {
      ($0.int(0), Self.name($0.text(1) ?? "", $0.text(2) ?? ""))
    }
    lists = Dictionary(uniqueKeysWithValues: names)
    certificates = try connection.rows(
      "SELECT certificate, stream, parameters, verdict, coalesce(cause, ''), why, withheld, is_open, "
        + "window_from <> '' FROM trawl_certificates JOIN trawl_windows USING (window) "
        + "JOIN trawl_lists USING (list_number) WHERE job = '\(job)' ORDER BY 1"
    ) { row in
      Certificate(
        number: row.integer(0), list: Self.name(row.text(1) ?? "", row.text(2) ?? ""),
        verdict: row.text(3) ?? "", cause: row.text(4) ?? "", why: row.text(5) ?? "",
        withheld: row.int(6), isOpen: row.boolean(7), isWindow: row.boolean(8))
    }
  }

  private static func name(_ stream: String, _ parameters: String) -> String {
    parameters.isEmpty ? stream : "\(stream) \(parameters)"
  }

  /// The last walk of some list was doubtful.
  var isDoubtful: Bool {
    Dictionary(certificates.map { ($0.list, $0.isDoubtful) }) { $1 }.values.contains(true)
  }

  func isLive(_ key: Int, in list: String) -> Bool {
    places[list]?[key].map { $0.vanished == nil } ?? false
  }

  func live(_ list: String) -> Set<Int> {
    Set(places[list, default: [:]].filter { $0.value.vanished == nil }.keys)
  }
}
