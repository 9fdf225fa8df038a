/// All bookkeeping tables, in an order in which each one refers only to those before it. Their
/// names begin with `trawl_`; every column says what it holds, so that `.schema` is the
/// documentation. Instants are UTC text. Every row carries a seal.
enum Book {
  static let tables =
    [
      jobs, jobTables, columns, runs, lists, windows, coverage, pages, certificates, rejects, due,
      goals, favorites, media, mediaURLs, changes, facts,
    ]

  /// The version of a file that has all of them.
  static var version: Int64 { Upgrade.version() }

  static func table(_ name: String) -> BookTable? { tables.first { $0.name == name } }
}
