public import Base

/// What an API answered alike where a job requests something else each time: it may ignore what the job sends.
public struct EqualAnswers: Sendable {
  public var stream: String
  /// Lists, or requests of a stream of single answers.
  public var count: Int
  public var records: Int
  /// Two of the lists; empty: they are requests.
  public var lists: [String]

  /// Fewer records may be the same by chance.
  fileprivate static let recordsMin = 4

  public var sentence: String {
    let each =
      lists.isEmpty
      ? "\(Wording.number(count)) requests"
      : "\(Wording.number(count)) lists (\(lists.joined(separator: ", "))\(count > 2 ? ", …" : ""))"
    return "the API gave the same \(Wording.number(records)) records in the same order for each of "
      + "\(each): it may not know the parameter that is to distinguish them"
  }
}

extension RecordStore {
  /// Streams all of whose lists begin with the same records, or all of whose single answers are the same.
  public func equalAnswers(of job: Job) throws(StoreError) -> [EqualAnswers] {
    try guarded {
      try job.streams.compactMap { stream throws(SQLiteError) in
        // By its place every record has the key of another one.
        if stream.isKeyPlace { return nil }
        let isOfRequests = stream.isAskedInBatches
        let found = try connection.row(
          "SELECT count(DISTINCT \(isOfRequests ? "p.address" : "list_number")), "
            + "count(DISTINCT p.keys), length(p.keys) / 8, min(l.list), max(l.list) "
            + "FROM trawl_lists l JOIN trawl_windows w USING (list_number) JOIN trawl_pages p USING (window) "
            + "WHERE l.job = ? AND l.stream = ? AND p.purpose = 'page' AND p.trouble IS NULL "
            + (isOfRequests ? "" : "AND p.ordinal = 1 AND w.window_from = ''"),
          [.text(job.name), .text(stream.name)]
        ) {
          (
            count: $0.int(0), answers: $0.int(1), records: $0.int(2),
            lists: [$0.text(3) ?? "", $0.text(4) ?? ""]
          )
        }
        guard let found, found.count > 1, found.answers == 1,
          found.records >= EqualAnswers.recordsMin
        else { return nil }
        return EqualAnswers(
          stream: stream.name, count: found.count, records: found.records,
          lists: isOfRequests ? [] : found.lists)
      }
    }
  }
}
