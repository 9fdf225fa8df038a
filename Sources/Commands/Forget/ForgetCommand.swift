internal import Base
internal import Crawl
internal import Media
internal import Store

/// `trawl forget JOB|TABLE KEY…`: removes records from all files of the folder. Takes no job's lock, so it works during
/// a run. Without arguments it finishes what an earlier one had to leave.
struct ForgetCommand: Sendable {
  let context: CommandContext

  private var invocation: Invocation { context.invocation }
  private var console: Console { context.console }

  func perform() async throws -> ExitStatus {
    let location = try context.locationForWriting()
    let folder = try DataFolder(withDatabase: location.folder, or: ": nothing to forget")
    let system = SystemRuns(context: context)
    try system.refuseReadOnly(folder)
    var settings = context.storeSettings
    settings.faults = context.faults
    let store = try await RecordStore.open(folder, settings)
    return try await context.use(store) {
      guard let word = invocation.operands.first else { return try await finish(folder, store) }
      let tables = try await store.keyedTables()
      let table = try FavoriteTarget(word, here: tables, context.environment).table
      guard tables.contains(where: { $0.name == table.name }) else {
        throw ExitReport(.usage, "there is no table \(table.name) in \(location.folder) yet")
      }
      try await system.refuse(jobs: [table.job])
      let keys = try table.keys(typed: invocation.operands.dropFirst())
      guard !keys.isEmpty else {
        throw ExitReport(.usage, "say which record of \(table.name) to forget, by its key")
      }
      if invocation.has(.undo) { return try await letReturn(keys, table, store) }
      return try await forget(keys, table, folder, store)
    }
  }

  private func forget(
    _ keys: [[SQLValue]], _ table: KeyedTable, _ folder: DataFolder, _ store: RecordStore
  ) async throws -> ExitStatus {
    let file = KnownFiles.job(table.job, try await store.file(of: table.job), context.environment)
    let planned = try await store.forget(keys, of: table, file, .rehearsal)
    tell(planned, table)
    guard planned.forgotten.lines.count > 0 else {
      guard planned.unknown.isEmpty || !planned.before.isEmpty else { return .found }
      // The command that forgot it may have been stopped before its end.
      tell(try await copies(of: keys, in: table, file, store), folder)
      let status = invocation.has(.dryRun) ? .complete : try await finish(folder, store)
      return planned.unknown.isEmpty ? status : .found
    }
    let copies = try await copies(of: keys, in: table, file, store)
    if invocation.has(.dryRun) {
      console.print(planned.forgotten, "would be forgotten")
      tell(planned.naming)
      tellRoom(try await store.bytesToWipe(), "would be")
      tell(copies, folder)
      return .complete
    }
    tellRoom(try await store.bytesToWipe(), "is")
    let traces = try await store.traces(of: keys, in: table, isThorough: true)
    // Files first: a kill undoes nothing there, and the same command continues.
    let cleaned = try StoredTraces(folder: folder).erase(traces)
    try await context.bucket?.putErased()
    let gone = try await store.forget(keys, of: table, file, .person, traces)
    context.tellDone {
      console.print(gone.forgotten, "forgotten")
      guard cleaned > 0 else { return }
      let verb = cleaned == 1 ? "names" : "name"
      console.print("\(Wording.count(cleaned, "file")) beside the database no longer \(verb) it")
    }
    let left = try await store.mentions(of: traces.names).filter { mention in
      !gone.naming.contains { ($0.table, $0.column) == (mention.table, mention.column) }
    }
    // All of this before the file is rewritten, which may fail: no later command knows the record.
    tell(gone.naming)
    tell(left, of: table.job, folder)
    if traces.names.lacksSome {
      console.tell(
        "what has fewer than four letters or six digits is not looked for in addresses, parameters and other text",
        .warning)
    }
    tell(copies, folder)
    let words = invocation.operands.map(ShellWord.quoted).joined(separator: " ")
    console.tell(
      "recordings, if there are any (--record), are not touched; a digest of the key stays, in the evidence of proofs and as the mark by which no run brings it back; to let one: trawl forget --undo \(words)"
    )
    let others = copies.holding + copies.unread + copies.begun
    let isInFolder = others.contains { $0.hasPrefix("\(folder.path)/") }
    let status = try await finish(
      folder, store,
      hasMore: !gone.naming.isEmpty || !left.isEmpty || isInFolder || traces.names.lacksSome)
    return planned.unknown.isEmpty ? status : .found
  }

  private func letReturn(
    _ keys: [[SQLValue]], _ table: KeyedTable, _ store: RecordStore
  ) async throws -> ExitStatus {
    let returning = try await store.letReturn(keys, of: table)
    for key in keys {
      let text = try await store.keyText(key)
      let what =
        returning.containsBytes(text)
        ? "stored again when a list returns it; to read all lists: trawl reset coverage \(table.job)"
        : "was not forgotten"
      context.tellDone { console.tell("\(table.name) \(text): \(what)") }
    }
    return returning.count == keys.count ? .complete : .found
  }

  /// Overwrites the bytes.
  private func finish(
    _ folder: DataFolder, _ store: RecordStore, hasMore: Bool? = nil
  ) async throws -> ExitStatus {
    StoredTraces(folder: folder).removeDrafts()
    let isWiped = try await store.unwipedFiles() == nil
    // The folder does not show whether all of an earlier command reached the bucket: it is done again there.
    if isWiped, context.bucket == nil {
      if invocation.operands.isEmpty { console.tell("nothing is left to do") }
      return .complete
    }
    if invocation.operands.isEmpty {
      // Without the record there is nothing to look for in them.
      var known = try await store.knownCopies()
      for job in Set(try await store.keyedTables().map(\.job)) {
        let file = KnownFiles.job(job, try await store.file(of: job), context.environment)
        known += published(by: file, in: folder)
      }
      for path in known.distinctBytes where KnownFiles.isThere(path) {
        console.tell(
          "\(path) may hold what was forgotten, unless it was made since: make that copy anew, or remove it",
          .warning)
      }
    }
    if !isWiped {
      let content = try ContentStore(
        dataFolder: folder.path, for: .writing, keeper: context.images)
      let held: String?
      do { held = try await store.wipe(with: content) } catch {
        guard var report = ExitReport(error) else { throw error }
        report.lines.append(
          "the bytes of what was forgotten are still in the file; when that is mended: trawl forget"
        )
        throw report
      }
      if let held {
        console.tell(
          "its bytes stay in the log of the database, since \(held); end that, then: trawl forget",
          .warning)
        return .paused
      }
    }
    let hasForgotten = try await store.hasForgotten()
    let sentence =
      switch hasMore {
      case false?: "no byte of it is left in \(folder.path)"
      case true?: "nothing else of it is left in \(folder.path)"
      case nil where hasForgotten || context.bucket == nil:
        "what was forgotten is overwritten in \(folder.path)"
      case nil:
        "no record is marked as forgotten in \(folder.path), and nothing older is left there"
      }
    context.bucket?.wipe()
    context.tellDone { console.print("\(sentence)") }
    return .complete
  }

  // MARK: words

  private func tell(_ planned: Erasure, _ table: KeyedTable) {
    for (key, at) in planned.before {
      console.tell("\(table.name) \(key): was forgotten at \(context.clock(at))")
    }
    for key in planned.unknown {
      console.tell("\(table.name) \(key): there is no such record")
    }
  }

  private func tell(_ naming: [Erasure.Naming]) {
    for rows in naming {
      let many = Wording.count(rows.count, "row")
      let verb = rows.count == 1 ? "names" : "name"
      let query =
        "SELECT * FROM \(rows.table) WHERE \(rows.column) = \(SQLName.literal(rows.value))"
      // Between double quotes a shell reads these marks.
      let isPlain = !query.utf8.contains { "\"$`\\!".utf8.contains($0) }
      let word = isPlain ? "\"\(query)\"" : ShellWord.quoted(query)
      console.tell(
        "\(many) of \(rows.table), requested for it, \(verb) it in \(rows.column); to see them: trawl sql \(word); each can be forgotten by its own key",
        .warning)
    }
  }

  private func tell(_ left: [Mention], of job: String, _ folder: DataFolder) {
    for one in left {
      let lists = one.lists.prefix(Self.listsMax).joined(separator: ", ")
      let more = one.lists.count > Self.listsMax ? " and more" : ""
      let cure =
        switch one.owner {
        case .records:
          "each can be forgotten by its own key: trawl sql \"SELECT * FROM \(one.table)\""
        case .part:
          "each goes with the record that it belongs to, when that is forgotten: trawl sql \"SELECT * FROM "
            + "\(one.table)\""
        case .trawl: "only this removes it: trawl reset records \(job)"
        case .noJob:
          "no job fills it; to remove it: sqlite3 \(ShellWord.quoted(folder.databasePath)) "
            + ShellWord.quoted("DROP TABLE \(SQLName.quoted(one.table))")
        }
      let place = lists.isEmpty ? one.column : "\(one.column) (\(lists)\(more))"
      let rows = Wording.count(one.count, "row")
      console.tell(
        "its key or a name of it is in \(rows) of \(one.table), in \(place); \(cure)", .warning)
    }
  }

  private static let listsMax = 3

  private func tellRoom(_ bytes: Int, _ verb: String) {
    let size = Wording.bytes(bytes)
    console.tell(
      "the database \(verb) written anew, which takes \(size) beside it for a while, and as much for a temporary file"
    )
  }

  /// Other files that may contain the records.
  private struct Copies {
    var holding: [String] = []
    /// Being written by another process.
    var begun: [String] = []
    /// Unreadable.
    var unread: [String] = []
    /// No longer where they were written.
    var missing: [String] = []
  }

  private func copies(
    of keys: [[SQLValue]], in table: KeyedTable, _ file: Job?, _ store: RecordStore
  ) async throws -> Copies {
    var found = Copies()
    let known = try await store.knownCopies() + published(by: file, in: store.folder)
    for path in known.distinctBytes {
      if path.hasSuffix(AtomicFile.ending), FileLock.isHeld(path) {
        found.begun.append(String(path.dropLast(AtomicFile.ending.count)))
        continue
      }
      guard KnownFiles.isThere(path) else {
        found.missing.append(path)
        continue
      }
      switch store.holds(keys, of: table, copy: path) {
      case true?: found.holding.append(path)
      case false?: continue
      case nil: found.unread.append(path)
      }
    }
    return found
  }

  private func published(by file: Job?, in folder: DataFolder) -> [String] {
    guard let target = file?.publish else { return [] }
    return RecordStore.places(ofCopy: target.hasPrefix("/") ? target : "\(folder.path)/\(target)")
      .filter(KnownFiles.isThere)
  }

  private func tell(_ copies: Copies, _ folder: DataFolder) {
    for path in copies.begun {
      console.tell(
        "a copy to \(path) is being made, and will hold it: make it anew when that has ended, or remove it",
        .warning)
    }
    for path in copies.holding {
      let media = "\(AtomicFile.folder(of: path))/media"
      let isOther = media != "\(folder.path)/media" && KnownFiles.isThere(media)
      let pictures = isOther ? "; the pictures in \(media) stay in any case" : ""
      console.tell("still in \(path): make that copy anew, or remove it\(pictures)", .warning)
    }
    for path in copies.unread {
      console.tell("not looked into, and left as it is: \(path)", .warning)
    }
    if let first = copies.missing.first {
      let many = Wording.count(copies.missing.count, "copy is", "copies are")
      console.tell(
        "\(many) not where written, and not looked into, first \(first): moved, or on a disk that is not mounted?",
        .warning)
    }
    if context.images != nil {
      console.tell(
        "copies in backups and in the caches of other machines are not known: renew or remove backups that hold it; a cache loses it when its machine next uses the folder",
        .warning)
    }
  }
}
