internal import Base

/// Which rows the walk of a stream of single answers may judge: it requests only what is due, and knows nothing of the
/// rows of other values.
struct AskedRows {
  private let plan: StreamPlan
  private let feed: Feed
  private let run: Int64

  /// Nil: the stream's walks read whole lists.
  init?(_ plan: StreamPlan, run: Int64) {
    guard let feed = plan.feed else { return nil }
    (self.plan, self.feed, self.run) = (plan, feed, run)
  }

  init?(_ unit: OpenUnit) { self.init(unit.plan, run: unit.run) }

  private var due: String {
    "SELECT value FROM trawl_due WHERE job = \(SQLName.literal(feed.job)) "
      + "AND stream = \(SQLName.literal(feed.child.name))"
  }

  /// Values answered in this run, or absent by their last answer.
  private var answered: String {
    due + " AND (asked_run = \(run) OR reason = 'absent' OR reason = 'left out' "
      + "AND next_attempt_at IS NOT NULL)"
  }

  /// The condition for rows that the walk can judge: their value was requested. If rows do not name their value, all
  /// are judged if every value was requested, else none.
  func condition(_ connection: Connection) throws(SQLiteError) -> String {
    guard let column = try namingColumn(connection) else {
      return feed.living.map {
        "NOT EXISTS (\($0) EXCEPT \(answered))"
      }
        ?? "0"
    }
    return "CAST(\(SQLName.quoted(column)) AS TEXT) IN (\(answered))"
  }

  /// Rows that no walk judges any more, since no parent gives their value. Nil: there are none, or no row names its
  /// value.
  /// - Returns: the conditions for rows whose parent is marked as gone (`marked`), and for those that were requested
  ///   before and whose value no parent has, present or gone (`unnamed`); whether these values are so many at once that
  ///   a failure of the API is more likely; and the stream of the parents.
  func leftByParents(
    _ connection: Connection
  ) throws(SQLiteError) -> (marked: String, unnamed: String, areMany: Bool, parents: String)? {
    guard let living = feed.living, let left = feed.left,
      let parents = feed.parent?.stream.stream.name, let column = try namingColumn(connection)
    else { return nil }
    let value = "CAST(\(SQLName.quoted(column)) AS TEXT)"
    let others = "vanished_at IS NULL AND \(value) NOT IN (\(living)) AND "
    let requested = "\(others)\(value) IN (\(due))"
    // A column filled from the request holds only requested values.
    let marked =
      "\(plan.stream.columnOfRequest(feed.rule.column) == nil ? requested : "\(others)1") "
      + "AND \(value) IN (\(left))"
    // Without any parent's value, it is unknown which are present.
    let unnamed =
      "\(requested) AND \(value) NOT IN (\(left)) AND EXISTS (\(living))"
    let table = SQLName.quoted(plan.table.name)
    guard try connection.has("\(table) WHERE \(others)1") else { return nil }
    func values(_ rows: String) throws(SQLiteError) -> Int {
      try connection.count("SELECT count(DISTINCT \(value)) FROM \(table) WHERE \(rows)")
    }
    let count = try values(unnamed)
    let areMany =
      count >= Self.valuesMin ? try count * 10 > values("vanished_at IS NULL") * 3 : false
    return (marked, unnamed, areMany, parents)
  }

  private static let valuesMin = 5

  /// Requests again the values of rows that look gone but were not marked: no other walk judges them.
  func askAgain(_ gone: String, of table: String, _ values: [SQLValue], _ connection: Connection)
    throws(SQLiteError)
  {
    var condition = "job = \(SQLName.literal(feed.job)) AND stream = "
    condition += "\(SQLName.literal(feed.child.name)) AND asked_run IS NOT NULL"
    if let column = try namingColumn(connection) {
      condition += " AND value IN (SELECT CAST(\(SQLName.quoted(column)) AS TEXT) "
      condition += "FROM \(SQLName.quoted(table)) WHERE \(gone))"
    }
    try connection.update(Book.due, [("asked_run", "NULL")], where: condition, values)
  }

  /// The column in which a row names the value that it was requested for.
  private func namingColumn(_ connection: Connection) throws(SQLiteError) -> String? {
    if let column = plan.stream.columnOfRequest(feed.rule.column) { return column }
    return try nameValues(connection) ? plan.answers?.name : nil
  }

  /// The rows that name a value; nil: there are none.
  func rows(of value: String, _ connection: Connection) throws(SQLiteError) -> String? {
    guard let column = try namingColumn(connection) else { return nil }
    let rows =
      "vanished_at IS NULL AND CAST(\(SQLName.quoted(column)) AS TEXT) = \(SQLName.literal(value))"
    return try connection.has("\(SQLName.quoted(plan.table.name)) WHERE \(rows)") ? rows : nil
  }

  /// Whether the column that may name the requested value does: an answer has held exactly what was requested. In other
  /// streams it means something else, such as the posts of the requested users.
  func nameValues(_ connection: Connection) throws(SQLiteError) -> Bool {
    guard let answers = plan.answers else { return false }
    if answers.isCertain { return true }
    return try connection.fact(fact) != nil
  }

  /// Records that an answer named all requested values, and no others.
  func noteNamed(_ connection: Connection) throws(SQLiteError) {
    try connection.note(fact, .integer(1))
  }

  private var fact: FactKey {
    FactKey(.absent, job: plan.job, stream: plan.stream.name, "named")
  }
}

extension Feed {
  /// The values of present parents, as SQL; nil: favorites have none.
  var living: String? { living([rule.column]) }

  /// Their values under these names.
  func living(_ names: [String]) -> String? {
    parent.map { parent, column in
      let values = names.map { name in
        parent.table.column(name) == nil
          ? "NULL" : "CAST(p.\(SQLName.quoted(name)) AS TEXT) AS \(SQLName.quoted(name))"
      }
      return "SELECT \(values.joined(separator: ", ")) "
        + "FROM \(SQLName.quoted(parent.table.name)) p "
        + "WHERE p.\(SQLName.quoted(column)) IS NOT NULL AND p.vanished_at IS NULL"
        + (parent.ownCondition.map { " AND \($0)" } ?? "")
    }
  }

  /// The values of vanished parents, even if another parent has the same.
  var left: String? {
    parent.map { parent, column in
      "SELECT CAST(p.\(SQLName.quoted(column)) AS TEXT) FROM "
        + "\(SQLName.quoted(parent.table.name)) p WHERE p.vanished_at IS NOT NULL"
    }
  }
}
