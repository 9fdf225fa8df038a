extension Bookkeeping {
  /// A table of its own: a further column of `trawl_media` would be one more value under the seals
  /// of rows that are there.
  static let unneeded = """
    CREATE TABLE trawl_unneeded (
      digest TEXT PRIMARY KEY NOT NULL REFERENCES trawl_media ON DELETE CASCADE,
      since TEXT NOT NULL, -- first seen then: neither a live record nor a favourite points to it
      \(BookkeepingSeal.columnSQL)
    ) STRICT, WITHOUT ROWID;

    """
}
