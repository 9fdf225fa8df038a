internal import Base

/// An image role of a stream: looks where a record's image is, and queues what is not here.
final class MediaPlan {
  private let urlSlot: Int
  private let identitySlots: [Int]
  private let adding: [HeaderField]
  /// Empty: the URL is the identity.
  private let prefix: String
  private let known: Statement
  private let statement: Statement

  init(
    _ role: MediaRole, _ stream: Stream, _ table: String, _ job: Job, _ connection: Connection
  ) throws {
    let names = stream.columns.map(\.name)
    func slot(_ name: String) throws(StoreError) -> Int {
      guard let slot = names.firstIndex(of: name) else {
        throw StoreError(.job, "job \(job.name)", "image \(role.name): there is no column \(name)")
      }
      return slot
    }
    urlSlot = try slot(role.column)
    identitySlots = try role.identity.map { try slot($0) }
    adding = role.adding
    prefix = Self.isByURL(role) ? "" : "\(table).\(role.name):"
    known = try connection.prepare(
      "SELECT digest IS NOT NULL AND (next_attempt_at IS NULL OR next_attempt_at > ?2), "
        + "digest IS NULL AND job <> \(SQLName.literal(job.name)) AND next_attempt_at <= ?2, "
        + "EXISTS (SELECT 1 FROM trawl_unneeded n WHERE n.digest = trawl_media_urls.digest) "
        + "FROM trawl_media_urls WHERE identity = ?1")
    statement = try connection.prepare(
      "INSERT INTO trawl_media_urls (identity, url, job, table_name, role, record_key, "
        + "next_attempt_at, queued_at) VALUES (?1, ?2, \(SQLName.literal(job.name)), "
        + "\(SQLName.literal(table)), \(SQLName.literal(role.name)), ?3, ?4, ?4) "
        + "ON CONFLICT (identity) DO UPDATE SET \(Self.update(role))")
  }

  /// What becomes of a row that is there.
  private static func update(_ role: MediaRole) -> String {
    // Another job may have queued the URL and never run again: what is not here yet is fetched by
    // the job that asks now, no sooner than the other one was to ask again.
    let rests = "reason IS \(SQLName.literal(RecordStore.inNoList))"
    // The record is back: its image is due.
    let clears = "reason = CASE WHEN \(rests) THEN NULL ELSE reason END"
    let wakes =
      "next_attempt_at = CASE WHEN \(rests) THEN excluded.next_attempt_at ELSE next_attempt_at END, "
      + clears
    if isByURL(role) {
      return "job = excluded.job, table_name = excluded.table_name, role = excluded.role, "
        + "record_key = excluded.record_key, \(wakes) "
        + "WHERE digest IS NULL AND job <> excluded.job OR \(rests)"
    }
    return "url = excluded.url"
      // Where the job says what identifies an image, another URL is another way to the same one:
      // what is here stays, and what was refused is asked again when it is due.
      + (role.identity.isEmpty
        ? ", attempts = 0, next_attempt_at = excluded.next_attempt_at, \(clears)" : ", \(wakes)")
      + " WHERE url IS NOT excluded.url OR \(rests)"
  }

  static func isByURL(_ role: MediaRole) -> Bool { role.identity.isEmpty && role.adding.isEmpty }

  /// The identity of a row's image as SQL over the table's columns: what the views join by.
  static func identitySQL(_ role: MediaRole, table: String) -> String {
    let columns = role.identity.isEmpty ? [role.column] : role.identity
    if isByURL(role) { return "t.\(SQLName.quoted(role.column))" }
    let list = columns.map { "t.\(SQLName.quoted($0))" }
    let value = list.count == 1 ? list[0] : "json_array(\(list.joined(separator: ", ")))"
    return "\(SQLName.literal("\(table).\(role.name):")) || \(value)"
  }

  /// Memory, then disk, then the queue to the network. An unchanged record whose image is known
  /// writes nothing, unless the image is due and waits for another job.
  func want(
    _ row: RowBuffer, key: @autoclosure () -> String, isWritten: Bool, at now: String,
    _ memory: WantedImages, _ wants: inout ImageWants, _ connection: Connection
  ) throws(SQLiteError) {
    guard let url = row.text(urlSlot), let identity = identity(row, url) else { return }
    wants.wanted += 1
    guard memory.insert(identity) else {
      wants.memory += 1
      return
    }
    try known.bind(1, identity)
    try known.bind(2, now)
    let isKnown = try known.step()
    let isHere = isKnown && known.int(0) != 0
    let isLeftElsewhere = isKnown && known.int(1) != 0
    let isUnneeded = isKnown && known.int(2) != 0
    known.reset()
    if isUnneeded {
      try connection.run(
        "DELETE FROM trawl_unneeded WHERE digest = "
          + "(SELECT digest FROM trawl_media_urls WHERE identity = ?)", [.text(identity)])
    }
    if isHere, !memory.wasAnswered(identity) { wants.disk += 1 }
    // A collection may have forgotten the image of a record that is back now.
    guard isWritten || !isKnown || isLeftElsewhere else { return }
    try statement.bind(1, identity)
    try statement.bind(2, address(url))
    try statement.bind(3, key())
    try statement.bind(4, now)
    try statement.run()
    if connection.changedRows > 0 { wants.queued += 1 }
  }

  private func identity(_ row: RowBuffer, _ url: String) -> String? {
    if prefix.isEmpty { return url }
    let slots = identitySlots.isEmpty ? [urlSlot] : identitySlots
    let value = slots.count == 1 ? row.text(slots[0]) : StreamPlan.json(slots, of: row)
    return value.map { prefix + $0 }
  }

  /// The URL with the parameters that the role sets.
  private func address(_ url: String) -> String {
    // What is no URL is refused, with a reason, by whoever fetches it.
    guard !adding.isEmpty, var address = try? WebAddress(url) else { return url }
    var parts = (address.query ?? "").split(separator: "&").map(String.init)
    for field in adding {
      let name = PercentEncoding.encoded(field.name)
      parts.removeAll { $0.prefix { $0 != "=" }.utf8.elementsEqual(name.utf8) }
      parts.append("\(name)=\(PercentEncoding.encoded(field.value))")
    }
    address.query = parts.joined(separator: "&")
    return address.description
  }
}
