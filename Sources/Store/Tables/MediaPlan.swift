internal import Base

/// An image role of a stream: looks up a record's image, and queues it if it is not stored.
final class MediaPlan {
  private let urlSlot: Int
  private let identitySlots: [Int]
  /// Precedes an identity that is not a URL.
  private let prefix: String
  private let known: Statement
  private let job: String
  private let table: String
  private let role: MediaRole

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
    prefix = Self.prefix(table, role.name)
    (self.role, self.table, self.job) = (role, table, job.name)
    known = try connection.prepare(
      "SELECT digest IS NOT NULL AND (next_attempt_at IS NULL OR next_attempt_at > ?2) "
        + "AND NOT \(RecordStore.lacksFile), "
        + "digest IS NULL AND job <> \(SQLName.literal(job.name)) AND next_attempt_at <= ?2, "
        + "EXISTS (SELECT 1 FROM trawl_media m WHERE m.digest = trawl_media_urls.digest "
        + "AND m.unneeded_since IS NOT NULL), digest IS NULL, job, url, "
        + "reason IS \(SQLName.literal(RecordStore.inNoList)) "
        + "FROM trawl_media_urls WHERE identity = ?1")
  }

  /// The state of a known image.
  private struct Known {
    var isHere: Bool
    /// Another job has queued it, and it is due.
    var isLeftElsewhere: Bool
    var isUnneeded: Bool
    var isWithoutFile: Bool
    var job: String
    var url: String
    /// No record in a list had it: now one does, and it is due.
    var rests: Bool
  }

  private func known(_ identity: String, _ now: String) throws(SQLiteError) -> Known? {
    try known.bind(1, identity)
    try known.bind(2, now)
    defer { known.reset() }
    guard try known.step() else { return nil }
    return Known(
      isHere: known.boolean(0), isLeftElsewhere: known.boolean(1), isUnneeded: known.boolean(2),
      isWithoutFile: known.boolean(3), job: known.text(4) ?? "", url: known.text(5) ?? "",
      rests: known.boolean(6))
  }

  /// The changes for an existing row; nil: none.
  private func changes(
    of known: Known, _ address: String, _ key: () -> String, at now: String
  ) -> Connection.Values? {
    let waking: Connection.Values =
      known.rests ? [("next_attempt_at", .text(now)), ("reason", nil)] : []
    if Self.isByURL(role) {
      // Another job may have queued the URL and never run again: an image that is not stored yet is
      // fetched by the job that needs it now, but no sooner than the other one would have tried
      // again.
      guard known.isWithoutFile && known.job != job || known.rests else { return nil }
      return [
        ("job", .text(job)), ("table_name", .text(table)), ("role", .text(role.name)),
        ("record_key", .text(key())),
      ] + waking
    }
    guard !known.url.utf8.elementsEqual(address.utf8) || known.rests else { return nil }
    // If the job says what identifies an image, a new URL is another way to the same image: a
    // stored one stays, and a refused one is requested again when due.
    guard role.identity.isEmpty else { return [("url", .text(address))] + waking }
    return [("url", .text(address)), ("attempts", 0), ("next_attempt_at", .text(now))]
      + (known.rests ? [("reason", nil)] : [])
  }

  static func isByURL(_ role: MediaRole) -> Bool { role.identity.isEmpty && role.adding.isEmpty }

  /// The identity of a row's image, as SQL over the table's columns: the views join by it.
  static func identitySQL(_ role: MediaRole, table: String) -> String {
    let columns = role.identity.isEmpty ? [role.column] : role.identity
    if isByURL(role) { return urlSQL(role.column, table: table, role: role.name) }
    let list = columns.map { "t.\(SQLName.quoted($0))" }
    let value = list.count == 1 ? list[0] : "json_array(\(list.joined(separator: ", ")))"
    return "\(SQLName.literal(prefix(table, role.name))) || \(value)"
  }

  private static func prefix(_ table: String, _ role: String) -> String { "\(table).\(role):" }

  /// The identity of an image by its URL: the URL itself, which other jobs may share. One without a scheme leads to
  /// the job's own API.
  static func urlSQL(_ column: String, table: String, role: String) -> String {
    let url = "t.\(SQLName.quoted(column))"
    let isWhole = schemes.map { "\(url) GLOB '\($0)*'" }.joined(separator: " OR ")
    return "iif(\(isWhole), '', \(SQLName.literal(prefix(table, role)))) || \(url)"
  }

  private static let schemes = ["https://", "http://"]

  /// Looks in memory, then on disk, then queues a request. An unchanged record whose image is known
  /// writes nothing, unless the image is due and queued by another job.
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
    let known = try known(identity, now)
    if known?.isUnneeded == true {
      try connection.update(
        Book.media, [("unneeded_since", "NULL")],
        where: "digest = (SELECT digest FROM trawl_media_urls WHERE identity = ?)",
        [.text(identity)])
    }
    if known?.isHere == true, !memory.wasAnswered(identity) { wants.disk += 1 }
    guard let known else {
      // A collection may have deleted the image of a record that is back now.
      try connection.insert(
        Book.mediaURLs,
        [
          ("identity", .text(identity)), ("url", .text(address(url))), ("job", .text(job)),
          ("table_name", .text(table)), ("role", .text(role.name)), ("record_key", .text(key())),
          ("next_attempt_at", .text(now)), ("queued_at", .text(now)),
        ])
      return
    }
    guard isWritten || known.isLeftElsewhere,
      let changes = changes(of: known, address(url), key, at: now)
    else { return }
    try connection.set(Book.mediaURLs, changes, where: "identity = ?", [.text(identity)])
  }

  private func identity(_ row: RowBuffer, _ url: String) -> String? {
    if Self.isByURL(role) {
      let isWhole = Self.schemes.contains { url.utf8.starts(with: $0.utf8) }
      return isWhole ? url : prefix + url
    }
    let slots = identitySlots.isEmpty ? [urlSlot] : identitySlots
    let value = slots.count == 1 ? row.text(slots[0]) : StreamPlan.json(slots, of: row)
    return value.map { prefix + $0 }
  }

  /// The URL with the parameters that the role sets.
  private func address(_ url: String) -> String {
    // Something that is not a URL is refused, with a reason, when it is fetched.
    guard !role.adding.isEmpty, var address = try? WebAddress(url) else { return url }
    var parts = (address.query ?? "").split(separator: "&").map(String.init)
    for field in role.adding {
      let name = PercentEncoding.encoded(field.name)
      parts.removeAll { $0.prefix { $0 != "=" }.utf8.elementsEqual(name.utf8) }
      parts.append("\(name)=\(PercentEncoding.encoded(field.value))")
    }
    address.query = parts.joined(separator: "&")
    return address.description
  }
}
