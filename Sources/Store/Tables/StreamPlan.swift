internal import Base
internal import Walk

/// Everything that is compiled once for storing the pages of one stream.
final class StreamPlan {
  let job: String
  let stream: Stream
  private(set) var table: TableDesign
  let fields: [Field]
  /// The name of each slot of a row.
  private(set) var names: [String]
  let map: FieldMap
  let keySlots: [Int]
  /// Slots that must have a value for a record to be stored.
  let neededSlots: [Int]
  private(set) var row: RowBuffer
  /// Buffers for records that are parsed before they are written.
  private(set) var pool: RowPool
  private(set) var writer: RowWriter
  /// The columns that no job file declares; their slots follow those of the fields.
  let found: FoundColumns?
  /// The found columns that its statements include.
  private var foundVersion: Int
  /// The slots of those that earlier runs found. Found columns follow those that the job file declares.
  private let foundBefore: Range<Int>
  private let volatile: [Int]
  let shaper: Shaper?
  let changes: ChangeLog
  let list: ListPlan?
  let children: [ChildPlan]
  let media: [MediaPlan]
  /// Where a record names the value of a batch request that it answers.
  let answers: AnsweredValues.Column?
  /// The feed of a stream of single answers.
  let feed: Feed?
  /// A column has the position.
  var hasPosition: Bool { !positionSlots.isEmpty }
  /// The same record has another value at another position, which is not part of its key.
  var variesByPlace: Bool { positionSlots.contains { !keySlots.contains($0) } }
  /// The position of a record in its list is stored.
  var countsPlaces: Bool { hasPosition || list != nil }
  let rules: WalkRules
  /// Whether a list of the stream was ever read to its end; nil: not looked up yet.
  var wasRead: Bool?
  /// Several lists return its records, and all of them in one form.
  let hasLists: Bool
  let positionSlots: [Int]
  /// Columns that come from the record and whose values may be missing.
  var watchedSlots: [Int] { declaredWatched + Array(fields.count..<names.count) }
  private let declaredWatched: [Int]
  /// Child streams that request again after a change of the parent, or when it came back.
  let dueMarks: [DueMark]
  /// Nested lists of the table's records, by whichever stream, and the names of the record's key there.
  let nested: [(table: TableDesign, parent: [String])]
  /// The column by which the list is declared newest first.
  let timeSlot: Int?
  /// The column by which the list is declared sorted.
  let orderSlot: Int?
  /// Every membership table whose rows keep a record of this table present.
  let otherLists: [(table: String, keyNames: [String])]
  /// Streams of this table whose lists show which records left.
  let holders: [(name: String, isReadEachTime: Bool)]
  /// The table whose records have the expected length of a list.
  let expectingTable: String?
  /// Streams that insert into this table without a list of their own.
  let loneStreams: [String]
  /// Without a list of its own, a stream can show what left only if it alone inserts into the table; others may fill
  /// more of its rows.
  var isOnlyOwner: Bool { list == nil && loneStreams == [stream.name] && otherLists.isEmpty }
  let present: PresentRows
  let fresh: FreshKeys
  /// The streams that fill the table.
  let streams: [String]
  /// Another stream fills the table, too.
  var isShared: Bool { streams.count > 1 }
  /// Rows of records that its `keep` leaves out may be marked as gone.
  var marksDropped: Bool { stream.keep != nil && stream.marksVanished }
  /// Nil if a row of the table depends on more than the records of its own streams.
  let altered: AlteredRecords?
  let forgotten: ForgottenKeys
  /// A fingerprint of how its rows are made, if they depend on an answer alone.
  let shape: String?
  /// The last change before this run.
  let began: Int64
  /// How often a run looks for the lists that hold a row: each time all pages of the run are looked through.
  var looksLeft = 20
  /// Digests of keys with open rejects, so that a record that fits again clears its own.
  var openRejects: Set<UInt64> = []

  init(
    _ stream: Stream, _ design: JobDesign, _ connection: Connection, fresh: FreshKeys,
    altered: AlteredRecords, found: FoundColumns?
  ) throws {
    self.fresh = fresh
    began = try connection.pendingBook.latest(connection)
    self.found = stream.takesAll ? found : nil
    foundVersion = found?.version ?? 0
    job = design.job.name
    self.stream = stream
    rules = WalkRules(stream)
    let table = try design.designed(stream.table)
    self.table = table
    forgotten = ForgottenKeys(job: job, table: table.name)
    let fields = stream.columns.map { Field($0, isKey: stream.key.contains($0.name)) }
    self.fields = fields
    map = FieldMap(fields)
    let declared = stream.columns.map(\.name)
    let names = declared + (stream.takesAll ? table.found.map(\.name) : [])
    foundBefore = declared.count..<names.count
    self.names = names
    let keySlots = stream.key.compactMap { names.firstIndex(of: $0) }
    self.keySlots = keySlots
    neededSlots = fields.indices.filter { fields[$0].isNeeded }
    row = RowBuffer(columns: names.count)
    pool = RowPool(columns: names.count)
    let volatile = stream.columns.indices.filter { stream.columns[$0].isVolatile }
    self.volatile = volatile
    writer = try RowWriter(
      connection, table, columns: names, stream, volatile: volatile,
      foundBefore: foundBefore)
    shaper = try Shaper(connection, stream)
    changes = try ChangeLog(of: table.name, connection)
    list = try stream.membership.map { try ListPlan($0, stream, design, connection) }
    children = try stream.children.map {
      try ChildPlan($0, of: stream, design, keySlots: keySlots, connection)
    }
    media = try stream.media.map { try MediaPlan($0, stream, table.name, design.job, connection) }
    answers = AnsweredValues.Column(stream, of: design.job)
    feed = try stream.isAskedInBatches ? Feed(stream.name, design) : nil
    positionSlots = stream.columns.indices.filter { stream.columns[$0].source == .position }
    declaredWatched = stream.columns.indices.filter { index in
      let column = stream.columns[index]
      guard case .paths = column.source else { return false }
      return !column.isRequired && !stream.key.contains(column.name)
    }
    dueMarks = design.job.streams.compactMap { child in
      // Whichever stream of the parents' table writes the value first.
      guard let feed = child.parent, child.name != stream.name,
        design.job.stream(feed.stream)?.table == stream.table,
        let slot = names.firstIndex(of: feed.column)
      else { return nil }
      let carried = feed.carries.filter(child.distinguishes)
      return DueMark(
        slot: slot, stream: child.name, isOfChange: [.changed, .run].contains(feed.when),
        isOfNew: !carried.isEmpty, carried: carried.compactMap { names.firstIndex(of: $0) })
    }
    let siblings = design.job.streams.filter { $0.table == stream.table }
    streams = siblings.map(\.name)
    // Details are another form, and the windows of a list are no lists.
    hasLists =
      siblings.allSatisfy { $0.ownsTable && Set($0.columns.map(\.name)) == Set(declared) }
      && (siblings.count > 1 || stream.holes.contains { !Template.own.contains($0) })
    otherLists = siblings.compactMap { sibling in
      sibling.membership.map { (design.fullName($0.table), $0.keyNames) }
    }
    holders = siblings.filter {
      $0.membership != nil && $0.marksVanished && $0.window == nil
    }.map { ($0.name, $0.parent?.when.isEachTime ?? true) }
    expectingTable = stream.expectation.flatMap { expectation in
      design.job.stream(expectation.stream).map { design.fullName($0.table) }
    }
    loneStreams = siblings.filter { $0.membership == nil && $0.ownsTable }.map(\.name)
    nested = try siblings.flatMap(\.children).filter { !$0.parentKeyNames.isEmpty }.map {
      (table: try design.designed($0.table), parent: $0.parentKeyNames)
    }
    let isNested = design.job.streams.flatMap(\.children)
      .contains { design.fullName($0.table) == table.name }
    let isByOneKey = siblings.allSatisfy { $0.key == stream.key }
    self.altered = isByOneKey && !isNested ? altered : nil
    present = PresentRows(
      table: table.name, condition: try DesignedStream(stream.name, design).ownCondition,
      isKept: !isNested,
      isOfOneStream: siblings.count == 1 && stream.ownsTable && list == nil
        && !isNested)
    timeSlot = stream.newestFirst.flatMap { names.firstIndex(of: $0) }
    orderSlot = stream.order.flatMap { names.firstIndex(of: $0.column) }
    let isByAnswer =
      self.altered != nil && stream.isPlain && stream.ownsTable && answers == nil
      && !stream.isAskedInBatches
    // Found columns are named by the answers themselves.
    shape =
      isByAnswer
      ? table.insert(declared) + table.update(declared) + (stream.takesAll ? "*" : "")
        + (list?.table.sql() ?? "") : nil
    try readOpenRejects(connection)
  }

  /// Rebuilds the statements if columns were added since they were made, by any stream of the table.
  func follow(_ connection: Connection) throws(SQLiteError) {
    guard let found, found.version != foundVersion else { return }
    table.setFound(found.columns)
    names = fields.map(\.name) + found.columns.map(\.name)
    row = RowBuffer(columns: names.count)
    pool = RowPool(columns: names.count)
    writer = try RowWriter(
      connection, table, columns: names, stream, volatile: volatile,
      foundBefore: foundBefore)
    foundVersion = found.version
  }

  /// The parts of a row that can be computed before the store has it; nil: the store adds more to
  /// the row.
  var earlyParts: RowParts? {
    shaper == nil && positionSlots.isEmpty ? writer.parts : nil
  }

  /// How many records are read before the first of them is written.
  static let rowsMax = 256
  /// Or fewer, if they are large: rows larger than their share are not kept.
  static let rowBytesMax = 4_000_000

  /// Sets the columns that other streams fill too to what the stored row has.
  func keepOthers(in row: RowBuffer, _ connection: Connection) throws(SQLiteError) {
    let shared = names.indices.filter {
      !keySlots.contains($0) && table.column(names[$0])?.writers.count ?? 0 > 1
    }
    if !shared.isEmpty { _ = try recall(shared, of: row, connection) }
  }

  /// Sets these columns of a row to what the stored row with its key has. Returns false if there is none.
  func recall(
    _ slots: [Int], of row: RowBuffer, _ connection: Connection
  ) throws(SQLiteError) -> Bool {
    let stored = try connection.statement(
      "SELECT \(TableDesign.list(slots.map { names[$0] })) FROM \(SQLName.quoted(table.name)) "
        + "WHERE \(TableDesign.isThis(keySlots.map { names[$0] }))")
    try stored.bind(keySlots.map { row.value($0) })
    defer { stored.clear() }
    guard try stored.step() else { return false }
    for (index, slot) in slots.enumerated() where !stored.isNull(index) {
      row.set(slot, from: stored, column: index)
    }
    return true
  }

  /// What names its rows in the book.
  var ofStream: [SQLValue] { [.text(job), .text(stream.name)] }

  /// Eight bytes for each rejected key.
  func readOpenRejects(_ connection: Connection) throws(SQLiteError) {
    let open: [UInt64] = try connection.rows(
      "SELECT DISTINCT key_digest FROM trawl_rejects WHERE job = ? AND stream = ?", ofStream)
    openRejects = Set(open)
  }

  /// The key as text: the value, or a JSON list of several.
  func keyText(_ row: RowBuffer) -> String { Self.text(keySlots, of: row) }

  static func text(_ slots: [Int], of row: RowBuffer) -> String {
    slots.count == 1 ? row.text(slots[0]) ?? "" : json(slots, of: row)
  }

  /// A JSON list of values with their classes.
  static func json(_ slots: [Int], of row: RowBuffer) -> String {
    JSONWriter.text {
      $0.array { list in
        for slot in slots {
          switch row.kind(slot) {
          case .null: list.null()
          case .integer: list.integer(row.integer(slot))
          case .real: list.real(row.real(slot))
          case .text, .blob: row.withText(slot) { list.string(utf8: $0) }
          }
        }
      }
    }
  }
}

/// The membership table of a stream: which list returned which record.
final class ListPlan {
  let table: TableDesign
  let fields: [Field]
  let row: RowBuffer
  let keyNames: [String]
  /// The columns that name the list itself, not its members.
  let listSlots: [Int]
  /// Other columns come from the record, which may be in the list more than once.
  var isOfRecords: Bool { listSlots.count < fields.count }
  /// Another list may hold the same row: of a stream that fills the table from its other end, or named by a record.
  let isShared: Bool
  private let withPosition: Statement
  private let withoutPosition: Statement
  /// If several streams fill the table, the first one counts positions.
  private let countsPositions: Bool

  init(
    _ membership: Membership, _ stream: Stream, _ design: JobDesign, _ connection: Connection
  ) throws {
    let table = try design.designed(membership.table)
    self.table = table
    let fields = membership.columns.map { Field($0, isKey: true) }
    self.fields = fields
    keyNames = membership.keyNames
    row = RowBuffer(columns: fields.count)
    listSlots = fields.indices.filter {
      switch fields[$0].source {
      case .parameter, .constant, .filled: true
      default: false
      }
    }
    let streams = design.job.streams.filter { $0.membership?.table == membership.table }
    countsPositions = streams.first?.name == stream.name
    isShared = streams.count > 1 || listSlots.count < fields.count
    let names = membership.columns.map(\.name) + membership.keyNames + ["position"]
    let all = names + ["first_seen_at", TableDesign.change]
    let values = all.indices.map { "?\($0 + 1)" }
    let seal = table.sealOfNew(Dictionary(zip(all, values)) { first, _ in first })
    let insert =
      "INSERT INTO \(SQLName.quoted(table.name)) (\(TableDesign.list(all)), \(TableDesign.digests)) "
      + "VALUES (\(values.joined(separator: ", ")), \(seal)) "
      + "ON CONFLICT (\(TableDesign.list(table.key))) DO UPDATE SET vanished_at = NULL, "
    // Storing moves would touch every row of a list that has grown at its front.
    let own = SQLName.quoted(table.name)
    let number =
      "iif(\(own).vanished_at IS NULL, \(own).\(TableDesign.change), excluded.\(TableDesign.change))"
    var back = ["vanished_at": "NULL", TableDesign.change: number]
    let numbered = "\(TableDesign.change) = \(number), "
    withoutPosition = try connection.prepare(
      insert + numbered + table.sealing(back) + " WHERE vanished_at IS NOT NULL")
    back["position"] = "excluded.position"
    withPosition = try connection.prepare(
      insert + numbered + "position = excluded.position, " + table.sealing(back)
        + " WHERE position IS NOT excluded.position OR vanished_at IS NOT NULL")
  }

  /// A row that is already there at its position costs no write.
  func write(
    _ record: RowBuffer, keySlots: [Int], position: Int?, at now: String, _ connection: Connection
  ) throws(SQLiteError) {
    let position = countsPositions ? position : nil
    let statement = position == nil ? withoutPosition : withPosition
    for index in fields.indices { try row.bind(index, to: statement, at: index + 1) }
    for (index, slot) in keySlots.enumerated() {
      try record.bind(slot, to: statement, at: fields.count + index + 1)
    }
    let next = fields.count + keySlots.count + 1
    try statement.bind(next, SQLValue(position))
    try statement.bind(next + 1, now)
    try statement.bind(next + 2, try connection.pendingBook.change(connection))
    try statement.run()
    if connection.changedRows > 0 { connection.pendingBook.useChange() }
  }
}

/// A child stream, and the slot of the value that it is requested for.
struct DueMark {
  let slot: Int
  let stream: String
  /// It requests again after any change.
  let isOfChange: Bool
  /// It requests again for a new record: another one may have the value, and carry something else.
  let isOfNew: Bool
  /// What is carried, and makes another list or other records.
  let carried: [Int]
}

extension Base.Stream {
  /// Whether this value distinguishes lists or records: it is sent, is in the key, or says in which list a record is.
  /// Other values are only stored.
  fileprivate func distinguishes(_ value: String) -> Bool {
    let own = columns.filter { key.contains($0.name) } + (membership?.columns ?? [])
    return holes.contains(value)
      || own.contains { column in
        switch column.source {
        case .parameter(let name): name == value
        case .filled(let text): text.holes.contains(value)
        default: false
        }
      }
  }
}
