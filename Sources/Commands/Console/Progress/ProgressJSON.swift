internal import Base

/// The `--json` lines of a run under way, a contract for scripts. Members are only added; one without
/// a value is null.
enum ProgressJSON {
  /// The members of each event in their order, for the manual page.
  static let events: [(name: String, members: String)] = {
    let sums = "received new changed unchanged repeated dropped rejected"
    return [
      ("run_started", "run note"),
      ("list_started", "stream list"),
      ("list_resumed", "stream list text"),
      ("page_stored", "stream list page bytes \(sums)"),
      ("total_known", "stream list records pages text"),
      ("waiting", "stream list reason until"),
      ("wait_ended", "stream list"),
      ("warning", "stream list text"),
      (
        "list_concluded",
        "stream list verdict proof cause why as_declared rows pages resumes_at \(sums)"
      ),
      ("images", "wanted from_memory from_disk from_network bytes refused pending"),
      ("run_concluded", "run outcome kinds"),
      ("lines_dropped", "lines"),
    ]
  }()

  static func line(_ event: RunEvent, of job: String, at now: Instant) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      begin(&writer, name(of: event), job, now)
      members(of: event, &writer)
    }
    return writer.bytes
  }

  /// Told when the reader was too slow for a moment.
  static func dropped(_ lines: Int, of job: String, at now: Instant) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      begin(&writer, "lines_dropped", job, now)
      writer.member("lines", lines)
    }
    return writer.bytes
  }

  private static func begin(
    _ writer: inout JSONWriter, _ event: String, _ job: String, _ now: Instant
  ) {
    writer.member("schema", JSONFormat.progress.schema)
    writer.member("type", "progress")
    writer.member("event", event)
    writer.member("at", now.description)
    writer.member("job", job)
  }

  private static func name(of event: RunEvent) -> String {
    switch event {
    case .runStarted: "run_started"
    case .unitStarted: "list_started"
    case .unitResumed: "list_resumed"
    case .pageStored: "page_stored"
    case .totalKnown: "total_known"
    case .waiting: "waiting"
    case .waitEnded: "wait_ended"
    case .warning: "warning"
    case .unitConcluded: "list_concluded"
    case .images: "images"
    case .runConcluded: "run_concluded"
    }
  }

  private static func members(of event: RunEvent, _ writer: inout JSONWriter) {
    switch event {
    case .runStarted(let run, _, let note):
      writer.member("run", run)
      writer.member("note", note)
    case .unitStarted(let label):
      unit(label, &writer)
    case .unitResumed(let label, let text):
      unit(label, &writer)
      writer.member("text", text)
    case .pageStored(let label, let ordinal, let sums, let bytes):
      unit(label, &writer)
      writer.member("page", ordinal)
      writer.member("bytes", bytes)
      counts(sums, &writer)
    case .totalKnown(let label, let records, let pages, let text):
      unit(label, &writer)
      writer.member("records", records)
      writer.member("pages", pages)
      writer.member("text", text)
    case .waiting(let label, let reason, let until):
      unit(label, &writer)
      writer.member("reason", reason)
      writer.member("until", until.description)
    case .waitEnded(let label):
      unit(label, &writer)
    case .warning(let label, let text):
      unit(label, &writer)
      writer.member("text", text)
    case .unitConcluded(let facts):
      concluded(facts, &writer)
    case .images(let tally):
      images(tally, &writer)
    case .runConcluded(let facts):
      writer.member("run", facts.run)
      writer.member("outcome", facts.outcome.sentence)
      writer.array("kinds") { writer in
        for kind in facts.outcome.kinds.map(\.rawValue).sorted() { writer.string(kind) }
      }
    }
  }

  private static func concluded(_ facts: UnitFacts, _ writer: inout JSONWriter) {
    unit(UnitLabel(stream: facts.stream, listName: facts.listName), &writer)
    writer.member("verdict", facts.certificate.verdict.rawValue)
    writer.member("proof", facts.certificate.proof?.rawValue)
    writer.member("cause", facts.certificate.cause?.rawValue)
    writer.member("why", facts.certificate.why)
    writer.member("as_declared", facts.isAsDeclared)
    writer.member("rows", facts.rows)
    writer.member("pages", facts.certificate.pages)
    writer.member("resumes_at", facts.certificate.goesOnAt?.description)
    counts(facts.certificate.counts, &writer)
  }

  private static func images(_ tally: ImageTally, _ writer: inout JSONWriter) {
    writer.member("wanted", tally.wanted)
    writer.member("from_memory", tally.fromMemory)
    writer.member("from_disk", tally.fromDisk)
    writer.member("from_network", tally.fromNetwork)
    writer.member("bytes", tally.bytes)
    writer.member("refused", tally.refusedCount)
    writer.member("pending", tally.pending)
  }

  private static func unit(_ label: UnitLabel?, _ writer: inout JSONWriter) {
    writer.member("stream", label?.stream)
    writer.member("list", label?.listName)
  }

  private static func counts(_ counts: Counts, _ writer: inout JSONWriter) {
    writer.member("received", counts.received)
    writer.member("new", counts.new)
    writer.member("changed", counts.changed)
    writer.member("unchanged", counts.unchanged)
    writer.member("repeated", counts.repeated)
    writer.member("dropped", counts.dropped)
    writer.member("rejected", counts.rejected)
  }
}
