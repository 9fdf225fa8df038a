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
  /// Single answers where only the address has such a text.
  private var pages: [(page: Int64, address: String)] = []

  init(_ job: String, _ texts: NamedTexts, _ connection: Connection) throws(SQLiteError) {
    (self.job, self.texts, self.connection) = (job, texts, connection)
    if texts.isEmpty { return }
    let ofJob =
      "JOIN trawl_windows w USING (window) JOIN trawl_lists l USING (list_number) WHERE l.job = ?"
    try connection.each(
      "SELECT page, window, address, cursor, next_cursor, last_cursor, handed ->> 'last_page', "
        + "sort_span, ambiguous_key, reject_reason, EXISTS (SELECT 1 FROM trawl_pages o "
        + "WHERE o.window = p.window AND o.traversal = p.traversal AND o.cursor <> 'start') "
        + "FROM trawl_pages p \(ofJob)", [.text(job)]
    ) { all in
      let isInAddress = texts.areNamed(inAddress: all.text(2))
      if isInAddress, !all.boolean(10) { pages.append((all.integer(0), all.text(2) ?? "")) }
      let isWalk = isInAddress && all.boolean(10)
      if isWalk || (3...6).contains(where: { isNamed(inCursor: all.text($0)) })
        || (7...9).contains(where: { isNamed(inSentence: all.text($0)) })
      {
        windows.insert(all.integer(1))
      }
    }
    let claims: [(Int64, String?, String?)] = try connection.rows(
      "SELECT window, why, handed ->> 'last_page' FROM trawl_certificates c \(ofJob)", [.text(job)])
    for (window, why, page) in claims
    where isNamed(inSentence: why) || isNamed(inCursor: page) { windows.insert(window) }
  }

  private func isNamed(inCursor text: String?) -> Bool {
    func isNamed(_ cursor: Cursor?) -> Bool {
      switch cursor {
      case .token(let text), .address(let text): texts.areNamed(inAddress: text)
      case .part(let page, _): isNamed(page)
      default: false
      }
    }
    return isNamed(text.flatMap(Cursor.init))
  }

  private func isNamed(inSentence text: String?) -> Bool {
    guard let text else { return false }
    return texts.areHeld(by: text) || texts.areNamed(in: Array(text.utf8))
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
