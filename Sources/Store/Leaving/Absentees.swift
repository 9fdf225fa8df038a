internal import Base

/// Records of a list that a walk of it did not return. If they were together, the API may have lost
/// a page: then later walks must lack the same ones before they count as gone.
struct Absentees {
  private let unit: OpenUnit
  private let connection: Connection
  private let now: Instant
  /// All absent records.
  private(set) var keys = KeySet()
  /// Absent records that were together, in the order of the last complete walk.
  private(set) var block: [UInt64] = []
  /// The block came after the last returned record.
  private var isTail = false
  /// How many walks in a row have lacked them, this one included, and when the first of them was
  /// certified.
  private var walks = 1
  private var since: Instant

  init(_ unit: OpenUnit, _ connection: Connection, now: Instant) {
    (self.unit, self.connection, self.now, since) = (unit, connection, now, now)
  }

  mutating func note(_ digest: UInt64) { _ = keys.insert(digest) }

  // MARK: blocks

  /// Walks that show the order of a list's records: the last complete one, and the last that read to the end, even
  /// without a proof.
  static let ordered: [@Sendable (StoredCertificate) -> Bool] = [
    { $0.certificate.verdict == .complete },
    { $0.certificate.verdict.isWhole || $0.certificate.cause == .moved },
  ]

  /// Finds blocks: all records of a page of an earlier walk, as many neighbours as a page has, or all records after the
  /// last returned one if nothing shows that the list ends there. The earlier walk is the last complete one; if it has
  /// no block, the last that read to the end.
  mutating func findBlock(isEndShown: Bool) throws(SQLiteError) {
    var read: Int64?
    for isMeant in Self.ordered where block.isEmpty {
      // Usually both are the same walk.
      guard let walk = try lastWalk(.valid, isMeant), walk != read else { continue }
      findBlock(in: try pages(of: walk), isEndShown: isEndShown)
      read = walk
    }
  }

  private mutating func findBlock(in fresh: [[UInt64]], isEndShown: Bool) {
    let length = fresh.map(\.count).max() ?? 0
    var run: [UInt64] = []
    var holdsPage = false
    func isBlock(tail: Bool) -> Bool {
      holdsPage || !run.isEmpty && (run.count >= length || tail && !isEndShown)
    }
    for page in fresh {
      let first = run.count
      for (index, key) in page.enumerated() {
        if keys.contains(key) {
          run.append(key)
          if index == page.count - 1, run.count - first >= page.count { holdsPage = true }
        } else {
          if isBlock(tail: false) { block += run }
          (run, holdsPage) = ([], false)
        }
      }
    }
    guard isBlock(tail: true) else { return }
    isTail = block.isEmpty
    block += run
  }

  private func lastWalk(
    _ standing: StoredCertificate.Standing, _ isMeant: (StoredCertificate) -> Bool
  ) throws(SQLiteError) -> Int64? {
    try unit.certificates(connection).first { $0.standing == standing && isMeant($0) }?.traversal
  }

  /// The keys of the last complete walk of an earlier request, page by page.
  private func lastOfOtherRequest() throws(SQLiteError) -> [[UInt64]] {
    try lastWalk(.otherRequest, Self.ordered[0]).map(pages) ?? []
  }

  /// The keys of a walk, page by page, each once.
  private func pages(of walk: Int64) throws(SQLiteError) -> [[UInt64]] {
    let pages = try connection.rows(
      "SELECT keys FROM trawl_pages WHERE window = ? AND traversal = ? AND trouble IS NULL "
        + "AND purpose IN ('page', 'repair', 'seam') ORDER BY ordinal, page",
      [.integer(unit.id), .integer(walk)]
    ) { $0.keys(0) }
    var seen = KeySet()
    return pages.map { page in page.filter { seen.insert($0) } }.filter { !$0.isEmpty }
  }

  /// Whether enough walks lacked them to count them as gone.
  mutating func isBlockBelieved(isEndShown: Bool) throws(SQLiteError) -> Bool {
    let before = try kept("block")
    guard before.count > 0 else { return false }
    let own = KeySet(block)
    guard before.allIn(own) else { return false }
    let run = FactFields(try connection.fact(key("walks")))
    walks = (run.integer("walks") ?? 0) + 1
    since = run.instant("since") ?? now
    if isTail, isEndShown { return true }
    return walks >= Emptiness.walksMin && now - since >= WalkMemory.patternAge
  }

  // MARK: earlier requests

  /// Whether no walk has been complete since the list's request changed.
  func beginsEra() throws(SQLiteError) -> Bool {
    let last = try unit.certificates(connection).first { one in
      one.standing == .otherRequest ? one.keysCount > 0 : one.certificate.verdict == .complete
    }
    return last?.standing == .otherRequest
  }

  /// How many stored records came from an earlier request and never from the present one.
  static func olderCount(_ unit: OpenUnit, _ connection: Connection) throws(SQLiteError) -> Int {
    try connection.count(
      "SELECT length(fact) / 8 FROM trawl_facts WHERE kind = 'absent' AND job = ? AND stream = ? "
        + "AND list_number = ? AND subject = 'older'", unit.plan.ofStream + [.integer(unit.list)])
  }

  /// Takes out records of an earlier request: they count as neither missing nor present.
  mutating func leaveOutOlder() throws(SQLiteError) -> KeySet {
    let before = try kept("older")
    guard before.count > 0 else { return before }
    let older = keys.filter(before.contains)
    keys = keys.filter { !before.contains($0) }
    if older.count < before.count { try connection.note(key("older"), older) }
    return older
  }

  /// The first complete walk of a changed request: records that it did not return are older. If it
  /// returned nine tenths of what the earlier request had, and none of its pages is missing, the
  /// request is the same one.
  /// - Parameter before: how many live rows are not of this walk.
  /// - Returns: how many of the missing are older; the next walk decides about the others.
  mutating func beginEra(before: Int) throws(SQLiteError) -> Int {
    let others = try kept("older")
    var older = keys.filter(others.contains)
    let walk = try lastOfOtherRequest()
    let share = share(before, lacks: keys.count - older.count, others.count, walk)
    try noteAsker(share)
    findBlock(in: walk, isEndShown: true)
    if !share.isSame || !block.isEmpty { older = keys }
    try forget()
    try connection.note(key("older"), older)
    return older.count
  }

  /// The first complete walk of a changed request returned everything that is stored.
  func joinEra(before: Int) throws(SQLiteError) {
    let others = try kept("older").count
    let walk = try lastOfOtherRequest()
    try noteAsker(share(before, lacks: 0, others, walk))
  }

  private func share(
    _ before: Int, lacks: Int, _ others: Int, _ walk: [[UInt64]]
  ) -> KeptShare {
    let walk = walk.joined()
    return KeptShare(
      had: before - others, lacks: lacks, walkHad: walk.count,
      walkLacks: walk.count { keys.contains($0) }, isOfOne: others == 0)
  }

  /// Keeps the share if only the account of the request differs: it shows whether the account is the same one.
  private func noteAsker(_ share: KeptShare) throws(SQLiteError) {
    if share.isOfOne, try isAskedByAnother() {
      try connection.note(key(KeptShare.subject), .text(share.jsonText))
    } else {
      try connection.forget(key(KeptShare.subject))
    }
  }

  private func isAskedByAnother() throws(SQLiteError) -> Bool {
    let before = try unit.certificates(connection).first { $0.standing == .otherRequest }?.prints
    guard let before else { return false }
    let last =
      try connection.facts(FactKey(.asker, job: unit.plan.job)).compactMap(\.fact.integer)
      .max() ?? 0
    let masks = (0...Int(last)).map { Fingerprints.mask(era: $0) }
    let difference = before.request ^ unit.prints.request
    return masks.contains { one in masks.contains { one != $0 && one ^ $0 == difference } }
  }

  // MARK: what is kept for the next walk

  /// Records that were missing in the walk before, too.
  func missingBefore() throws(SQLiteError) -> KeySet {
    keys.filter(try kept("undecided").contains)
  }

  /// Keeps a block that does not count as gone yet.
  func keepBlock() throws(SQLiteError) {
    try forget()
    try connection.note(key("block"), .blob(KeyBlob.bytes(block)))
    try connection.note(
      key("walks"), ["walks": SQLValue(walks), "since": .text(since.description)])
  }

  func keepUndecided(besides marked: KeySet) throws(SQLiteError) {
    try forget()
    try connection.note(key("undecided"), keys.filter { !marked.contains($0) })
  }

  func forget(withOlder: Bool = false) throws(SQLiteError) {
    for subject in ["undecided", "block", "walks"] + (withOlder ? ["older"] : []) {
      try connection.forget(key(subject))
    }
  }

  private func key(_ subject: String) -> FactKey { unit.fact(.absent, subject) }

  private func kept(_ subject: String) throws(SQLiteError) -> KeySet {
    try connection.keys(key(subject))
  }
}
