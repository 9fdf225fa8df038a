internal import Base

/// The `--json` lines of a run in progress, a contract for scripts. Members are only added; those without a value are
/// null.
enum ProgressJSON {
  /// The members of each event in order, for the manual page.
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

  static func line(_ event: RunEvent, of job: String, at now: Instant) -> JSONObject {
    let (name, members) = told(event)
    return line(name, members, of: job, at: now)
  }

  /// The reader was too slow for a moment.
  static func dropped(_ lines: Int, of job: String, at now: Instant) -> JSONObject {
    line("lines_dropped", ["lines": lines], of: job, at: now)
  }

  private static func line(
    _ event: String, _ members: JSONObject, of job: String, at now: Instant
  ) -> JSONObject {
    let head: JSONObject = [
      "type": "progress", "event": event, "at": now.description, "job": job,
    ]
    return JSONObject(head.members + members.members)
  }

  private static func told(_ event: RunEvent) -> (name: String, members: JSONObject) {
    switch event {
    case .runStarted(let run, _, let note): ("run_started", ["run": run, "note": note])
    case .unitStarted(let label): ("list_started", of(label))
    case .unitResumed(let label, let text): ("list_resumed", of(label, ["text": text]))
    case .pageStored(let label, let ordinal, let sums, let bytes):
      ("page_stored", of(label, ["page": ordinal, "bytes": bytes], sums))
    case .totalKnown(let label, let records, let pages, let text):
      ("total_known", of(label, ["records": records, "pages": pages, "text": text]))
    case .waiting(let label, let reason, let until):
      ("waiting", of(label, ["reason": reason, "until": until.description]))
    case .waitEnded(let label): ("wait_ended", of(label))
    case .warning(let label, let text): ("warning", of(label, ["text": text]))
    case .unitConcluded(let facts): ("list_concluded", concluded(facts))
    case .images(let tally):
      (
        "images",
        [
          "wanted": tally.wanted, "from_memory": tally.fromMemory, "from_disk": tally.fromDisk,
          "from_network": tally.fromNetwork, "bytes": tally.bytes,
          "refused": tally.refusedCount, "pending": tally.pending,
        ]
      )
    case .runConcluded(let facts):
      (
        "run_concluded",
        [
          "run": facts.run, "outcome": facts.outcome.sentence,
          "kinds": facts.outcome.kinds.map(\.rawValue).sorted(),
        ]
      )
    }
  }

  private static func concluded(_ facts: UnitFacts) -> JSONObject {
    let certificate = facts.certificate
    return of(
      facts.label,
      [
        "verdict": certificate.verdict.rawValue, "proof": certificate.proof?.rawValue,
        "cause": certificate.cause?.rawValue, "why": certificate.why,
        "as_declared": facts.isAsDeclared, "rows": facts.rows, "pages": certificate.pages,
        "resumes_at": certificate.goesOnAt?.description,
      ], certificate.counts)
  }

  /// The members on a list.
  private static func of(
    _ label: UnitLabel?, _ members: JSONObject = [:], _ sums: Counts? = nil
  ) -> JSONObject {
    let head: JSONObject = ["stream": label?.stream, "list": label?.listName]
    guard let sums else { return JSONObject(head.members + members.members) }
    let counts: JSONObject = [
      "received": sums.received, "new": sums.new, "changed": sums.changed,
      "unchanged": sums.unchanged, "repeated": sums.repeated, "dropped": sums.dropped,
      "rejected": sums.rejected,
    ]
    return JSONObject(head.members + members.members + counts.members)
  }
}
