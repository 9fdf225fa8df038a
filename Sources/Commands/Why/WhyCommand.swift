internal import Base
internal import Store

/// `trawl why TABLE KEY [COLUMN]`: what a row and its values rest on, or why there is none.
struct WhyCommand: Sendable {
  let context: CommandContext

  private static let valueMax = 60

  func perform() async throws -> ExitStatus {
    let operands = context.invocation.operands
    let location = try context.locationForReading()
    let store = try await context.storeThatIsThere(location)
    let answer = try await context.use(store) {
      try await WhyAnswer.of(
        operands[0], operands[1], column: operands.dropFirst(2).first, store, context.environment)
    }
    if context.invocation.has(.json) {
      context.console.printJSON(answer.json)
    } else {
      show(answer)
    }
    return answer.provenance.isThere ? .complete : .found
  }

  private func show(_ answer: WhyAnswer) {
    let found = answer.provenance
    let standing: ConsoleText =
      found.vanishedAt.map { ConsoleText("gone since \($0)", .yellow) }
      ?? (found.isThere ? ConsoleText("there", .green) : ConsoleText("not there", .yellow))
    context.console.print("\(found.table, .bold) \(found.key)  \(standing)")
    if let absence = answer.absence { context.console.print("  \(absence)") }
    if found.isAltered {
      let advice = context.console.advice("see: trawl prove \(found.job)")
      context.console.print("  this row is not as Trawl stored it; \(advice)")
    }
    for (name, rows) in answer.parts where !rows.isEmpty {
      context.console.print("  \(name, .bold)")
      let told = rows[0].indices.filter { column in rows.contains { $0[column].value != .null } }
      var lines = AlignedRows(indent: 4)
      lines.add(told.map { ConsoleText(rows[0][$0].name, .dim) })
      for row in rows {
        lines.add(
          told.map { column in
            let text = RowText.plain(row[column].value) ?? "-"
            // Texts of the API are shortened; names of files and answers are not.
            let isOfAPI = ["value", "raw"].contains(row[column].name)
            return ConsoleText(isOfAPI ? text.shortened(to: Self.valueMax) : text)
          })
      }
      context.console.printWhole(lines)
    }
    if answer.listsLeftOut > 0 {
      context.console.print("    and \(Wording.count(answer.listsLeftOut, "more list"))")
    }
  }
}

/// What is known of a record, with what only its job file and its images show.
struct WhyAnswer: Sendable {
  let provenance: Provenance
  private(set) var parts: [(name: String, rows: [NamedRow])]
  private(set) var listsLeftOut = 0
  /// The job's rules that drop records.
  private(set) var rules: [String] = []

  private static let listsMax = 20

  private init(_ provenance: Provenance, _ pictures: [RecordStore.RecordImage]) {
    self.provenance = provenance
    parts = provenance.parts.map { part in
      part.name == "lists" ? (part.name, Array(part.rows.prefix(Self.listsMax))) : part
    }
    listsLeftOut = max(0, provenance.rows(of: "lists").count - Self.listsMax)
    let rows = pictures.map { picture -> NamedRow in
      [("role", .text(picture.role)), ("path", SQLValue(picture.path))]
    }
    parts.append(("pictures", rows))
  }

  static func of(
    _ word: String, _ typed: String, column: String?, _ store: RecordStore,
    _ environment: Environment
  ) async throws -> WhyAnswer {
    let tables = try await store.keyedTables()
    guard let table = tables.first(where: { $0.name.utf8.elementsEqual(word.utf8) }) else {
      throw ExitReport(
        .usage,
        "there is no table of records called \"\(word)\""
          + Suggestion.clauseOrList(for: word, in: tables.map(\.name)))
    }
    let found = try await store.provenance(of: table, key: table.key(typed: typed), column: column)
    if let column, !found.columnNames.contains(column) {
      throw ExitReport(
        .usage,
        "\(table.name) has no column \"\(column)\" that its job fills"
          + Suggestion.clauseOrList(for: column, in: found.columnNames))
    }
    let images = try await store.imagePaths(table: table.name, key: found.key) ?? []
    var answer = WhyAnswer(found, images)
    if found.isDropped {
      let job = KnownFiles.job(table.job, try await store.file(of: table.job), environment)
      let streams = found.texts("stream", of: "answers")
      answer.rules =
        job?.streams.filter { streams.contains($0.name) }.compactMap { stream in
          stream.keep.map { "\(stream.name): keep \($0)" }
        } ?? []
    }
    return answer
  }

  /// A sentence on a record that is not there.
  var absence: String? {
    guard !provenance.isThere else { return nil }
    if let at = provenance.forgottenAt {
      return "it was forgotten on \(at.day) ("
        + (provenance.mayReturn
          ? "a run that finds it again stores it)"
          : "trawl forget --undo lets a run store it again)")
    }
    if let reason = provenance.rejection { return "it was rejected: \(reason)" }
    if provenance.isDropped {
      return rules.isEmpty
        ? "an answer has it, and the job's keep left it out"
        : "an answer has it, and the job left it out by \(rules.joined(separator: "; "))"
    }
    if !provenance.rows(of: "misses").isEmpty { return "it was requested, and did not come" }
    let trust = provenance.trust
    let complete = trust.lists.filter { $0.table == provenance.table && $0.verdict == "complete" }
    if complete.isEmpty {
      return
        "no stored answer has it, and no list of this table is complete: it may exist all the same"
    }
    // All lists of a stream have the same parents.
    var streams: Set<String> = []
    let ofStreams = complete.filter { streams.insert($0.stream).inserted }
    let lacking = ofStreams.compactMap(trust.lackingParent)
    if lacking.count == ofStreams.count {
      return "no stored answer has it; the lists of this table are requested for records of "
        + "others, and \(lacking[0].name) is \(lacking[0].claim): it may exist all the same"
    }
    let ranged = complete.filter { $0.readTo != nil }
    let absent =
      "no stored answer has it; the complete lists below did not have it when they were read"
    if ranged.isEmpty { return absent }
    return absent + ", and of other times than those named (read_from, read_to) not all was read"
      + (ranged.count < complete.count ? " of some" : "") + ": it may exist all the same"
  }

  var json: JSONObject {
    let found = provenance
    var object: JSONObject = [
      "table": found.table, "job": found.job, "key": found.key, "there": found.isThere,
      "altered": found.isAltered, "absence": absence, "first_seen_at": found.firstSeenAt,
      "vanished_at": found.vanishedAt,
      "lists_left_out": listsLeftOut, "dropped_by": rules,
    ]
    object.members += parts.map { ($0.name, $0.rows.map(JSONObject.init(row:))) }
    return object
  }

  /// Preceded by the trust of the table.
  static let shape: KeyValuePairs<String, AnswerShape> = [
    "trust": TrustWords.shape, "table": .text, "job": .text, "key": .text, "there": .flag,
    "altered": .flag, "absence": .maybeText, "first_seen_at": .maybeText, "vanished_at": .maybeText,
    "lists_left_out": .whole, "dropped_by": .list(.text), "columns": .list(.map),
    "earlier": .list(.map),
    "answers": .list(.map), "lists": .list(.map), "rejects": .list(.map), "misses": .list(.map),
    "pictures": .list(.map),
  ]
}

extension JSONObject {
  init(row: NamedRow) { self.init(row.map { ($0.name, $0.value) }) }
}
