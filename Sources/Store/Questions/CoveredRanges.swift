public import Base

/// What certificates as declared cover of a list that is asked as now, in order.
public struct CoveredRanges: Sendable {
  struct Piece: Sendable {
    var window: TimeWindow
    var verdict: Verdict
    var isOfThisMapping: Bool
  }

  private let pieces: [Piece]

  init(_ pieces: [Piece]) { self.pieces = pieces }

  public static let none = CoveredRanges([])

  /// Joined where they touch, whatever their verdict.
  public var all: [TimeWindow] { joined { _ in true } }

  /// Without what an older mapping filled.
  public var ofThisMapping: [TimeWindow] { joined(where: \.isOfThisMapping) }

  public func with(_ verdict: Verdict) -> [TimeWindow] { joined { $0.verdict == verdict } }

  private func joined(where isWanted: (Piece) -> Bool) -> [TimeWindow] {
    pieces.filter(isWanted).map(\.window).reduce(into: []) { joined, window in
      guard let last = joined.last, window.from <= last.to else { return joined.append(window) }
      joined[joined.count - 1].to = max(last.to, window.to)
    }
  }
}

extension RecordStore {
  /// Other requests count for nothing. What a clock that was ahead has covered beyond now is not
  /// covered.
  public func coverage(
    of stream: String, job: String, parameters: String, prints: Fingerprints
  ) throws(StoreError) -> CoveredRanges {
    let moment = now
    return try guarded { connection in
      let rows = try connection.rows(
        "SELECT covered_from, covered_to, as_of, verdict, mapping_print = ? FROM trawl_coverage "
          + "JOIN trawl_lists USING (list_number) "
          + "WHERE job = ? AND stream = ? AND parameters = ? AND request_print = ? "
          + "ORDER BY covered_from",
        [
          SQLValue(bits: prints.mapping), .text(job), .text(stream), .text(parameters),
          SQLValue(bits: prints.request),
        ]
      ) { row -> (piece: CoveredRanges.Piece, asOf: Instant?)? in
        guard let from = row.text(0).flatMap({ Instant(stored: $0) }),
          let to = row.text(1).flatMap({ Instant(stored: $0) }),
          let verdict = row.text(3).flatMap({ Verdict(rawValue: $0) })
        else { return nil }
        let piece = CoveredRanges.Piece(
          window: TimeWindow(from: from, to: to), verdict: verdict, isOfThisMapping: row.boolean(4))
        return (piece, row.text(2).flatMap { Instant(stored: $0) })
      }.compactMap { $0 }
      let times = TimesAhead(connection, now: moment)
      guard rows.contains(where: { times.isAhead($0.piece.window.to) }) else {
        return CoveredRanges(rows.map(\.piece))
      }
      let last = try times.lastCertain()
      return CoveredRanges(
        rows.compactMap { row in
          times.certain(row.piece.window, asOf: row.asOf, last).map { window in
            var piece = row.piece
            piece.window = window
            return piece
          }
        })
    }
  }
}
