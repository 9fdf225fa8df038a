internal import Base

/// Evidence that names a record in plain text: a page that was requested with its key, or after it.
/// Digests reveal nothing of a record and stay; evidence that names it is deleted.
struct NamingEvidence {
  let job: String
  let texts: NamedTexts
  let connection: Connection
  /// Walks whose pages are linked by such a text: they are deleted whole, and their lists are read
  /// again.
  private(set) var windows: Set<Int64> = []
  /// Single answers that only the address names.
  private var pages: [(page: Int64, address: String)] = []

  init(_ job: String, _ texts: NamedTexts, _ connection: Connection) throws(SQLiteError) {
    (self.job, self.texts, self.connection) = (job, texts, connection)
    if texts.isEmpty { return }
    let ofJob =
      "JOIN trawl_windows w USING (window) JOIN trawl_lists l USING (list_number) WHERE l.job = ?"
    try connection.each(
      "SELECT page, window, address, cursor, next_cursor, last_cursor, sort_span, ambiguous_key, "
        + "reject_reason, handed ->> 'last_page', EXISTS (SELECT 1 FROM trawl_pages o "
        + "WHERE o.window = p.window AND o.traversal = p.traversal AND o.cursor <> 'start') "
        + "FROM trawl_pages p \(ofJob)", [.text(job)]
    ) { all in
      let isInAddress = texts.areNamed(in: all.text(2))
      if isInAddress, !all.boolean(10) { pages.append((all.integer(0), all.text(2) ?? "")) }
      let isWalk = isInAddress && all.boolean(10)
      if isWalk || (3...9).contains(where: { texts.areNamed(in: all.text($0)) }) {
        windows.insert(all.integer(1))
      }
    }
    let claims = try connection.rows(
      "SELECT window, why, handed ->> 'last_page' FROM trawl_certificates c \(ofJob)", [.text(job)]
    ) { ($0.integer(0), $0.text(1), $0.text(2)) }
    for (window, why, page) in claims
    where texts.areNamed(in: why) || texts.areNamed(in: page) { windows.insert(window) }
  }

  /// Returns how many walks were deleted.
  func erase() throws(SQLiteError) -> Int {
    for window in windows {
      try connection.delete(Book.windows, where: "window = ?", [.integer(window)])
    }
    for (page, address) in pages {
      let host = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
      // cut: the server's part of the address, without what was requested
      let left = host.prefix(3).joined(separator: "/") + "/"
      try connection.set(
        Book.pages,
        [("address", .text(left)), ("address_digest", SQLValue(bits: Digest64.of(left.utf8)))],
        where: "page = ?", [.integer(page)])
    }
    return windows.count
  }
}
