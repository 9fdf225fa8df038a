public import Base

/// The validator of a conditional request, and the stored page it belongs to.
public struct Validator: Sendable, Equatable {
  let page: Int64
  public var etag: String?
  public var lastModified: String?
}

extension RecordStore {
  /// The validator of the last answer that was stored for this address, with the present request and mapping. Nil if
  /// its rows may have changed; for a full last page of a list whose next pages are named in a header (a 304 speaks of
  /// the body alone, and records added after the page change only its `Link`); for a page whose headers say something
  /// of the list, once a 304 of this stream has left that out; and for a body that names the next page by a token that
  /// may have expired.
  public func validator(
    for address: WebAddress, of id: UnitID
  ) throws(StoreError) -> Validator? {
    let unit = try opened(id)
    let stream = unit.plan.stream
    return try guarded {
      let found: StoredPage? = try connection.row(
        "SELECT \(StoredPage.columns) FROM trawl_pages WHERE window = ? "
          + "AND address_digest = ? AND address = ? AND request_print = ? AND mapping_print = ? "
          + "AND trouble IS NULL AND (etag IS NOT NULL OR last_modified IS NOT NULL) "
          + "ORDER BY page DESC LIMIT 1",
        [
          .integer(unit.id), SQLValue(bits: Digest64.of(address.description.utf8)),
          .text(address.description), SQLValue(bits: unit.prints.request),
          SQLValue(bits: unit.prints.mapping),
        ])
      guard let old = found, old.fits,
        unit.plan.altered?.stands(since: old.change, old.keys) == true
      else { return nil }
      let validator = Validator(page: old.number, etag: old.etag, lastModified: old.lastModified)
      let page = old.summary
      if page.saysInHead(stream),
        FactFields(try connection.fact(factOfSigns(unit))).flag("heads_missing") == true
      {
        return nil
      }
      if page.next != nil, stream.pager.namesNextInBody {
        // A 304 has made it no younger.
        let isAlive =
          !page.isNotModified && old.committedAt.map { now - $0 <= stream.tokenLife } ?? false
        return isAlive ? validator : nil
      }
      guard stream.pager.namesNextInHead, page.next == nil else { return validator }
      // Only for a last page: it reads all pages before it.
      let longest = try connection.integer(
        "SELECT max(received) FROM trawl_pages WHERE window = ? AND traversal = ? AND ordinal < ?",
        [.integer(unit.id), .integer(old.traversal), SQLValue(page.ordinal)])
      let full = min(stream.size?.value ?? 0, longest.map(Statement.count) ?? .max)
      return page.counts.received < full ? validator : nil
    }
  }
}

extension PageSummary {
  /// Whether the headers of its answer said something about the list.
  func saysInHead(_ stream: Base.Stream) -> Bool {
    signs.contains(where: \.isInHead) || stream.pager.namesNextInHead && next != nil
      || stream.total?.field != nil && total != nil || stream.namesLastInHead && last != nil
  }

  /// The summary with what the headers of a 304 say instead of its own; nil if its own said more.
  func saying(_ head: Page, _ stream: Base.Stream) -> PageSummary? {
    var said = self
    said.signs = signs.filter { !$0.isInHead } + head.signs
    if stream.pager.namesNextInHead { said.next = head.next }
    if stream.total?.field != nil { said.total = head.total }
    if stream.namesLastInHead { said.last = head.last }
    let places = Set(head.signs.map(\.place))
    let isLess =
      signs.contains { $0.isInHead && !places.contains($0.place) }
      || next != nil && said.next == nil || total != nil && said.total == nil
      || last != nil && said.last == nil
    return isLess ? nil : said
  }
}

extension StoredPage {
  /// Each of its records is in the table as it came.
  fileprivate var fits: Bool {
    summary.counts.rejected == 0 && summary.rejectReason == nil && fieldRejects == 0
      && !summary.signs.contains { $0.kind == .emptied }
      && summary.keyClashes.onPage + summary.keyClashes.acrossPages == 0
  }
}

extension Base.Stream {
  fileprivate var namesLastInHead: Bool {
    if case .header = lastPage { true } else { pager.nextPage?.place == .link }
  }
}
