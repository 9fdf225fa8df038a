public import Base

/// What the as-declared certificates of a list cover, for the present request, in order.
public struct CoveredRanges: Sendable {
  struct Piece: Sendable {
    var window: TimeWindow
    var verdict: Verdict
    var isOfThisMapping: Bool
  }

  let pieces: [Piece]

  public static let none = CoveredRanges(pieces: [])

  /// Adjacent ranges joined, whatever their verdict.
  public var all: [TimeWindow] { joined { _ in true } }

  /// Without what an older mapping filled.
  public var ofThisMapping: [TimeWindow] { joined(where: \.isOfThisMapping) }

  public func with(_ verdict: Verdict) -> [TimeWindow] { joined { $0.verdict == verdict } }

  private func joined(where isWanted: (Piece) -> Bool) -> [TimeWindow] {
    pieces.filter(isWanted).map(\.window).joined
  }
}

extension [TimeWindow] {
  /// Those that touch as one. They are ordered by their beginnings.
  var joined: [TimeWindow] {
    reduce(into: []) { joined, window in
      guard let last = joined.last, window.from <= last.to else { return joined.append(window) }
      joined[joined.count - 1].to = Swift.max(last.to, window.to)
    }
  }
}

extension RecordStore {
  /// Other requests do not count, nor what was covered while the clock was ahead.
  public func coverage(_ list: ListKey) throws(StoreError) -> CoveredRanges {
    let moment = now
    return try guarded {
      let rows = try connection.rows(
        "SELECT covered_from, covered_to, verdict, mapping_print = ?5 FROM trawl_coverage "
          + "JOIN trawl_lists USING (list_number) "
          + "WHERE job = ?1 AND stream = ?2 AND parameters = ?3 AND request_print = ?4 "
          + "ORDER BY covered_from", list.asked + [SQLValue(bits: list.prints.mapping)]
      ) { row -> CoveredRanges.Piece? in
        guard let window = row.window(0), let verdict = row.text(2).flatMap(Verdict.init) else {
          return nil
        }
        return CoveredRanges.Piece(
          window: window, verdict: verdict, isOfThisMapping: row.boolean(3))
      }.compactMap { $0 }
      guard rows.contains(where: { $0.window.to.isAhead(of: moment) }) else {
        return CoveredRanges(pieces: rows)
      }
      let last = try Coverage.lastCertain(connection, now: moment)
      return CoveredRanges(
        pieces: rows.compactMap { row in
          var piece = row
          if piece.window.to.isAhead(of: moment) { piece.window.to = last }
          return piece.window.from.seconds < piece.window.to.seconds ? piece : nil
        })
    }
  }
}
