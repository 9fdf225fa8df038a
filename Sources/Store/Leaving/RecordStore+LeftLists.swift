internal import Base

/// The lists of a stream that the job's own values name, whatever a run was given.
public struct NamedLists: Sendable {
  /// As in `Unit.parameterText`, without a parent's values.
  var parameters: Set<String>
  /// The streams whose records give some of the values.
  var sources: [String]

  public init(_ parameters: [String], sources: [String]) {
    (self.parameters, self.sources) = (Set(parameters), sources)
  }
}

/// A list of the book that was not marked as left.
private struct StoredList {
  var number: Int64
  var parameters: String
  /// Its last certificate.
  var last: Int
  var verdict: String
  var rows: Int
  var values: [ParameterValue] { RecordStore.values(parameters) }
  /// Whether its last walk shows what is in it, unlike a failure or a pause.
  var isRead: Bool { RecordStore.readVerdicts.contains(verdict) }

  func value(of name: String) -> ExactText? {
    values.first { $0.name == name }.map { ExactText($0.value) }
  }

  func name(_ stream: Stream) -> String {
    Unit(stream: "", values: values).parameterText(besides: stream.parent?.given ?? [])
  }

  func digest(of given: [String]) -> UInt64 {
    let values = values
    return Self.digest(
      given.map { name in (name, values.first { $0.name == name }?.value) })
  }

  static func digest(_ given: some Sequence<(String, String?)>) -> UInt64 {
    let values = given.compactMap { name, value in value.map { ParameterValue(name, $0) } }
    return Digest64.of(Array(Unit(stream: "", values: values).parameterText.utf8))
  }

  /// Its values do not fit the holes that the stream has now.
  func isOfOtherForm(than stream: Stream) -> Bool {
    let names = Set(values.map(\.name))
    if stream.isAskedInBatches { return !names.isEmpty }
    let holes = stream.holes.filter { stream.window == nil || !["from", "to"].contains($0) }
    return !names.isSuperset(of: holes)
      || !names.isSubset(of: holes + (stream.parent?.given ?? []))
  }
}

/// Lists that the job, with the present records, requests no longer. They are `orphaned` until they are requested
/// again, and their rows are marked as gone.
extension RecordStore {
  /// - Returns: how many rows are in lists that look left but are too many to be believed.
  func leaveLists(
    of plan: StreamPlan, _ named: NamedLists?, _ run: RunID, accepting accepted: Int,
    at moment: Instant
  ) throws(StoreError) -> Int {
    let feed = try Feed(plan.stream.name, design(of: plan.job))
    return try write {
      var doubted = 0
      if let feed { try forgetMisses(of: plan, feed, run) }
      let forms = Dictionary(grouping: try storedLists(of: plan)) {
        $0.isOfOtherForm(than: plan.stream)
      }
      let same = forms[false, default: []]
      var parents: LivingParents?
      if let feed { parents = try livingParents(of: same, feed) }
      func areBelieved(_ count: Int, _ rows: Int, _ key: FactKey) throws(SQLiteError) -> Bool {
        let isMany = Vanishing.isMany(count, of: same.count)
        let isBelieved = try believes(rows, isMany: isMany, key, accepting: accepted, at: moment)
        if !isBelieved { doubted += rows }
        return isBelieved
      }
      var others = replaced(forms[true, default: []], by: same, of: plan, named, parents)
      if let named {
        others += try withoutName(same, of: plan, named) { count, rows throws(SQLiteError) in
          try areBelieved(count, rows, tooMany(plan, "too many named"))
        }
      }
      var lists = others
      if let feed, let parents {
        lists += try withoutParent(same, of: plan, feed, parents) {
          count, rows throws(SQLiteError) in try areBelieved(count, rows, tooMany(plan))
        }
      }
      let marks = plan.stream.marksVanished && !plan.stream.isAskedInBatches && isApart(plan)
      let ofParents = marks ? feed.flatMap { rowsLeft(of: plan, $0, lists) } : nil
      for list in lists {
        try connection.note(
          FactKey(.absent, job: plan.job, stream: plan.stream.name, list: list.number, "parent"),
          SQLValue(list.last))
        try forgetAnswers(
          with: plan.table.name, of: plan.list?.isShared == true ? nil : list.number,
          validatorsOf: list.number)
        guard marks, feed == nil || ofParents != nil else { continue }
        try connection.set(
          Book.lists, [("rows", .integer(0))], where: "list_number = ?", [.integer(list.number)])
      }
      var rows = [ofParents].compactMap(\.self)
      if marks, !others.isEmpty {
        let left = Set(lists.map(\.number))
        let rest = forms.values.joined().filter { !left.contains($0.number) }
        let taken = ownRows(of: plan, rest, asOf: others)
        for list in others {
          guard let own = try rowsLeft(of: plan, list), !taken.contains(own.condition) else {
            continue
          }
          rows.append(own)
        }
      }
      for own in rows {
        let count = try own.count(connection)
        if count == 0 { continue }
        connection.pendingBook.beginChange()
        try own.mark([], at: moment.description, connection)
        if plan.list != nil {
          try connection.note(FactKey(.left, job: plan.job, plan.table.name), .integer(1))
        } else {
          connection.pendingBook.count(
            RunCounts.Table(gone: count), of: plan.table.name, in: run.number)
        }
      }
      return doubted
    }
  }

  /// Nothing is requested any more for a value that no record gives, or that the run did not list: none of its answers
  /// is missing.
  private func forgetMisses(
    of plan: StreamPlan, _ feed: Feed, _ run: RunID
  ) throws(SQLiteError) {
    let living =
      feed.living
      ?? "SELECT record_key FROM trawl_favorites WHERE table_name = \(SQLName.literal(feed.table))"
    let isLeft =
      feed.rule.when == .run ? "missed_run < \(run.number)" : "value NOT IN (\(living))"
    try connection.update(
      Book.due,
      [("missed_at", "NULL"), ("missed_run", "NULL"), ("reason", "NULL"), ("tries", "0")],
      where: "job = ? AND stream = ? AND reason = 'failed' AND \(isLeft)", plan.ofStream)
  }

  private func storedLists(of plan: StreamPlan) throws(SQLiteError) -> [StoredList] {
    try connection.rows(
      "SELECT list_number, parameters, last, (SELECT verdict FROM trawl_certificates "
        + "WHERE certificate = last), rows FROM (SELECT l.list_number, l.parameters, l.rows, "
        + "(SELECT max(certificate) FROM trawl_windows w JOIN trawl_certificates USING (window) "
        + "WHERE w.list_number = l.list_number) AS last FROM trawl_lists l "
        + "WHERE l.job = ? AND l.stream = ? "
        + "AND l.list_number NOT IN (SELECT list_number FROM (\(Book.orphans))))",
      plan.ofStream, as: StoredList.init)
  }

  /// Lists that the job's values named before but not now. Lists that were read for values given to a run stay.
  private func withoutName(
    _ lists: [StoredList], of plan: StreamPlan, _ named: NamedLists,
    areBelieved: (_ lists: Int, _ rows: Int) throws(SQLiteError) -> Bool
  ) throws(SQLiteError) -> [StoredList] {
    let key = FactKey(.named, job: plan.job, stream: plan.stream.name)
    let before = Set(OldTable.names(try connection.fact(key)?.text))
    let left = lists.filter {
      let name = $0.name(plan.stream)
      return before.contains(name) && !named.parameters.contains(name)
    }
    var isKnown = true
    for source in named.sources where isKnown {
      isKnown = try areReadToTheEnd(source, of: plan.job)
    }
    if isKnown, !named.sources.isEmpty {
      isKnown = try areBelieved(left.count, Self.rows(left))
    }
    let now = named.parameters.union(isKnown ? [] : before)
    if now != before { try connection.note(key, .text(now.sorted().jsonText)) }
    return isKnown ? left : []
  }

  /// Lists whose values no present parent gives. That is known once the parents themselves were read to the end; until
  /// then, or if it would apply to too many at once, only lists of parents marked as gone have left.
  private func withoutParent(
    _ lists: [StoredList], of plan: StreamPlan, _ feed: Feed, _ parents: LivingParents,
    areBelieved: (_ lists: Int, _ rows: Int) throws(SQLiteError) -> Bool
  ) throws(SQLiteError) -> [StoredList] {
    guard !plan.stream.isAskedInBatches, let parent = feed.parent?.stream.stream.name,
      let living = feed.living, let left = feed.left
    else { return [] }
    // If the same value is now requested with other ones, the records may be there: that list is read first.
    let others = lists.filter { list in
      !parents.requested.contains(list.digest(of: feed.rule.given))
        && !(list.value(of: feed.rule.column).map(parents.unread.contains) ?? false)
    }
    if others.isEmpty {
      try connection.forget(tooMany(plan))
      return []
    }
    let gone = Set(try connection.texts("\(left) EXCEPT \(living)").map { ExactText($0) })
    let marked = others.filter { list in
      list.values.contains { $0.name == feed.rule.column && gone.contains(ExactText($0.value)) }
    }
    guard parents.requested.count > 0, try areReadToTheEnd(parent, of: plan.job),
      try areBelieved(
        others.count - marked.count, Self.rows(others) - Self.rows(marked))
    else { return marked }
    return others
  }

  private static func rows(_ lists: [StoredList]) -> Int { lists.reduce(0) { $0 + $1.rows } }

  /// The values of present parents, and those among them whose list is still to be read.
  private struct LivingParents {
    var requested = KeySet()
    var unread: Set<ExactText> = []
  }

  private func livingParents(
    of lists: [StoredList], _ feed: Feed
  ) throws(SQLiteError) -> LivingParents {
    let given = feed.rule.given
    var parents = LivingParents()
    guard !feed.child.isAskedInBatches, let all = feed.living(given) else { return parents }
    let known = KeySet(lists.filter(\.isRead).map { $0.digest(of: given) })
    let needed = given.indices.filter { !feed.child.mayBeEmpty(given[$0]) }
    try connection.each(all, []) { row in
      let values = given.indices.map { row.text($0) }
      let digest = StoredList.digest(zip(given, values))
      _ = parents.requested.insert(digest)
      guard !known.contains(digest), needed.allSatisfy({ values[$0] != nil }),
        let hole = given.firstIndex(of: feed.rule.column).flatMap({ values[$0] })
      else { return }
      parents.unread.insert(ExactText(hole))
    }
    return parents
  }

  /// Lists of another form, once those requested instead were read: until then nothing has left them. For a parent's
  /// value, the lists of that value count.
  private func replaced(
    _ others: [StoredList], by lists: [StoredList], of plan: StreamPlan, _ named: NamedLists?,
    _ parents: LivingParents?
  ) -> [StoredList] {
    if others.isEmpty || plan.stream.isAskedInBatches { return others }
    guard let hole = plan.stream.parent?.column, let parents else {
      let read = Set(lists.filter(\.isRead).map { $0.name(plan.stream) })
      return named?.parameters.isSubset(of: read) == false ? [] : others
    }
    if parents.requested.count == 0 { return [] }
    let unread = parents.unread.union(
      lists.filter { !$0.isRead }.compactMap { $0.value(of: hole) })
    return others.filter { list in
      list.value(of: hole).map { !unread.contains($0) } ?? unread.isEmpty
    }
  }

  func areReadToTheEnd(_ stream: String, of job: String) throws(SQLiteError) -> Bool {
    let verdicts = try connection.texts(
      "SELECT DISTINCT coalesce((SELECT verdict FROM trawl_certificates c WHERE c.window = w.window "
        // cut: the newest of them
        + "ORDER BY certificate DESC LIMIT 1), '') FROM trawl_lists l LEFT JOIN trawl_windows w "
        + "USING (list_number) WHERE l.job = ? AND l.stream = ? "
        + "AND l.list_number NOT IN (SELECT list_number FROM (\(Book.orphans)))",
      [.text(job), .text(stream)])
    return !verdicts.isEmpty && verdicts.allSatisfy(Self.readVerdicts.contains)
  }

  fileprivate static let readVerdicts: Set = ["complete", "unproven", "absent"]

  // MARK: their rows

  /// Whether its rows in a membership table can be told apart from those of other streams.
  private func isApart(_ plan: StreamPlan) -> Bool {
    guard let list = plan.list else { return plan.isOnlyOwner }
    let own = list.own([])
    let others = plans.values.compactMap { $0 === plan ? nil : $0.list }.filter {
      $0.table.name == list.table.name
    }
    return others.allSatisfy { other in
      let values = other.own([])
      return own.contains { one in
        one.value != .null
          && values.contains { $0.name == one.name && ![.null, one.value].contains($0.value) }
      }
    }
  }

  /// Where the key names lists: the rows of those that stay, by the columns that name lists that left. One value may be
  /// spelled in two ways, and a list of another form may have the same rows.
  private func ownRows(
    of plan: StreamPlan, _ staying: [StoredList], asOf left: [StoredList]
  ) -> Set<String> {
    if plan.list != nil { return [] }
    let forms = Set(left.compactMap { plan.naming($0.values)?.map(\.column) })
    var rows: Set<String> = []
    for named in staying.compactMap({ plan.naming($0.values) }) {
      for columns in forms {
        rows.insert(Self.present(named.filter { columns.contains($0.column) }))
      }
    }
    return rows
  }

  private static func present(_ named: [(column: String, value: SQLValue)]) -> String {
    let own = named.map { "\(SQLName.quoted($0.column)) = \(ListPlace.literal($0.value))" }
    return (["vanished_at IS NULL"] + own).joined(separator: " AND ")
  }

  /// The rows of one list; nil: they do not show their list, or another requested list has the same rows.
  private func rowsLeft(of plan: StreamPlan, _ list: StoredList) throws(SQLiteError) -> Leavers? {
    guard plan.list != nil else {
      guard let named = plan.naming(list.values), !named.isEmpty else { return nil }
      return Leavers(table: plan.table, condition: Self.present(named), nested: plan.nested)
    }
    let place: ListPlace? = try connection.row(
      "SELECT \(ListPlace.columns) FROM trawl_lists l WHERE list_number = ? "
        + "AND list_where <> '{}' AND NOT EXISTS (SELECT 1 FROM trawl_lists o "
        + "WHERE o.list_table = l.list_table AND o.list_where = l.list_where "
        + "AND o.list_number <> l.list_number "
        + "AND o.list_number NOT IN (SELECT list_number FROM (\(Book.orphans))))",
      [.integer(list.number)])
    // Of a table with other columns for the list, which was made anew since, no row is its own.
    guard let place, let list = plan.list, list.table.name == place.table,
      Set(place.own.map(\.name)) == Set(list.own([]).map(\.name))
    else { return nil }
    let name = SQLName.quoted(place.table)
    return Leavers(
      table: list.table, condition: "vanished_at IS NULL AND \(place.condition(name))")
  }

  /// Rows whose parent has left, whatever their list: one that was never read to its end, or was reset, has some too.
  /// Nil: they do not show their list or stream.
  private func rowsLeft(of plan: StreamPlan, _ feed: Feed, _ lists: [StoredList]) -> Leavers? {
    let columns = plan.list == nil ? plan.stream.columns : plan.stream.membership?.columns
    func column(_ name: String) -> String? {
      columns?.first { $0.source == .parameter(name) && $0.expression == nil }?.name
    }
    let given = feed.rule.given.filter { column($0) != nil }
    guard let living = feed.living(given), var left = feed.left,
      let hole = column(feed.rule.column),
      plan.list != nil || plan.isOnlyOwner && plan.table.key.contains(hole)
    else { return nil }
    let table = plan.list?.table ?? plan.table
    let own = plan.list?.own([]) ?? []
    let name = SQLName.quoted(hole)
    // The column may have been filled by another value of the request.
    let values = lists.flatMap { list in
      list.values.filter {
        $0.name == feed.rule.column || list.isOfOtherForm(than: plan.stream)
      }
    }.map(\.value)
    left += " UNION ALL SELECT value FROM json_each(\(SQLName.literal(values.jsonText)))"
    let all = given.compactMap(column).map { "CAST(\(SQLName.quoted($0)) AS TEXT)" }
    // The first condition finds them by the index of the key.
    let conditions =
      ["vanished_at IS NULL", "\(name) IN (\(left))"]
      + ["\(all[0]) IN (\(left))", "(\(all.joined(separator: ", "))) NOT IN (\(living))"]
      + own.filter { $0.value != .null }.map {
        "\(SQLName.quoted($0.name)) IS \(ListPlace.literal($0.value))"
      }
    return Leavers(
      table: table, condition: conditions.joined(separator: " AND "),
      nested: plan.list == nil ? plan.nested : [])
  }
}
