public import Base

extension RecordStore {
  /// Members of one stream; beyond this number its names are data, and no more are noted or
  /// reported.
  static let fieldsMax = 500

  /// Notes the members of a stream's records that have no column.
  /// - Returns: those that were not known before, and whether the records are examined for the first time.
  public func note(
    fields paths: [String], of stream: String, job: String
  ) throws(StoreError) -> (isFirst: Bool, new: [String]) {
    let moment = now.description
    let known = try guarded { try connection.facts(FactKey(.field, job: job, stream: stream)) }
    let old = Set(known.map { ExactText($0.subject) })
    let new = paths.filter { !old.contains(ExactText($0)) }
    // An empty path means that the stream was examined: later members are new, even if there were
    // none then.
    let noted = paths.isEmpty && known.isEmpty ? [""] : new
    guard !noted.isEmpty, known.count < Self.fieldsMax else { return (false, []) }
    try write {
      // cut: beyond this number names are data, and the table says so
      for path in noted.prefix(Self.fieldsMax - known.count) {
        try connection.note(FactKey(.field, job: job, stream: stream, path), .text(moment))
      }
    }
    return (known.isEmpty, new)
  }

  /// The columns of a stream that are known to be filled, or known not to be, by name.
  public func settledColumns(
    of stream: String, job: String
  ) throws(StoreError) -> [String: String] {
    try guarded {
      let facts = try connection.facts(FactKey(.column, job: job, stream: stream))
      return Dictionary(facts.map { ($0.subject, $0.fact.text ?? "") }) { first, _ in first }
    }
  }

  public func note(
    settled columns: [String: String], of stream: String, job: String
  ) throws(StoreError) {
    if columns.isEmpty { return }
    try write {
      for (name, rule) in columns.sorted(by: { $0.key < $1.key }) {
        try connection.note(FactKey(.column, job: job, stream: stream, name), .text(rule))
      }
    }
  }

  /// Signs of more on each stream's stored pages that its job does not read: each place once, as the newest page that
  /// has it says.
  public func unreadSigns(
    of job: Job
  ) throws(StoreError) -> [(stream: String, signs: [UnreadSign])] {
    try guarded {
      try job.streams.compactMap { stream -> (stream: String, signs: [UnreadSign])? in
        let texts: [String?] = try connection.rows(
          "SELECT signs FROM trawl_pages JOIN trawl_windows USING (window) "
            + "JOIN trawl_lists USING (list_number) WHERE job = ? AND stream = ? "
            // cut: the pages of one API say the same, so the newest suffice
            + "AND signs IS NOT NULL ORDER BY page DESC LIMIT 200",
          [.text(job.name), .text(stream.name)])
        var signs: [UnreadSign] = []
        for sign in texts.flatMap({ SignText.signs($0) })
        where !sign.kind.isAge && !stream.reads(sign) && !stream.knows(sign) {
          if !signs.contains(where: { $0.place == sign.place }) { signs.append(sign) }
        }
        return signs.isEmpty ? nil : (stream.name, signs)
      }
    }
  }
}
