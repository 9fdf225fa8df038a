internal import JSON
internal import Model
internal import SQLite

/// Stores the records of one page inside its transaction, and counts what became of each.
struct PageWriter {
  let unit: OpenUnit
  let plan: StreamPlan
  let connection: Connection
  let probe: SeenProbe
  let wanted: WantedImages
  /// When the page is stored, as the tables write it.
  let now: String
  var reader: FieldReader
  var request: FieldReader.Request
  /// Where the page's first record stands in the list, less one.
  let base: Int

  private(set) var counts = Counts()
  private(set) var unseen = 0
  /// Digests of all keys, in order.
  private(set) var keys: [UInt64] = []
  private(set) var newSamples: [String] = []
  private(set) var changedSamples: [String] = []
  private(set) var images = ImageWants()
  private(set) var newRejects = 0
  private(set) var fieldRejects = 0
  private(set) var oldest: Instant?
  private(set) var newest: Instant?
  private(set) var isNewestFirst = true
  private var misfits: [FieldMisfit] = []

  /// A value that does not fit its column; the row stands without it.
  struct FieldMisfit {
    var column: String
    var origin: String
    var reason: String
    var raw: String
  }

  init(
    unit: OpenUnit, connection: Connection, probe: SeenProbe, wanted: WantedImages, now: String,
    reader: FieldReader, parameters: [ParameterValue], base: Int
  ) {
    self.unit = unit
    plan = unit.plan
    self.connection = connection
    self.probe = probe
    self.wanted = wanted
    self.now = now
    self.reader = reader
    self.base = base
    request = FieldReader.Request(parameters: parameters, position: 0, parent: nil)
  }

  mutating func store(_ records: [JSONValue]) throws(SQLiteError) {
    keys.reserveCapacity(records.count)
    if let list = plan.list { try readList(list) }
    for (index, record) in records.enumerated() {
      request.position = base + index + 1
      try store(record)
    }
  }

  /// The list's own columns are the same for the whole page, but for those from the record.
  private mutating func readList(_ list: ListPlan) throws(SQLiteError) {
    list.row.clear()
    for slot in list.listSlots {
      _ = reader.read(list.fields[slot], of: .nothing, request, into: list.row, slot)
    }
  }

  private mutating func store(_ record: JSONValue) throws(SQLiteError) {
    let row = plan.row
    row.clear()
    misfits.removeAll(keepingCapacity: true)
    var failed: FieldMisfit?
    for slot in plan.fields.indices {
      let outcome = reader.read(plan.fields[slot], of: record, request, into: row, slot)
      guard case .misfit(let misfit, let value) = outcome else { continue }
      let told = Self.told(plan.fields[slot], misfit, value)
      if plan.fields[slot].isNeeded { failed = failed ?? told } else { misfits.append(told) }
    }
    if let shaper = plan.shaper {
      switch try shaper.shape(row) {
      case .kept: break
      case .dropped:
        _ = see(row, record)
        counts.dropped += 1
        return
      case .misfit(let slot, let misfit):
        let field = slot.map { plan.fields[$0] }
        let told = FieldMisfit(
          column: field?.name ?? "", origin: field?.origin ?? "keep",
          reason: misfit.sentence(for: field?.kind ?? .text), raw: "")
        failed = failed ?? told
      }
    }
    if failed == nil, let slot = plan.neededSlots.first(where: { row.isNull($0) }) {
      failed = Self.told(plan.fields[slot], .absent, nil)
    }
    let (digest, isUnseen) = see(row, record)
    if let failed {
      try reject(record, digest, failed)
    } else {
      try keep(record, row, digest, isUnseen)
    }
  }

  /// The keys of records that are looked at and not stored.
  mutating func keys(of records: [JSONValue]) throws(SQLiteError) -> [UInt64] {
    var keys: [UInt64] = []
    for record in records {
      let row = plan.row
      row.clear()
      for slot in plan.fields.indices {
        _ = reader.read(plan.fields[slot], of: record, request, into: row, slot)
      }
      if let shaper = plan.shaper { _ = try shaper.shape(row) }
      keys.append(digest(row, record))
    }
    return keys
  }

  private static func told(_ field: Field, _ misfit: Misfit, _ value: JSONValue?) -> FieldMisfit {
    FieldMisfit(
      column: field.name, origin: field.origin, reason: misfit.sentence(for: field.kind),
      raw: value.map { String(decoding: $0.json, as: UTF8.self) } ?? "")
  }

  /// Notes the key. A record without a whole key is told from others by its own bytes.
  private mutating func see(_ row: RowBuffer, _ record: JSONValue) -> (UInt64, Bool) {
    let digest = digest(row, record)
    keys.append(digest)
    let isUnseen = unit.seen.insert(digest)
    if isUnseen { unseen += 1 }
    return (digest, isUnseen)
  }

  private func digest(_ row: RowBuffer, _ record: JSONValue) -> UInt64 {
    let isWhole = !plan.keySlots.contains { row.isNull($0) }
    return isWhole ? row.digest(of: plan.keySlots) : Digest64.of(record.json)
  }

  // MARK: A record that fits

  private mutating func keep(
    _ record: JSONValue, _ row: RowBuffer, _ digest: UInt64, _ isUnseen: Bool
  ) throws(SQLiteError) {
    let outcome = told(try plan.writer.write(row, at: now), digest)
    if outcome == .orphan {
      try reject(
        record, digest,
        FieldMisfit(
          column: "", origin: plan.stream.key.joined(separator: ", "),
          reason: "an orphan: \(plan.table.name) has no row with this key, and stream "
            + "\(plan.stream.name) only fills rows that are there", raw: ""))
      return
    }
    if !isUnseen {
      counts.repeated += 1
    } else {
      switch outcome {
      case .new: counts.new += 1
      case .changed: counts.changed += 1
      case .unchanged, .moved, .filled, .orphan: counts.unchanged += 1
      }
    }
    let isWritten = [.new, .changed, .filled].contains(outcome)
    if isUnseen || outcome == .new, let list = plan.list { try join(list, record, row) }
    if plan.history != nil { try noteHistory(row, outcome) }
    if isWritten { try follow(row, outcome) }
    if isUnseen || isWritten {
      for image in plan.media {
        try image.want(
          row, key: plan.keyText(row), isWritten: isWritten, at: now, wanted, &images, connection)
      }
      for child in plan.children { try store(child, of: record, row) }
    }
    try settleRejects(row, digest)
    noteTime(row)
  }

  /// A record that this run brought is new, whichever of its streams fills the rest of it.
  private func told(_ outcome: RowWriter.Outcome, _ digest: UInt64) -> RowWriter.Outcome {
    guard let fresh = plan.fresh else { return outcome }
    if outcome == .new { fresh.note(digest) }
    return outcome == .changed && fresh.holds(digest) ? .filled : outcome
  }

  private mutating func join(
    _ list: ListPlan, _ record: JSONValue, _ row: RowBuffer
  ) throws(SQLiteError) {
    for slot in list.fields.indices where !list.listSlots.contains(slot) {
      list.row.setNull(slot)
      _ = reader.read(list.fields[slot], of: record, request, into: list.row, slot)
    }
    if let slot = list.fields.indices.first(where: { list.row.isNull($0) }) {
      // The record stands; which list brought it cannot be told.
      var told = Self.told(list.fields[slot], .absent, record)
      told.column = "\(list.table.name).\(told.column)"
      misfits.append(told)
      return
    }
    // Positions in a window of a list are no positions in the list.
    let position = unit.unit.window == nil ? request.position : nil
    try list.write(row, keySlots: plan.keySlots, position: position, at: now)
  }

  private func noteHistory(_ row: RowBuffer, _ outcome: RowWriter.Outcome) throws(SQLiteError) {
    guard let history = plan.history, outcome != .unchanged else { return }
    let slots =
      outcome == .new
      ? plan.writer.volatile.filter { !row.isNull($0) } : plan.writer.movedSlots
    for slot in slots {
      let count = plan.keySlots.count
      for (index, key) in plan.keySlots.enumerated() {
        try row.bind(key, to: history, at: index + 1)
      }
      try history.bind(count + 1, plan.fields[slot].name)
      try history.bind(count + 2, now)
      try row.bind(slot, to: history, at: count + 3)
      try history.run()
    }
  }

  /// What a new or changed record sets off: children that ask again, samples.
  private mutating func follow(
    _ row: RowBuffer, _ outcome: RowWriter.Outcome
  ) throws(SQLiteError) {
    if outcome == .changed || outcome == .filled {
      for mark in plan.dueMarks {
        guard let value = row.text(mark.slot) else { continue }
        try connection.run(
          "UPDATE trawl_asked SET is_due = 1 WHERE job = ? AND stream = ? AND value = ?",
          [.text(plan.job), .text(mark.stream), .text(value)])
      }
    }
    if outcome == .new, newSamples.count < PageReceipt.samplesMax {
      newSamples.append(sample(row))
    } else if outcome == .changed, changedSamples.count < PageReceipt.samplesMax {
      changedSamples.append(sample(row))
    }
  }

  /// What a person would call the record: its title if the job names one, else its key.
  private func sample(_ row: RowBuffer) -> String {
    let column = plan.stream.roles["title"]
    let slot = plan.fields.firstIndex { $0.name == column }
    return slot.flatMap { row.text($0) } ?? plan.keyText(row)
  }

  private mutating func noteTime(_ row: RowBuffer) {
    guard let slot = plan.timeSlot, !row.isNull(slot) else { return }
    guard let time = row.text(slot).flatMap({ Instant(stored: $0) }) else { return }
    if let oldest, time > oldest { isNewestFirst = false }
    oldest = time
    newest = max(newest ?? time, time)
  }

  // MARK: Nested lists

  private mutating func store(
    _ child: ChildPlan, of record: JSONValue, _ parent: RowBuffer
  ) throws(SQLiteError) {
    guard let found = child.records.first(in: record) else { return }
    var seen = KeySet()
    let entries = found.isArray ? Array(found.elements) : found.isNull ? [] : [found]
    let position = request.position
    request.parent = parent
    defer {
      request.parent = nil
      request.position = position
    }
    for (index, entry) in entries.enumerated() {
      request.position = index + 1
      child.row.clear()
      var failed: FieldMisfit?
      for (slot, field) in child.fields.enumerated() {
        let outcome = reader.read(field, of: entry, request, into: child.row, slot)
        switch outcome {
        case .stored: continue
        case .absent:
          if field.isNeeded { failed = failed ?? Self.told(field, .absent, entry) }
        case .misfit(let misfit, let value):
          let told = Self.told(field, misfit, value)
          if field.isNeeded { failed = failed ?? told } else { misfits.append(told) }
        }
      }
      if var failed {
        failed.column = "\(child.table.name).\(failed.column)"
        misfits.append(failed)
        continue
      }
      _ = try child.writer.write(child.row, at: now)
      _ = seen.insert(child.row.digest(of: child.keySlots))
    }
    probe.keys = seen
    try child.markGone(of: parent, plan.keySlots, seen: seen.count, at: now)
  }

  // MARK: Rejects

  private mutating func reject(
    _ record: JSONValue, _ digest: UInt64, _ misfit: FieldMisfit
  ) throws(SQLiteError) {
    counts.rejected += 1
    var whole = misfit
    whole.raw = String(decoding: record.json, as: UTF8.self)
    whole.reason = misfit.column.isEmpty ? misfit.reason : "\(misfit.column): \(misfit.reason)"
    whole.column = ""
    try save(whole, digest, key: nil)
  }

  /// Values that fit no longer stand among the rejects; those that do not, do.
  private mutating func settleRejects(_ row: RowBuffer, _ digest: UInt64) throws(SQLiteError) {
    if plan.openRejects.contains(digest) {
      let open = try connection.rows(
        "SELECT reject, column_name FROM trawl_rejects "
          + "WHERE job = ? AND stream = ? AND key_digest = ?",
        [.text(plan.job), .text(plan.stream.name), SQLValue(bits: digest)]
      ) { ($0.integer(0), $0.text(1) ?? "") }
      for (reject, column) in open where !misfits.contains(where: { $0.column == column }) {
        try connection.run("DELETE FROM trawl_rejects WHERE reject = ?", [.integer(reject)])
      }
      if misfits.isEmpty { plan.openRejects.remove(digest) }
    }
    guard !misfits.isEmpty else { return }
    fieldRejects += misfits.count
    let key = StreamPlan.json(plan.keySlots, of: row)
    for misfit in misfits { try save(misfit, digest, key: key) }
  }

  /// The same reject again writes nothing.
  private mutating func save(
    _ misfit: FieldMisfit, _ digest: UInt64, key: String?
  ) throws(SQLiteError) {
    plan.openRejects.insert(digest)
    let inserted = connection.changes.inserted
    try connection.run(
      "INSERT INTO trawl_rejects (job, stream, table_name, key_digest, record_key, column_name, "
        + "path, reason, raw, request, window, run, first_seen_at) "
        + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) "
        + "ON CONFLICT (job, stream, key_digest, column_name) DO UPDATE SET "
        + "raw = excluded.raw, reason = excluded.reason, path = excluded.path "
        + "WHERE raw <> excluded.raw OR reason <> excluded.reason",
      [
        .text(plan.job), .text(plan.stream.name), .text(plan.table.name),
        SQLValue(bits: digest), SQLValue(key), .text(misfit.column), .text(misfit.origin),
        .text(misfit.reason), .text(misfit.raw), .text(Self.json(request.parameters)),
        .integer(unit.id), .integer(unit.run), .text(now),
      ])
    if connection.changes.inserted != inserted { newRejects += 1 }
  }

  static func json(_ parameters: [ParameterValue]) -> String {
    var writer = JSONWriter()
    writer.object { object in
      for parameter in parameters { object.member(parameter.name, parameter.value) }
    }
    return writer.text
  }
}

extension JSONValue {
  /// For columns that look at the request only.
  static let nothing: JSONValue = {
    // Four letters that every JSON reader takes.
    guard let document = try? JSONDocument.read(Array("null".utf8)) else {
      preconditionFailure("null is JSON")
    }
    return document.root
  }()
}
