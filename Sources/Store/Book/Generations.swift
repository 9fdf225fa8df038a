internal import Base

/// The generation of a table of records. A reader that follows its changes by number reads the
/// whole table again if the generation differs: the rows were rebuilt, or come from a backup. It is
/// a time, so that it also rises if the earlier value was lost.
extension Connection {
  func raiseGeneration(of table: String, at now: Instant) throws(SQLiteError) {
    let key = FactKey(.generation, table)
    let next = try (fact(key)?.integer ?? 0).nextStored()
    try note(key, .integer(max(now.milliseconds, next)))
  }
}

extension RecordStore {
  public func generations(of job: String) throws(StoreError) -> [String: Int64] {
    try guarded {
      try connection.dictionary(
        "SELECT table_name, fact FROM trawl_tables JOIN trawl_facts f ON subject = table_name "
          + "WHERE f.kind = 'generation' AND trawl_tables.job = ?", [.text(job)])
    }
  }

  /// Of all tables: their rows are no longer those that readers saw last.
  func raiseGenerations() throws(StoreError) {
    let moment = now
    try write {
      let tables = try connection.texts("SELECT table_name FROM trawl_tables")
      for table in tables { try connection.raiseGeneration(of: table, at: moment) }
    }
  }
}
