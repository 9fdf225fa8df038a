public import Base

/// A value that a child stream is to be requested for, with what its parents carry along: each different set of values
/// is requested once.
public struct DueValue: Sendable, Equatable {
  public var value: String
  public var carried: [[ParameterValue]]
  /// Runs in a row in which its request failed.
  public var failures: Int
  /// The last answer left it out: another that does so costs more requests.
  public var isLeftOut = false

  /// One for each request.
  public var each: [DueValue] {
    carried.map { DueValue(value: value, carried: [$0], failures: failures) }
  }
}

/// A stream that is requested for each record of another, with the tables that show which are due.
struct Feed {
  let job: String
  let child: Stream
  let rule: ParentFeed
  /// The parent stream and the column whose values are requested; nil: the favorites of the child's
  /// table.
  let parent: (stream: DesignedStream, column: String)?
  /// The child's table, by its full name.
  let table: String

  /// Nil: the stream is not requested for records of another.
  init?(_ stream: String, _ design: JobDesign) throws(StoreError) {
    let designed = try DesignedStream(stream, design)
    guard let rule = designed.stream.parent else { return nil }
    job = design.job.name
    child = designed.stream
    self.rule = rule
    table = designed.table.name
    if rule.stream == ParentFeed.favorites {
      parent = nil
      return
    }
    let from = try DesignedStream(rule.stream, design)
    guard let column = from.table.column(rule.column) else {
      throw StoreError(
        .job, "job \(job)",
        "stream \(stream) is requested for each \(rule.stream).\(rule.column), "
          + "and \(from.table.name) has no such column")
    }
    parent = (from, column.name)
  }

  /// Parameters `?1` and `?2` of every statement about it.
  var key: [SQLValue] { [.text(job), .text(child.name)] }
}

/// The moment for which due values are looked up.
struct DueMoment {
  let run: Int64
  /// The run in which the round began; nil: this one.
  var round: Int64?
  /// What was missed in this run or a later one is not requested again; nil: this one.
  var triedBefore: Int64?
  /// Waits that end by this instant are over.
  var now: String
  /// Nil: all of them.
  var portion: Int?
  /// Every stored parent, whatever was requested for it before.
  var isOfAll = false
  /// As if nothing had been requested, or missed, before.
  var isAnew = false
  /// The request is another than before: the run will note each value as changed, and end its wait.
  var isOfAnother = false

  fileprivate var hasChanged: String { isOfAnother ? "1" : "d.changed_run IS NOT NULL" }
}

extension RecordStore {
  /// Values that the child stream is due for, in the order in which the parents were stored; those
  /// that were requested in vain come last, longest wait first, so that a few refused ones do not
  /// keep the others from their turn. Values that a page or certificate named in `asked` are left
  /// out, and those that were missed in this run. Returns at most a portion: call it until none is
  /// left. The list is derived from what is stored, so it survives a kill, and after a pause the
  /// rest is still due.
  public func due(
    _ stream: String, of job: String, run: RunID, portion: Int = 5000, isOfAll: Bool = false
  ) throws(StoreError) -> [DueValue] {
    guard let feed = try Feed(stream, design(of: job)) else { return [] }
    var moment = DueMoment(
      run: run.number, now: now.description, portion: portion, isOfAll: isOfAll)
    if isOfAll { return try values(feed, moment) }
    moment.round = try round(feed, moment)
    let due = try values(feed, moment)
    if due.isEmpty { try endRound(feed) }
    return due
  }

  func values(_ feed: Feed, _ moment: DueMoment) throws(StoreError) -> [DueValue] {
    try guarded {
      try prepare(feed, moment)
      defer { probe.keys = KeySet() }
      let carries = feed.parent == nil ? [] : feed.rule.carries
      return try connection.rows(dueSQL(feed, moment), feed.key) { row in
        let carried = row.text(1).flatMap(JSONValue.init(text:))?.elements.map { parent in
          zip(carries, parent.elements).compactMap { name, value in
            value.string.map { ParameterValue(name, $0) }
          }
        }
        return DueValue(
          value: row.text(0) ?? "", carried: carried ?? [[]], failures: row.int(2),
          isLeftOut: row.boolean(3))
      }
    }
  }

  /// How many values `due` would return.
  func count(_ feed: Feed, _ moment: DueMoment) throws(StoreError) -> Int {
    try guarded {
      try prepare(feed, moment)
      defer { probe.keys = KeySet() }
      return try connection.count(of: "(\(dueSQL(feed, moment)))", feed.key)
    }
  }

  /// Later times were written while the clock was wrong, and delay nothing.
  private var latest: String { SQLName.literal((now + Instant.aheadMax).description) }

  /// Rows of the parent's table that the parent stream itself returned, or favorites of the child's; and why they are
  /// due.
  private func dueSQL(_ feed: Feed, _ moment: DueMoment) -> String {
    let value = feed.parent.map { "CAST(p.\(SQLName.quoted($0.column)) AS TEXT)" } ?? "p.record_key"
    let reason =
      switch feed.rule.when {
      case _ where moment.isOfAll: "1"
      case .new, .changed:
        "(d.asked_run IS NULL OR \(moment.hasChanged)\(ofOthers(feed)))"
      case .stale(let age):
        "(d.asked_run IS NULL OR \(moment.hasChanged) OR d.asked_at > \(latest) "
          + "OR d.asked_at < \(SQLName.literal((now - age).description))\(ofOthers(feed)))"
      case .all, .run: "(d.asked_run IS NULL OR d.asked_run < \(moment.round ?? moment.run))"
      }
    func query(
      _ carried: String, _ table: String, _ own: [String], _ order: String
    ) -> String {
      "SELECT \(value), json_group_array(DISTINCT json_array(\(carried))), "
        + "iif(d.reason = 'failed', d.tries, 0), "
        + "d.reason IS 'left out' AND \(nextTry(moment)) IS NULL FROM \(table) p "
        + "LEFT JOIN trawl_due d ON d.job = \(moment.isAnew ? "NULL" : "?1") AND d.stream = ?2 "
        + "AND d.value = \(value) "
        + "WHERE \((own + [reason, mayBeTried(moment)]).joined(separator: " AND ")) "
        // cut: the caller asks again until none is left
        + "\(order) LIMIT \(moment.portion ?? -1)"
    }
    guard let parent = feed.parent?.stream else {
      return query(
        "", "trawl_favorites", ["p.table_name = \(SQLName.literal(feed.table))"],
        "GROUP BY \(value) ORDER BY \(Self.tried), p.added_at, p.record_key")
    }
    let carried = feed.rule.carries.map {
      "CAST(\(parent.table.column($0) == nil ? "NULL" : "p.\(SQLName.quoted($0))") AS TEXT)"
    }
    // Without a value that the request needs there is nothing to request.
    var own = [parent.hasValues(parent.needed(among: feed.child.neededOfParent))]
    own.append("p.vanished_at IS NULL")
    if feed.rule.when == .run, !moment.isOfAll {
      // Also those that an earlier run listed but did not come to.
      let key = parent.table.key.map { "p.\(SQLName.quoted($0))" }
      own.append(
        "(trawl_seen(\(key.joined(separator: ", "))) OR (d.asked_run IS NULL OR \(moment.hasChanged))"
          + (parent.ownCondition.map { " AND \($0)" } ?? "") + ")")
    } else if let condition = parent.ownCondition {
      own.append(condition)
    }
    return query(
      carried.joined(separator: ", "), SQLName.quoted(parent.table.name), own,
      "GROUP BY \(value) ORDER BY \(Self.tried), "
        // A round keeps its order; otherwise the longest wait comes first.
        + "\(feed.rule.when == .all ? "NULL" : "ifnull(d.asked_run, 0)"), min(p.rowid)")
  }

  /// Also a value whose present parents were all stored after it was requested.
  private func ofOthers(_ feed: Feed) -> String {
    guard let (parent, column) = feed.parent else { return "" }
    return " OR d.value IN (SELECT a.value FROM \(SQLName.quoted(parent.table.name)) p "
      + "CROSS JOIN trawl_due a ON a.job = ?1 AND a.stream = ?2 "
      + "AND a.value = CAST(p.\(SQLName.quoted(column)) AS TEXT) WHERE p.vanished_at IS NULL"
      + (parent.ownCondition.map { " AND \($0)" } ?? "")
      + " GROUP BY a.value HAVING min(p.first_seen_at) > max(a.asked_at) "
      + "AND min(p.first_seen_at) <= \(latest))"
  }

  /// The run that tried it in vain; those that have waited longest come first.
  private static let tried = "coalesce(d.missed_run, 0)"

  /// A missed value is requested once per run, an absent one not before its day.
  private func mayBeTried(_ moment: DueMoment) -> String {
    "(d.missed_run IS NULL OR (d.missed_run < \(moment.triedBefore ?? moment.run) "
      + "AND (\(nextTry(moment)) IS NULL OR d.missed_at > \(latest) "
      + "OR \(nextTry(moment)) <= \(SQLName.literal(moment.now)))))"
  }

  /// As `noteRequest` will have it.
  private func nextTry(_ moment: DueMoment) -> String {
    moment.isOfAnother
      ? "iif(d.next_attempt_at IS NULL OR d.reason = 'left out', NULL, "
        + "\(SQLName.literal(now.description)))" : "d.next_attempt_at"
  }

  /// For parents of a run: the keys of every walk of the parent stream that the run continued or only concluded, since
  /// a run that was killed has requested none of the children.
  private func prepare(_ feed: Feed, _ moment: DueMoment) throws(SQLiteError) {
    guard feed.rule.when == .run, !moment.isOfAll, let parent = feed.parent?.stream else { return }
    probe.keys = try connection.keys(
      "WITH windows AS (SELECT window FROM trawl_windows JOIN trawl_lists USING (list_number) "
        + "WHERE job = ?2 AND stream = ?3) SELECT keys FROM trawl_pages "
        + "WHERE window IN windows AND (window, traversal) IN ("
        + "SELECT window, traversal FROM trawl_pages WHERE run = ?1 AND window IN windows "
        + "UNION SELECT window, traversal FROM trawl_certificates WHERE run = ?1)",
      [.integer(moment.run), .text(feed.job), .text(parent.stream.name)])
  }

  /// Marks values as requested, whether their records came or not.
  public func markAsked(
    _ values: [String], _ stream: String, of job: String, run: RunID
  ) throws(StoreError) {
    let stamp = now.description
    try write { try mark(asked: values, [.text(job), .text(stream)], run.number, stamp) }
  }

  /// The same within a transaction.
  /// - Parameters:
  ///   - stream: its job and its name.
  ///   - began: the run in which the first of the answers came; nil: this one. What has changed since then is due again.
  func mark(
    asked values: [String], _ stream: [SQLValue], _ run: Int64, _ stamp: String,
    began: Int64? = nil
  ) throws(SQLiteError) {
    for value in values {
      let changed =
        began == nil
        ? nil
        : try connection.integer(
          "SELECT changed_run FROM trawl_due WHERE job = ? AND stream = ? AND value = ? "
            + "AND changed_run > ?", stream + [.text(value), SQLValue(began)])
      try connection.put(
        Book.due,
        [
          ("job", stream[0]), ("stream", stream[1]), ("value", .text(value)),
          ("asked_at", .text(stamp)), ("asked_run", .integer(run)),
          ("changed_run", SQLValue(changed)),
          ("missed_at", nil), ("missed_run", nil), ("reason", nil), ("tries", 0),
          ("next_attempt_at", nil),
        ])
    }
  }

  /// Keeps a value due for a later run, even if that does not list the record.
  public func keepDue(
    _ value: String, _ stream: String, of job: String, run: RunID
  ) throws(StoreError) {
    let key: [SQLValue] = [.text(job), .text(stream), .text(value)]
    try write {
      try connection.insertIfNew(
        Book.due, [("job", key[0]), ("stream", key[1]), ("value", key[2])])
      try connection.update(
        Book.due, [("changed_run", "ifnull(changed_run, \(run.number))")],
        where: "job = ? AND stream = ? AND value = ?", key)
    }
  }

  /// How many records of a stream lack a value in one of these columns, how many there are, and which of the columns
  /// have gaps; nil: there are no such columns.
  public func countWithout(
    _ columns: [String], of stream: String, in job: String
  ) throws(StoreError) -> (without: Int, all: Int, columns: [String])? {
    let source = try DesignedStream(stream, design(of: job))
    let names = source.needed(among: columns)
    let rows =
      "\(SQLName.quoted(source.table.name)) p WHERE p.vanished_at IS NULL"
      + (source.ownCondition.map { " AND \($0)" } ?? "")
    return try guarded {
      guard !names.isEmpty, try source.isThere(names, connection) else { return nil }
      let each = names.map { ", count(p.\(SQLName.quoted($0)))" }.joined()
      return try connection.row(
        "SELECT count(*), count(*) - count(iif(\(source.hasValues(names)), 1, NULL))\(each) FROM \(rows)"
      ) { row in
        let all = row.int(0)
        let lacking = names.indices.filter { row.int($0 + 2) < all }.map { names[$0] }
        return (without: row.int(1), all: all, columns: lacking)
      }
    }
  }

  /// The values of `@stream`: the distinct values of a column of the stream's records, in the order
  /// in which they were stored. None if no run has made its table yet.
  public func storedValues(
    of stream: String, column: String?, in job: String
  ) throws(StoreError) -> [String] {
    let source = try DesignedStream(stream, design(of: job))
    let name = column ?? source.stream.key[0]
    guard source.table.column(name) != nil else {
      throw StoreError(.job, "job \(job)", "@\(stream).\(name): there is no such column")
    }
    let value = "CAST(p.\(SQLName.quoted(name)) AS TEXT)"
    let own = source.ownCondition.map { " AND \($0)" } ?? ""
    return try guarded {
      guard try source.isThere([name], connection) else { return [] }
      return try connection.texts(
        "SELECT \(value) FROM \(SQLName.quoted(source.table.name)) p WHERE "
          + "p.\(SQLName.quoted(name)) IS NOT NULL AND p.vanished_at IS NULL\(own) "
          + "GROUP BY \(value) ORDER BY min(p.rowid)")
    }
  }
}

extension DesignedStream {
  /// The columns among these that its table has: a record without a value in one of them names no request.
  fileprivate func needed(among names: [String]) -> [String] {
    names.compactMap { table.column($0)?.name }
  }

  /// A record `p` that has a value in each of the columns.
  fileprivate func hasValues(_ columns: [String]) -> String {
    columns.map { "p.\(SQLName.quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
  }
}
