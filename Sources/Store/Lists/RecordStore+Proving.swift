public import Base

extension RecordStore {
  /// Whether walks of a whole list that have proved nothing so far are followed by another one: by
  /// a second night's, and by a third if they read the same and no answer shows the end. A list
  /// that moved each time is read whole again after `age`.
  public func isHalfProven(
    _ list: ListKey, again age: Duration
  ) throws(StoreError) -> Bool {
    let half = try guarded {
      try connection.row(
        "SELECT c.verdict, c.unproven_reads, c.pattern_walks, c.pattern_since, c.began_at "
          + "\(Self.ofWhole) AND c.request_print = ?4 AND c.standing = 'valid' "
          + "ORDER BY c.certificate DESC LIMIT 1", list.asked
      ) { row in
        (
          isProven: row.text(0) == Verdict.complete.rawValue, reads: row.int(1), same: row.int(2),
          since: row.instant(3), began: row.instant(4)
        )
      }
    }
    guard let half, !half.isProven, half.reads > 0 else { return false }
    if half.reads < 2 || half.reads == 2 && half.same < 2 { return true }
    if half.same > 1, let since = half.since, now - since >= WalkMemory.patternAge { return true }
    return half.began.map { now - $0 >= age } ?? false
  }

  /// When a list was last complete, or was last walked twice in one run to prove it, whichever is
  /// later.
  public func lastProving(of unit: Unit, job: String) throws(StoreError) -> Instant? {
    try guarded {
      try connection.instant(
        "SELECT c.proving_at \(Self.ofWhole) AND c.standing = 'valid' "
          + "ORDER BY c.certificate DESC LIMIT 1",
        [.text(job), .text(unit.stream), .text(unit.parameterText)])
    }
  }
}
