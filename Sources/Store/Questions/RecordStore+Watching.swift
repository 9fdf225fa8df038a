public import Base

/// A row of a watched query.
public struct WatchedRow: Sendable, Equatable {
  /// A JSON list of the values that identify it.
  public var key: String
  /// The whole row as a JSON object.
  public var content: String
  /// When it came or changed; nil: it was there when the watch began.
  public var changedAt: Instant?

  public init(key: String, content: String, changedAt: Instant? = nil) {
    (self.key, self.content, self.changedAt) = (key, content, changedAt)
  }
}

/// The result of running a watched query.
public struct WatchNews: Sendable, Equatable {
  public var isFirst = false
  public var new = 0
  public var changed = 0
  /// New and changed rows that were not delivered yet, oldest first.
  public var due: [WatchedRow] = []
  /// More are due than are returned.
  public var hasMore = false
}

extension RecordStore {
  /// Compares what a query returned with what it returned before.
  /// - Parameter isWhole: none of the query's rows was cut off.
  public func note(
    watched rows: [WatchedRow], of watch: String, job: String, isWhole: Bool
  ) throws(StoreError) -> WatchNews {
    let moment = now.description
    let watch = WatchKeys(job: job, name: watch)
    return try write {
      var known = try watch.rows(connection)
      var news = WatchNews()
      news.isFirst = try connection.fact(watch.key("")) == nil
      if news.isFirst { try connection.note(watch.key(""), .text(moment)) }
      for row in rows {
        let key = ExactText(row.key)
        let old = known[key]
        if var old, old.isThere, Self.agree(old, row.content) {
          guard !old.content.utf8.elementsEqual(row.content.utf8) else { continue }
          (old.content, old.digest) = (row.content, nil)
          known[key] = old
          try connection.note(watch.key(row.key), old.fact)
          continue
        }
        if old?.isThere == true { news.changed += 1 } else { news.new += 1 }
        let kept = WatchKeys.Row(
          content: row.content, changedAt: news.isFirst ? nil : moment,
          isDelivered: news.isFirst, isThere: true)
        known[key] = kept
        try connection.note(watch.key(row.key), kept.fact)
      }
      if isWhole { try forget(&known, of: watch, besides: rows) }
      if news.isFirst { (news.new, news.changed) = (0, 0) }
      news.due = Self.inOrder(
        known.filter { !$0.value.isDelivered && !$0.value.content.isEmpty }, isOldestFirst: true)
      // cut: hasMore says so
      if news.due.count > Watch.deliveredMax {
        news.due = Array(news.due.prefix(Watch.deliveredMax))
        news.hasMore = true
      }
      return news
    }
  }

  /// Rows of an edited query are compared by the columns that both have: another column is no news.
  private static func agree(_ old: WatchKeys.Row, _ new: String) -> Bool {
    if let digest = old.digest { return digest == Hexadecimal.text(Digest64.of(new.utf8)) }
    let old = old.content
    // Empty: it showed a text of a record that was forgotten since.
    if old.isEmpty || old.utf8.elementsEqual(new.utf8) { return true }
    // Text that is not JSON was damaged: it counts as changed.
    guard let old = JSONValue(text: old), let new = JSONValue(text: new) else { return false }
    let shared = new.members.compactMap { member in
      old[member.key.string ?? ""].map { $0.json == member.value.json }
    }
    return !shared.isEmpty && !shared.contains(false)
  }

  /// A row that the query no longer returns is new when it comes back. It is kept if it was not
  /// delivered yet, or is still in the feed.
  private func forget(
    _ known: inout [ExactText: WatchKeys.Row], of watch: WatchKeys, besides rows: [WatchedRow]
  ) throws(SQLiteError) {
    let there = Set(rows.map { ExactText($0.key) })
    let feed = Set(Self.feed(known).map { ExactText($0.key) })
    for (key, var row) in known where !there.contains(key) {
      let isDone = row.isDelivered && !feed.contains(key)
      guard isDone || row.content.isEmpty else {
        guard row.isThere else { continue }
        row.isThere = false
        known[key] = row
        try connection.note(watch.key(key.text), row.fact)
        continue
      }
      known[key] = nil
      try connection.forget(watch.key(key.text))
    }
  }

  private static func inOrder(
    _ rows: [ExactText: WatchKeys.Row], isOldestFirst: Bool
  ) -> [WatchedRow] {
    rows.sorted { one, other in
      let (left, right) = (one.value.changedAt ?? "", other.value.changedAt ?? "")
      return left == right ? one.key < other.key : (left < right) == isOldestFirst
    }.map { key, row in
      WatchedRow(
        key: key.text, content: row.content,
        changedAt: row.changedAt.flatMap { Instant(stored: $0) })
    }
  }

  private static func feed(_ rows: [ExactText: WatchKeys.Row]) -> [WatchedRow] {
    let changed = rows.filter { $0.value.changedAt != nil && !$0.value.content.isEmpty }
    // cut: a feed holds its newest entries
    return Array(inOrder(changed, isOldestFirst: false).prefix(Watch.feedMax))
  }

  /// Notes that the due rows were taken.
  public func delivered(_ rows: [WatchedRow], of watch: String, job: String) throws(StoreError) {
    let watch = WatchKeys(job: job, name: watch)
    try write {
      let known = try watch.rows(connection)
      for row in rows {
        // A row that has changed meanwhile is due again.
        guard var kept = known[ExactText(row.key)],
          kept.content.utf8.elementsEqual(row.content.utf8)
        else { continue }
        kept.isDelivered = true
        try connection.note(watch.key(row.key), kept.fact)
      }
    }
  }

  /// The rows that came or changed last, newest first.
  public func feed(of watch: String, job: String) throws(StoreError) -> [WatchedRow] {
    try guarded { Self.feed(try WatchKeys(job: job, name: watch).rows(connection)) }
  }

  /// Whether a problem of a watch differs from the one last reported; nil: there is none now.
  public func note(problem: String?, of watch: String, job: String) throws(StoreError) -> Bool {
    let key = WatchKeys(job: job, name: watch).key("~problem")
    let last = try guarded { try connection.fact(key)?.text }
    if (last ?? "").utf8.elementsEqual((problem ?? "").utf8) { return false }
    try write { try connection.note(key, .text(problem ?? "")) }
    return problem != nil
  }

  /// Something after a run changed its exit code, or its outcome.
  public func amend(
    run name: String, of job: String, exitCode: Int? = nil, outcome: String? = nil
  ) throws(StoreError) {
    try write {
      try connection.update(
        Book.runs,
        [("exit_code", "ifnull(?, exit_code)"), ("outcome", "ifnull(?, outcome)")],
        where: "job = ? AND name = ?",
        [SQLValue(exitCode), SQLValue(outcome), .text(job), .text(name)])
    }
  }
}

/// A watched query, and what is kept of its rows, each as a fact.
private struct WatchKeys {
  let job: String
  let name: String

  struct Row {
    var content: String
    /// Nil: it was there when the watch began.
    var changedAt: String?
    /// The program has taken it.
    var isDelivered: Bool
    /// The query returned it last time.
    var isThere: Bool
    /// Of the content, where that went because a record with the same key was forgotten.
    var digest: String?
  }

  /// The fact of a row by its key, a JSON list; empty: the watch itself.
  func key(_ row: String) -> FactKey { FactKey(.watched, job: job, "\(name)\n\(row)") }

  func rows(_ connection: Connection) throws(SQLiteError) -> [ExactText: Row] {
    let head = "\(name)\n"
    var rows: [ExactText: Row] = [:]
    for (subject, fact) in try connection.facts(key("")) where subject.hasPrefix("\(head)[") {
      rows[ExactText(String(subject.dropFirst(head.count)))] = Row(fact)
    }
    return rows
  }
}

extension WatchKeys.Row {
  init(_ fact: SQLValue) {
    let fields = FactFields(fact)
    content = fields.text("content") ?? ""
    changedAt = fields.text("changed_at")
    isDelivered = fields.flag("delivered") ?? false
    isThere = fields.flag("there") ?? false
    digest = fields.text("digest")
  }

  var fact: FactFields {
    [
      "content": .text(content), "changed_at": SQLValue(changedAt),
      "delivered": SQLValue(isDelivered), "there": SQLValue(isThere), "digest": SQLValue(digest),
    ]
  }
}
