internal import Base

/// Stores the records of one page inside its transaction, and counts what happened to each.
struct PageWriter {
  let unit: OpenUnit
  let plan: StreamPlan
  let connection: Connection
  let probe: SeenProbe
  let wanted: WantedImages
  /// When the page is stored, in the format of the tables.
  let now: String
  var reader: FieldReader
  var request: FieldReader.Request
  /// The position of the page's first record in the list, less one.
  let base: Int

  var counts = Counts()
  var unseen = 0
  /// Rows of the table that are new, or were marked as gone.
  private var shown = 0
  /// What became of rows of the table, also when a page was read again.
  private var rows = RunCounts.Table()
  /// Digests of all keys, in order.
  var keys: [UInt64] = []
  private(set) var records: [JSONValue] = []
  /// By the key of a kept record, the index of the first record with it.
  private(set) var kept: [UInt64: Int] = [:]
  /// Rows of records that have been read but not written yet.
  private var borrowed: [RowBuffer] = []
  var images = ImageWants()
  var fieldRejects = 0
  /// The first rejected record of the list, and why.
  var firstReject: (position: Int, reason: String)?
  var clashes = KeyClashes()
  /// Those of its clashes that are of entries: the same answer has both.
  var sharedClashes = 0
  /// Records to which another list gives other values again and again.
  var returns = 0
  /// Other lists hold rows that it overwrites; nil: none was looked for.
  var hasHolders: Bool?
  /// Those of the requested values that are requested again for such records; nil: not looked up.
  var again: [String]?
  var answered: AnsweredValues
  var oldest: Instant?
  var newest: Instant?
  var isNewestFirst = true
  var order: OrderWatch
  var times: WindowWatch
  /// What stored rows have but no record of the page has.
  var emptied: Set<String> = []
  /// Digests of the keys whose rows were altered, in any table.
  var altered: [UInt64] = []
  /// Records that the job's `keep` leaves out, where rows of them would be marked as gone.
  private(set) var dropped: [Vanishing.Dropped] = []
  var misfits: [FieldMisfit] = []
  /// Nested entries that did not fit, by column.
  var entryMisfits: [String: Int] = [:]
  /// Nested lists of the page are only parts: none of their entries counts as gone.
  var hasNestedPart = false
  /// The records were read long ago: columns that other streams also fill keep their values.
  var keepsOthers = false
  private var hasSpellings = false

  /// All records differ and fit as they are written: an identical answer would give the same
  /// result.
  var isPlain: Bool {
    unseen == keys.count && firstReject == nil && fieldRejects == 0 && !hasSpellings
      && emptied.isEmpty && times.sign == nil
  }

  init(
    unit: OpenUnit, connection: Connection, probe: SeenProbe, wanted: WantedImages, now: String,
    reader: FieldReader, parameters: [ParameterValue], base: Int, asked: [String] = []
  ) {
    self.unit = unit
    plan = unit.plan
    self.connection = connection
    self.probe = probe
    self.wanted = wanted
    self.now = now
    self.reader = reader
    self.base = base
    answered = AnsweredValues(asked, unit.plan.answers)
    order = OrderWatch(unit.plan)
    times = WindowWatch(unit)
    request = FieldReader.Request(parameters: parameters, position: 0, parent: nil)
  }

  /// The columns that the page added.
  private(set) var foundNames: [String] = []

  /// Reads some records in the list's order, then writes them in the order of their keys.
  /// - Parameter early: the first of them, if already read.
  mutating func store(
    _ records: [JSONValue], named names: [String?] = [], damaged: [Int: DamagedRecord] = [:],
    early: EarlyRows? = nil
  ) throws(SQLiteError) {
    keys.reserveCapacity(records.count)
    self.records = records
    if let found = plan.found {
      foundNames = try found.find(in: records, at: now, connection)
      try plan.follow(connection)
    }
    try plan.forgotten.follow(connection)
    connection.pendingBook.beginChange()
    if plan.hasLists {
      plan.fresh.noteTurn(of: unit.list, from: try connection.pendingBook.change(connection))
    }
    if let list = plan.list { try readList(list) }
    var ready: [ReadRecord] = []
    var size = 0
    for (index, record) in records.enumerated() {
      request.position = base + index + 1
      request.name = index < names.count ? names[index] : nil
      if let damage = damaged[index] {
        order.noteUnknown()
        try reject(damage)
      } else if let read = try read(record, early?[index]) {
        ready.append(read)
        size += read.row.byteCount
      }
      if ready.count == StreamPlan.rowsMax || size > StreamPlan.rowBytesMax
        || index == records.count - 1
      {
        try keepFilled(&ready)
        try write(ready)
        ready.removeAll(keepingCapacity: true)
        plan.pool.giveBack(borrowed)
        borrowed.removeAll(keepingCapacity: true)
        size = 0
      }
    }
    try plan.present.add(shown, connection)
    try plan.altered?.note(altered, connection)
    connection.pendingBook.count(rows, of: plan.table.name, in: unit.run)
  }

  /// The list's own columns are the same for the whole page, except those from the record.
  private mutating func readList(_ list: ListPlan) throws(SQLiteError) {
    list.row.clear()
    for slot in list.listSlots {
      _ = reader.read(list.fields[slot], of: .nothing, request, into: list.row, slot)
    }
  }

  /// Nil: the job drops it.
  private mutating func read(
    _ record: JSONValue, _ early: EarlyRows.Row?
  ) throws(SQLiteError) -> ReadRecord? {
    if let early {
      // The early reader did not know the page's position in its list.
      for slot in plan.positionSlots { early.row.setInteger(slot, Int64(request.position)) }
      reader.zeroDates += early.values.zeroDates
      return try settle(early.values, of: record, early.row, early.digests)
    }
    let row = plan.pool.take()
    let values = reader.read(plan.map, of: record, request, into: row)
    plan.found?.read(record, into: row, first: plan.fields.count)
    let read = try settle(values, of: record, row)
    if read == nil { plan.pool.giveBack([row]) } else { borrowed.append(row) }
    return read
  }

  private mutating func settle(
    _ values: ReadValues, of record: JSONValue, _ row: RowBuffer, _ digests: [UInt64]? = nil
  ) throws(SQLiteError) -> ReadRecord? {
    var values = values
    var isDropped = false
    if let shaper = plan.shaper {
      switch try shaper.shape(row) {
      case .kept: break
      case .dropped: isDropped = true
      case .misfit(let slot, let misfit):
        let field = slot.map { plan.fields[$0] }
        let told = FieldMisfit(
          column: field?.name ?? shaper.origin, origin: field?.origin ?? shaper.origin,
          reason: misfit.sentence(for: field?.kind ?? .text))
        values.note { $0.failed = $0.failed ?? told }
      }
    }
    if values.trouble?.failed == nil,
      let slot = plan.neededSlots.first(where: { row.isNull($0) })
    {
      values.note { $0.failed = FieldMisfit(plan.fields[slot], .absent, nil) }
    }
    if record.isNull {
      values.note {
        $0.failed = FieldMisfit(
          origin: plan.stream.records.text,
          reason: "an entry of the list with nothing at \"\(plan.stream.records)\"", raw: "null")
      }
    }
    answered.note(row)
    order.note(row)
    times.note(row)
    let sighting = see(row, record, values.trouble?.spelling)
    if isDropped {
      // Also a repeated one: a page that is read again decides anew about all its records.
      if plan.marksDropped, hasKey(row) {
        dropped.append((row.digest(of: plan.keySlots), plan.keySlots.map { row.value($0) }))
      }
      counts.dropped += 1
      return nil
    }
    // A forgotten record is not stored, not even as a reject.
    if hasKey(row), plan.forgotten.holds(row.digest(of: plan.keySlots)) {
      counts.dropped += 1
      return nil
    }
    if let clash = sighting.clash { values.note { $0.clash = clash } }
    if kept[sighting.digest] == nil { kept[sighting.digest] = keys.count - 1 }
    return ReadRecord(
      record: record, row: row, digests: digests, position: request.position, place: keys.count - 1,
      digest: sighting.digest, isUnseen: sighting.isUnseen, trouble: values.trouble)
  }

  /// The keys of records that are only looked at.
  mutating func keys(
    of records: [JSONValue], named names: [String?] = [], damaged: [Int: DamagedRecord] = [:]
  ) throws(SQLiteError) -> [UInt64] {
    var keys: [UInt64] = []
    for (index, record) in records.enumerated() {
      request.name = index < names.count ? names[index] : nil
      if let damage = damaged[index] {
        keys.append(Digest64.of(damage.bytes))
        continue
      }
      try read(record)
      keys.append(digest(plan.row, record))
    }
    return keys
  }

  /// The record's key by the present columns.
  mutating func key(of record: JSONValue) throws(SQLiteError) -> String {
    try read(record)
    return StreamPlan.json(plan.keySlots, of: plan.row)
  }

  /// Reads what the key depends on, of a record that is not stored.
  private mutating func read(_ record: JSONValue) throws(SQLiteError) {
    if let shaper = plan.shaper {
      _ = reader.read(plan.map, of: record, request, into: plan.row)
      _ = try shaper.shape(plan.row)
      return
    }
    plan.row.clear()
    for slot in plan.keySlots {
      _ = reader.read(plan.fields[slot], of: record, request, into: plan.row, slot)
    }
  }

  /// Notes the key, and whether it is new in this walk. A record without its own key is identified by its bytes.
  private mutating func see(
    _ row: RowBuffer, _ record: JSONValue, _ spelling: KeySpelling?
  ) -> (digest: UInt64, isUnseen: Bool, clash: FieldMisfit?) {
    var digest = digest(row, record)
    var clash: FieldMisfit?
    if spelling != nil { hasSpellings = true }
    if spelling != nil || !unit.spellings.isEmpty, hasKey(row),
      unit.spellings.clashes(digest, spelling?.digest, wasSeen: unit.seen.contains(digest))
    {
      clash = spellingClash(row, spelling)
      digest = KeyBlob.digest([digest, spelling?.digest ?? 0])
    }
    keys.append(digest)
    let isUnseen = unit.seen.insert(digest)
    if isUnseen { unseen += 1 }
    return (digest, isUnseen, clash)
  }

  private func hasKey(_ row: RowBuffer) -> Bool { !plan.keySlots.contains { row.isNull($0) } }

  private func digest(_ row: RowBuffer, _ record: JSONValue) -> UInt64 {
    hasKey(row) ? row.digest(of: plan.keySlots) : Digest64.of(record.identity)
  }

  private func spellingClash(_ row: RowBuffer, _ spelling: KeySpelling?) -> FieldMisfit {
    let written = spelling.map { ", written here as \"\($0.shown)\"" } ?? ""
    return FieldMisfit(
      origin: plan.stream.key.joined(separator: ", "),
      reason:
        "the key reads as \(plan.keyText(row))\(written), and so does that of another record, "
        + "which is spelled differently: ambiguous")
  }

  // MARK: A record that fits

  /// Stores a record, and returns what happened; nil: it was rejected as an orphan.
  mutating func keep(_ read: ReadRecord) throws(SQLiteError) -> RowWriter.Outcome? {
    let (row, digest, isUnseen) = (read.row, read.digest, read.isUnseen)
    if keepsOthers { try plan.keepOthers(in: row, connection) }
    let written = try plan.writer.write(
      row, digests: read.digests, of: unit.beganAt, at: now, readsAll: unit.readsAll)
    if written == .new {
      rows.new += 1
      rows.firstRow = min(rows.firstRow ?? .max, connection.lastInsertedRow)
    }
    let isBack = written != .new && written != .unchanged && plan.writer.change.kind == .back
    if written == .new || isBack { shown += 1 }
    try noteClash(read, written)
    let outcome = told(written, digest)
    if outcome == .changed {
      if plan.fresh.noteChange(digest) { rows.changed += 1 }
    } else if isBack {
      rows.back += 1
    }
    if outcome == .orphan {
      try reject(
        read.record, digest,
        FieldMisfit(
          origin: plan.stream.key.joined(separator: ", "),
          reason: "an orphan: \(plan.table.name) has no row with this key, and stream "
            + "\(plan.stream.name) only fills rows that are there"))
      return nil
    }
    if !isUnseen {
      counts.repeated += 1
    } else {
      switch outcome {
      case .new: counts.new += 1
      case .changed: counts.changed += 1
      case .unchanged, .moved, .filled, .restored, .orphan: counts.unchanged += 1
      }
    }
    let isWritten = [.new, .changed, .filled, .restored].contains(outcome)
    if let list = plan.list, isUnseen || outcome == .new || list.isOfRecords {
      try join(list, read.record, row)
    }
    if [.changed, .filled, .restored, .moved].contains(outcome),
      outcome != .filled || !plan.writer.change.isFirst
    {
      try plan.changes.note(plan.writer.change, of: plan.keyText(row), at: now, plan.names)
    }
    if isBack || [.new, .changed, .filled].contains(outcome) {
      try markDue(row, isBack: isBack, isNew: outcome == .new)
    }
    if isUnseen || isWritten {
      for image in plan.media {
        try image.want(
          row, key: plan.keyText(row), isWritten: isWritten, at: now, wanted, &images, connection)
      }
      // Which of two records with one key counts is not known: the second takes no entry of the first away.
      let isFirst = kept[digest] ?? read.place == read.place
      for child in plan.children { try store(child, of: read.record, row, mayMarkGone: isFirst) }
    }
    try settleRejects(row, digest)
    return outcome
  }

  /// A record that this run stored is new, whichever of its streams fills the rest of it.
  private func told(_ outcome: RowWriter.Outcome, _ digest: UInt64) -> RowWriter.Outcome {
    guard plan.isShared else { return outcome }
    if outcome == .new { plan.fresh.note(digest) }
    return outcome == .changed && plan.fresh.holds(digest) ? .filled : outcome
  }

  private mutating func join(
    _ list: ListPlan, _ record: JSONValue, _ row: RowBuffer
  ) throws(SQLiteError) {
    for slot in list.fields.indices where !list.listSlots.contains(slot) {
      list.row.setNull(slot)
      _ = reader.read(list.fields[slot], of: record, request, into: list.row, slot)
    }
    if let slot = list.fields.indices.first(where: { list.row.isNull($0) }) {
      // The record is kept; only its list is unknown.
      var told = FieldMisfit(list.fields[slot], .absent, record)
      told.column = "\(list.table.name).\(told.column)"
      misfits.append(told)
      noteReject("\(told.column): \(told.reason)", at: request.position)
      return
    }
    // Positions in a window are not positions in the list.
    let position = unit.unit.window == nil ? request.position : nil
    try list.write(row, keySlots: plan.keySlots, position: position, at: now, connection)
  }
}
