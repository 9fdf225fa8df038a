public import Base

/// Identical answers of an API to different requests of a job: it may ignore what the job sends. Or answers with
/// different records under one key.
public struct EqualAnswers: Sendable {
  public var stream: String
  /// Lists, or requests of a stream of single answers.
  public var count: Int
  public var records: Int
  /// Two of the lists; empty for requests.
  public var lists: [String]
  /// False: not all, and some differ under one key.
  public var isSame: Bool
  /// A key under which they have different records.
  fileprivate var key: String?
  /// What distinguishes the requests.
  fileprivate var hole: String?

  /// Fewer records may be the same by chance.
  fileprivate static let recordsMin = 4

  public var sentence: String {
    let clash = key.map { key in
      let cure = hole.map {
        ": if that is unique only for one {\($0)}, let a column hold {\($0)}, and put it into key"
      }
      return "\(key) is the key of different records\(cure ?? "")"
    }
    if let clash, !isSame { return clash }
    let each =
      lists.isEmpty
      ? "\(Wording.number(count)) requests"
      : "\(Wording.number(count)) lists (\(lists.joined(separator: ", "))\(count > 2 ? ", …" : ""))"
    let keys = Wording.number(records)
    return "the API gave records with the same \(keys) keys in the same order for each of \(each): "
      + "it may not know the parameter that is to distinguish them"
      + (clash.map { "; or \($0)" } ?? "")
  }
}

extension RecordStore {
  /// The streams whose lists all begin with the same records, or whose single answers are all the same, in the last
  /// walk of each list.
  /// - Parameter run: only if all of these answers came in this run, and are the first; nil: at any time.
  public func equalAnswers(
    of job: Job, _ streams: [Stream], firstIn run: RunID? = nil
  ) throws(StoreError) -> [EqualAnswers] {
    try guarded {
      try streams.compactMap { stream throws(SQLiteError) in
        // If the key is the record's place, all answers have the same keys.
        if stream.isKeyPlace { return nil }
        let isOfRequests = stream.isAskedInBatches
        let found = try connection.row(
          "SELECT count(DISTINCT \(isOfRequests ? "p.address" : "list_number")), "
            + "count(DISTINCT p.keys), length(p.keys) / 8, min(l.list), max(l.list), "
            + "max(w.traversal), min(p.run), sum(p.ambiguous), sum(p.altered), sum(p.received), "
            + "min(p.ambiguous_key) "
            + "FROM trawl_lists l JOIN trawl_windows w USING (list_number) JOIN trawl_pages p USING (window) "
            + "WHERE l.job = ?1 AND l.stream = ?2 AND p.purpose = 'page' AND p.trouble IS NULL "
            + "AND p.traversal = w.traversal AND w.request_print IN (\(Self.presentPrint)) "
            + (isOfRequests ? "" : "AND p.ordinal = 1 AND w.window_from = ''"),
          [.text(job.name), .text(stream.name)]
        ) {
          (
            count: $0.int(0), answers: $0.int(1), records: $0.int(2),
            lists: [$0.text(3) ?? "", $0.text(4) ?? ""], walks: $0.int(5), run: $0.int(6),
            clashes: KeyClashes(onPage: $0.int(7), acrossPages: $0.int(8), example: $0.text(10)),
            received: $0.int(9)
          )
        }
        guard let found, found.count > 1 else { return nil }
        let isAmbiguous = found.clashes.areAmbiguous(of: found.received)
        let isSame = found.answers == 1 && found.records >= EqualAnswers.recordsMin
        guard isAmbiguous || isSame,
          run.map({ found.walks == 1 && found.run == Int($0.number) }) ?? true
        else { return nil }
        return EqualAnswers(
          stream: stream.name, count: found.count, records: found.records,
          lists: isOfRequests ? [] : found.lists, isSame: isSame,
          key: isAmbiguous ? found.clashes.example : nil,
          hole: stream.parent?.column ?? stream.holes.first)
      }
    }
  }

  /// What was requested of a stream last: SQLite takes the row of the greatest certificate.
  private static let presentPrint = """
    SELECT request_print FROM (SELECT x.request_print, max(c.certificate) FROM trawl_lists y
      JOIN trawl_windows x USING (list_number) JOIN trawl_certificates c USING (window)
      WHERE y.job = ?1 AND y.stream = ?2)
    """
}
