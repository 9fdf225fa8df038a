public import Base

extension RecordStore {
  /// When a list was complete last, or was walked twice in one run to prove it, whichever is later.
  public func lastProving(of unit: Unit, job: String) throws(StoreError) -> Instant? {
    try guarded { connection in
      try connection.row(
        "SELECT c.proving_at FROM trawl_certificates c JOIN trawl_windows USING (window) "
          + "JOIN trawl_lists USING (list_number) WHERE job = ? AND stream = ? AND parameters = ? "
          + "AND window_from = '' AND standing = 'valid' ORDER BY c.certificate DESC LIMIT 1",
        [.text(job), .text(unit.stream), .text(unit.parameterText)]
      ) { $0.text(0).flatMap { Instant(stored: $0) } } ?? nil
    }
  }
}
