internal import Model
internal import SQLite

extension RecordStore {
  /// Forgets that a child stream was ever asked: each of its parents is due again.
  public func askAgain(_ stream: String, of job: String) throws(StoreError) {
    try write { connection in
      for table in ["trawl_asked", "trawl_misses"] {
        try connection.run(
          "DELETE FROM \(table) WHERE job = ? AND stream = ?", [.text(job), .text(stream)])
      }
    }
  }
}
