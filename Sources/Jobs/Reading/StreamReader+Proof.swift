internal import Base

/// What a job declares for proofs: an order that they may rest on, and how often one is due.
extension StreamReader {
  func readOrder(_ stream: inout Stream) {
    guard let place = node["order"],
      let (name, direction) = place.string.flatMap(OrderText.read)
    else { return }
    guard let column = stream.column(name) else {
      complaints.expect(
        name, in: stream.columns.map(\.name), at: place, "order: there is no column \"\(name)\"")
      return
    }
    guard case .paths = column.source else {
      complaints.add(place, "order: the column \(name) is not read from the record")
      return
    }
    let basis: ListOrder.Basis
    if stream.key.contains(name) {
      basis = .key
    } else {
      switch column.kind {
      case .time, .date: basis = .time
      default:
        complaints.add(
          place,
          "order: the column \(name) is neither part of the key nor a time; only what is unique and "
            + "never changes, or only grows, proves anything")
        return
      }
    }
    // Newest first: once whole, only new records are read. Removals show only in a walk of the whole list.
    let isNewestFirst =
      basis == .time && direction == .falling && !stream.marksVanished && !stream.isSearch
      && stream.pager != .single
    if isNewestFirst { stream.newestFirst = name }
    guard !isNewestFirst || provesByTime(stream) else { return }
    checkPaging(place, basis, stream)
    stream.order = ListOrder(name, direction, by: basis)
  }

  /// Whether a proof may rest on an order by time: pages by place have no edge with a time.
  private func provesByTime(_ stream: Stream) -> Bool {
    if case .chain = stream.pager { return !stream.isSearch }
    return false
  }

  func readProving(_ stream: inout Stream) {
    guard let place = node["prove"], let word = place.string else { return }
    if stream.isSearch {
      complaints.add(place, "prove: a search has no proof, however often it is read")
    } else if stream.pager == .single {
      complaints.add(
        place, "prove: one answer is its own proof; it goes with lists that have pages")
    } else if node["window"] != nil {
      complaints.add(
        place, "prove: what is read in windows is proven window by window (backfill --prove)")
    } else if stream.newestFirst != nil {
      complaints.add(
        place,
        "prove: with an order by a falling time a second walk reads no further than to what the first one read"
      )
    }
    stream.provesEvery = StreamShape.provings.first { $0.word == word }?.every
  }

  private func checkPaging(_ place: JSON5Node, _ basis: ListOrder.Basis, _ stream: Stream) {
    if stream.isSearch {
      complaints.add(place, "order: a search has no proof that could rest on it")
      return
    }
    switch stream.pager {
    case .single:
      complaints.add(place, "order: one answer needs none; it goes with lists that have pages")
    case .number:
      complaints.add(
        place,
        "order: numbered pages are not requested to overlap, so it would prove nothing of them")
    case .offset where basis == .time:
      complaints.add(
        place,
        "order: with pages by offset it must be a column of the key; of one time there may be several "
          + "records")
    case .chain(let next):
      checkEdge(place, next)
    case .offset: break
    }
  }

  /// The record that names the next page must not move away from its place.
  private func checkEdge(_ place: JSON5Node, _ next: NextPage) {
    guard case .record = next.place, let last = node["pages"]?["next"]?.string,
      let (name, direction) = place.string.flatMap(OrderText.read), name != last,
      direction == .rising
    else { return }
    complaints.add(
      place,
      "order: a record that changes would take the page's edge along to the end; with paging by after"
        + " a rising order is that of \"next\" (\(last))")
  }
}
