internal import Base

/// Marks records that a walk of the whole list did not return. Never deletes; never accepts that a
/// large part of a list left at once, unless the user says so.
struct Vanishing {
  private let unit: OpenUnit
  private let connection: Connection
  private let probe: SeenProbe
  private let now: Instant
  /// What the walk has shown to be in the list.
  private let seen: KeySet
  private(set) var marked = 0
  private(set) var withheld = 0
  /// The walk before lacked too many as well.
  var wasWithheld = false
  /// The withheld records were together in the list.
  private(set) var isBlock = false
  /// How many look gone and are left to the next walk.
  private(set) var undecided = 0
  /// How many came from an earlier request and never from this one.
  private(set) var older = 0
  /// The API has just moved: no record counts as gone before the next walk.
  var hasMoved = false

  /// A record that an answer holds but the job's `keep` leaves out.
  typealias Dropped = (digest: UInt64, key: [SQLValue])

  init(
    _ unit: OpenUnit, _ connection: Connection, _ probe: SeenProbe, now: Instant
  ) throws(SQLiteError) {
    self.unit = unit
    self.connection = connection
    self.probe = probe
    self.now = now
    let dropped = try unit.plan.marksDropped ? connection.keys(Self.dropped(unit)) : KeySet()
    seen = dropped.count == 0 ? unit.seen : unit.seen.filter { !dropped.contains($0) }
    connection.pendingBook.beginChange()
  }

  /// Marks missing records if the walk shows that they left; otherwise those that were missing in
  /// the walk before, too.
  mutating func conclude(_ certificate: Certificate, accepting accepted: Int) throws(SQLiteError) {
    try judge(certificate, accepting: accepted)
    guard undecided + withheld > 0, let asked = AskedRows(unit) else { return }
    probe.keys = seen
    defer { probe.keys = KeySet() }
    if let place = try judgedPlace() {
      try asked.askAgain(place.gone, of: place.table.name, place.values, connection)
    }
  }

  private mutating func judge(
    _ certificate: Certificate, accepting accepted: Int
  ) throws(SQLiteError) {
    probe.keys = seen
    defer { probe.keys = KeySet() }
    guard let place = try judgedPlace() else { return }
    if hasMoved {
      return undecided = certificate.verdict == .complete ? try count(place.gone, place) : 0
    }
    guard let absentees = try absentees(place, certificate, accepting: accepted) else { return }
    let isComplete = certificate.verdict == .complete
    let isDecided = isComplete && (certificate.showsWhoLeft || absentees.keys.count <= accepted)
    probe.keys = isDecided ? absentees.keys : try absentees.missingBefore()
    undecided = isComplete ? absentees.keys.count - probe.keys.count : 0
    if probe.keys.count > 0 {
      marked = try mark(place, place.there)
      if place.list == nil {
        var keys: [UInt64] = []
        probe.keys.forEachInOrder { keys.append($0) }
        try unit.plan.altered?.note(keys, connection)
      }
    }
    if undecided > 0 {
      try absentees.keepUndecided(besides: probe.keys)
    } else {
      let isAccepted = isDecided && absentees.keys.count <= accepted
      try absentees.forget(withOlder: isAccepted && older == 0)
    }
  }

  /// Counts missing records that no answer has judged yet.
  mutating func noteWaiting() throws(SQLiteError) {
    probe.keys = seen
    defer { probe.keys = KeySet() }
    if let place = try judgedPlace() { undecided = try count(place.gone, place) }
  }

  /// The rows that a whole walk would count as gone, in a different order in each walk: a record
  /// that is not requested today should not be last again tomorrow.
  /// - Parameter columns: columns of the record, for the request about it.
  mutating func missing(
    accepting accepted: Int, most: Int, columns: [String]
  ) throws(SQLiteError) -> MissingRecords {
    probe.keys = seen
    defer { probe.keys = KeySet() }
    guard let place = try judgedPlace(),
      let absentees = try absentees(place, nil, accepting: accepted)
    else {
      return MissingRecords(records: [], count: 0, withheld: withheld, controls: [])
    }
    let keys = place.keys.map { "m.\(SQLName.quoted($0))" }
    let salt = "?\(place.values.count + 1)"
    let texts = columns.map { "CAST(\(ofRecord($0, place)) AS TEXT)" }
    func records(_ condition: String, most: Int) throws(SQLiteError) -> [MissingRecord] {
      try connection.rows(
        "SELECT \((keys + [name(in: place)] + texts).joined(separator: ", ")) "
          + "FROM \(SQLName.quoted(place.table.name)) m WHERE \(condition) "
          // cut: their number is reported beside them
          + "ORDER BY trawl_hash(\(salt), \(keys.joined(separator: ", "))) LIMIT \(most)",
        place.values + [.text(unit.beganAt)]
      ) { row in
        var values: [String: String] = [:]
        for (index, column) in columns.enumerated() {
          values[column] = row.text(keys.count + 1 + index)
        }
        return MissingRecord(
          name: row.text(keys.count) ?? "", values: values,
          key: keys.indices.map { row.value($0) })
      }
    }
    return MissingRecords(
      records: try records(place.gone, most: most), count: absentees.keys.count,
      withheld: 0, controls: try records(place.there, most: MissingRecords.controlsMax))
  }

  /// Marks a missing record that the API itself says is gone.
  mutating func mark(_ record: MissingRecord) throws(SQLiteError) {
    probe.keys = seen
    defer { probe.keys = KeySet() }
    guard let place = try judgedPlace()?.of(record.key) else { return }
    marked = try mark(place, place.gone, isAsked: true)
  }

  /// Notes stored records of a page that the job's `keep` leaves out: at its end the walk judges them as not returned.
  /// Kept with the list, since a page that is not read again does not show them.
  func noteDropped(_ dropped: [Dropped], of page: [UInt64]) throws(SQLiteError) {
    guard let place else { return }
    var stored: [UInt64] = []
    for record in dropped {
      let own = place.of(record.key)
      if try count("vanished_at IS NULL AND \(own.condition)", own) > 0 {
        stored.append(record.digest)
      }
    }
    // The page decides anew about all its records.
    let (before, page) = (try connection.keys(Self.dropped(unit)), KeySet(page))
    var keys = before.filter { !page.contains($0) }
    keys.formUnion(stored)
    if keys.count != before.count || !before.allIn(keys) {
      try connection.note(Self.dropped(unit), keys)
    }
  }

  private static func dropped(_ unit: OpenUnit) -> FactKey { unit.fact(.absent, "dropped") }

  /// The rows in which gone records are marked.
  private struct Place {
    let table: TableDesign
    /// The columns of the record's key in that table.
    let keys: [String]
    var condition: String
    var values: [SQLValue]
    let list: ListPlan?
    /// The rows among them that the walk can judge.
    var judged = "1"

    /// The rows of one record.
    func of(_ key: [SQLValue]) -> Place {
      var own = self
      for (name, value) in zip(keys, key) {
        own.condition += " AND \(SQLName.quoted(name)) = ?\(own.values.count + 1)"
        own.values.append(value)
      }
      return own
    }

    /// Rows that the walk should have returned but did not.
    var gone: String {
      "vanished_at IS NULL AND \(condition) AND NOT trawl_seen(\(TableDesign.list(keys))) "
        + "AND \(judged)"
    }

    /// Rows that the walk returned.
    var there: String {
      "vanished_at IS NULL AND \(condition) AND trawl_seen(\(TableDesign.list(keys)))"
    }
  }

  /// Nil: the walk cannot show which records left, as in lists of single answers.
  private var place: Place? {
    if let list = unit.plan.list {
      if unit.plan.stream.isAskedInBatches { return nil }
      let (condition, values) = list.condition(unit)
      return Place(
        table: list.table, keys: list.keyNames, condition: condition, values: values, list: list)
    }
    guard unit.plan.isOnlyOwner, let named = unit.plan.naming(unit.unit.values) else { return nil }
    let table = unit.plan.table
    var place = Place(table: table, keys: table.key, condition: "1", values: [], list: nil)
    for (column, value) in named {
      place.values.append(value)
      place.condition += " AND \(SQLName.quoted(column)) = ?\(place.values.count)"
    }
    return place
  }

  /// The same, limited to rows that the walk can judge.
  private func judgedPlace() throws(SQLiteError) -> Place? {
    var place = place
    if place != nil, let asked = AskedRows(unit) {
      place?.judged = try asked.condition(connection)
    }
    return place
  }

  private func count(_ condition: String, _ place: Place) throws(SQLiteError) -> Int {
    try Leavers(table: place.table, condition: condition).count(connection, place.values)
  }

  /// The number of live rows from before this walk. Of the rows first seen in the second in which it began, those with
  /// an earlier change number count; one that the walk has changed since does not.
  private func before(_ place: Place) throws(SQLiteError) -> Int {
    let next = place.values.count + 1
    return try connection.count(
      of: "\(SQLName.quoted(place.table.name)) WHERE vanished_at IS NULL AND \(place.condition) "
        + "AND (first_seen_at, \(TableDesign.change)) <= (?\(next), ?\(next + 1))",
      place.values + [.text(unit.beganAt), .integer(unit.beganAfter)])
  }

  /// Rows that look gone are marked at once if they are at most this many, or at most this
  /// percentage of the list: an API that returns half a list is more likely than a list that lost
  /// half of itself.
  static func isMany(_ missing: Int, of before: Int) -> Bool {
    missing > 20 && missing * 100 > before * 30
  }

  /// The records that are missing; nil: none, or so many that the API has probably failed.
  /// - Parameter certificate: nil if each record is to be requested.
  private mutating func absentees(
    _ place: Place, _ certificate: Certificate?, accepting accepted: Int
  ) throws(SQLiteError) -> Absentees? {
    var absentees = Absentees(unit, connection, now: now)
    try connection.each(
      "SELECT trawl_hash(\(TableDesign.list(place.keys))) FROM \(SQLName.quoted(place.table.name)) "
        + "WHERE \(place.gone)", place.values
    ) { absentees.note($0.bits(0)) }
    let count = absentees.keys.count
    if count == 0 {
      if certificate?.verdict == .complete, try absentees.beginsEra() {
        try absentees.joinEra(before: try before(place))
      }
      try absentees.forget(withOlder: true)
      return nil
    }
    // Another list has its rows in the same place: neither shows which are its own.
    if try unit.sharesPlace(connection) { return nil }
    if count <= accepted { return absentees }
    if try absentees.beginsEra() {
      guard certificate?.verdict == .complete else { return nil }
      older = try absentees.beginEra(before: try before(place))
      undecided = count - older
      return nil
    }
    let olderKeys = try absentees.leaveOutOlder()
    older = olderKeys.count
    if older > 0 {
      if absentees.keys.count == 0 { return nil }
      olderKeys.forEachInOrder { _ = probe.keys.insert($0) }
    }
    let missing = absentees.keys.count
    if older > 0, missing <= accepted { return absentees }
    let before = try before(place)
    // Of single answers, only requested ones can be missing.
    if unit.seen.count == 0, !unit.plan.stream.isAskedInBatches || missing >= before {
      if certificate != nil,
        try Emptiness(unit: unit, connection: connection, now: now)
          .isBelieved(ofMany: Self.isMany(missing, of: before))
      {
        return absentees
      }
      withheld = missing
      return nil
    }
    if let certificate {
      // Without a proof, only records that an earlier walk lacked too are marked: the limits do not apply yet.
      guard certificate.verdict != .unproven || wasWithheld else { return absentees }
      try absentees.findBlock(isEndShown: certificate.isEndShown)
      if !absentees.block.isEmpty {
        isBlock = try !absentees.isBlockBelieved(isEndShown: certificate.isEndShown)
      }
    }
    // So many need a person's decision, wherever they were, and however many came instead.
    let isMany = Self.isMany(missing, of: before)
    guard isBlock || isMany else { return absentees }
    isBlock = isBlock && !isMany
    withheld = missing
    if isBlock { try absentees.keepBlock() }
    return nil
  }

  /// Returns how many were marked.
  private func mark(
    _ place: Place, _ condition: String, isAsked: Bool = false
  ) throws(SQLiteError) -> Int {
    let leavers = Leavers(
      table: place.table, condition: condition, nested: place.list == nil ? unit.plan.nested : [])
    let count = try leavers.count(connection, place.values)
    if count == 0 { return 0 }
    try leavers.mark(place.values, at: now.description, connection)
    // Also of a list whose records may stay: the change is this run's.
    connection.pendingBook.count(
      RunCounts.Table(gone: place.list == nil ? count : 0), of: unit.plan.table.name, in: unit.run)
    if let list = place.list {
      let only = (list: list, condition: place.condition, values: place.values)
      try markRecords(isAsked ? only : nil)
    } else if unit.plan.isShared {
      try ListPlace.recount(ofRecords: place.table.name, connection)
    }
    return count
  }

  /// The record's title if the job names one, else its key.
  private func name(in place: Place) -> String {
    let key = place.keys.map { "CAST(\(SQLName.quoted($0)) AS TEXT)" }
      .joined(separator: " || ' ' || ")
    guard let title = unit.plan.stream.roles["title"], unit.plan.table.column(title) != nil else {
      return key
    }
    return "coalesce(\(ofRecord(title, place)), \(key))"
  }

  /// A column of the record that the row `m` of a place belongs to.
  private func ofRecord(_ column: String, _ place: Place) -> String {
    let record = unit.plan.table
    return "(SELECT r.\(SQLName.quoted(column)) FROM \(SQLName.quoted(record.name)) r "
      + "WHERE (\(record.key.map { "r.\(SQLName.quoted($0))" }.joined(separator: ", "))) = "
      + "(\(place.keys.map { "m.\(SQLName.quoted($0))" }.joined(separator: ", "))))"
  }

  /// A record is gone when no list has it any more; if other lists may hold it too, only when they
  /// were read since.
  /// - Parameter asked: the rows that the API itself says are gone.
  private func markRecords(
    _ asked: (list: ListPlan, condition: String, values: [SQLValue])?
  ) throws(SQLiteError) {
    let records = ListedRecords(plan: unit.plan, connection: connection)
    if asked == nil, try records.areInSeveral() {
      try connection.note(FactKey(.left, job: unit.plan.job, unit.plan.table.name), .integer(1))
    } else {
      try records.mark(only: asked, of: unit.run, at: now)
    }
  }
}
