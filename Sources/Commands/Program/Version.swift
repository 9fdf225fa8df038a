internal import SQLite
internal import Transport

/// What this program calls itself, and what it runs with.
enum Version {
  static let number = "0.1.0"
  static let userAgent = "trawl/\(number) (mirrors paged web APIs into SQLite)"

  /// `SQLite 3.40.1`, then libcurl with what it rests on.
  static var libraries: [String] { ["SQLite \(SQLiteVersion.text)", TransportVersion.text] }
}
