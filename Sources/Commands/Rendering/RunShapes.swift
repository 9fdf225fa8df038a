public import Base

// The members of a report, each declared once for writing and reading.

extension RunFacts {
  static let fields = JSONFields<RunFacts>([
    .value("job", \.job), .value("command", \.command), .value("arguments", \.arguments),
    .value("origin", \.origin), .value("outcome", \.outcome), .value("counts", \.sums),
    .made("vanished") { $0.sum(\.gone) }, .count("forgotten", \.forgotten, unless: 0),
    .value("lists", \.units), .value("resting", \.resting),
    .made("lists_left_out") { $0.isCut ? $0.listCount - $0.units.count : nil },
    .value("list_groups", \.storedGroups, unless: []), .value("requests", \.requests),
    .value("images", \.images), .value("coverage", \.coverage),
    .count("coverage_left_out", \.unnamedCoverage, unless: 0),
    .count("reject_count", \.rejectCount), .value("rejects", \.rejects),
    .value("migrations", \.migrations), .value("warnings", \.warnings), .value("story", \.story),
    .value("changes", \.changes), .value("watches", \.watches),
    .value("next_steps", \.sentences), .value("needs_person", \.isForPerson),
    .group("wall_clock", wallClock),
  ])

  /// What differs between two equal runs: the run's name, instants, waits, quotas.
  private static let wallClock = JSONFields<RunFacts>([
    .value("run", \.run), .time("started_at", \.startedAt), .time("ended_at", \.endedAt),
    .value("seconds", \.duration.inSeconds),
    .nullable("clock_offset_seconds", \.clockOffsetSeconds),
    .value("waits", \.requests.waits),
    .count("waits_left_out", \.requests.unnamedWaitCount, unless: 0),
    .value("seconds_left_out", \.requests.unnamedWaits.inSeconds, unless: 0),
    .value("resumes_at", \.resumptions), .value("quotas", \.quotas),
  ])

  private var isCut: Bool { !storedGroups.isEmpty }

  private var sums: Counts {
    get { counts }
    set { stored = newValue }
  }

  private var sentences: [String] {
    get { nextSteps.map(\.sentence) }
    set { nextSteps = newValue.map { NextStep($0) } }
  }

  private var isForPerson: Bool {
    get { needsPerson }
    set { if newValue, !nextSteps.isEmpty { nextSteps[0].needsPerson = true } }
  }

  private var clockOffsetSeconds: Double? {
    get { clockOffset?.inSeconds }
    set { clockOffset = newValue.map { Duration(inSeconds: $0) } }
  }

  /// The paused lists, by index.
  private var resumptions: [Resumption] {
    get {
      units.enumerated().compactMap { index, unit in
        unit.certificate.goesOnAt.map { Resumption(index: index, at: $0) }
      }
    }
    set {
      for one in newValue where units.indices.contains(one.index) {
        units[one.index].certificate.goesOnAt = one.at
      }
    }
  }
}

private struct Resumption: JSONShape {
  var index: Int
  var at: Instant

  static let empty = Resumption(index: -1, at: .start)
  static let fields = JSONFields<Resumption>([.value("index", \.index), .time("at", \.at)])
}

extension Instant {
  static let start = Instant(seconds: 0)
}

extension RunOutcome.Kind: JSONScalar {}

extension RunOutcome: JSONShape {
  public static let empty = RunOutcome(kinds: [])
  public static let fields = JSONFields<RunOutcome>([
    .value("kinds", \.sorted), .value("sentence", \.sentence),
  ])

  private var sorted: [Kind] {
    get { kinds.sorted { $0.rawValue < $1.rawValue } }
    set { kinds = Set(newValue) }
  }
}

extension RequestFacts: JSONShape {
  public static let empty = RequestFacts()
  public static let fields = JSONFields<RequestFacts>([
    .count("sent", \.sent), .count("not_modified", \.notModified),
    .made("retried") { $0.retried }, .count("retries_by_cause", \.retriesByWord),
    .value("bytes", \.bytes),
  ])

  private var retriesByWord: [String: Int] {
    get { Dictionary(uniqueKeysWithValues: retries.map { ($0.key.rawValue, $0.value) }) }
    set {
      for (word, count) in newValue {
        if let cause = Cause(rawValue: word), count > 0 { retries[cause] = count }
      }
    }
  }
}

extension WaitFacts: JSONShape {
  public static let empty = WaitFacts(reason: "", startedAt: .start, duration: .zero)
  public static let fields = JSONFields<WaitFacts>([
    .value("reason", \.reason), .time("started_at", \.startedAt),
    .value("seconds", \.duration.inSeconds),
  ])
}

extension QuotaFacts: JSONShape {
  public static let empty = QuotaFacts(
    name: "", allowed: 0, leftBefore: 0, leftAfter: 0, resetsAt: nil)
  public static let fields = JSONFields<QuotaFacts>([
    .value("quota", \.name), .value("allowed", \.allowed), .value("left_before", \.leftBefore),
    .value("left_after", \.leftAfter), .time("resets_at", \.resetsAt),
  ])
}

extension ImageTally: JSONShape {
  public static let empty = ImageTally()
  public static let fields = JSONFields<ImageTally>([
    .count("wanted", \.wanted), .count("from_memory", \.fromMemory),
    .count("from_disk", \.fromDisk), .count("from_network", \.fromNetwork),
    .count("same_bytes", \.sameBytes), .value("bytes", \.bytes), .value("requests", \.requests),
    .count("pending", \.pending), .count("refused", \.refused),
    .nullable("stopped_because", \.stoppedBecause),
  ])
}

extension RejectSample: JSONShape {
  public static let empty = RejectSample(table: "", path: "", reason: "", raw: "")
  public static let fields = JSONFields<RejectSample>([
    .value("table", \.table), .value("path", \.path), .value("reason", \.reason),
    .value("raw", \.raw),
  ])
}

extension WatchFacts: JSONShape {
  public static let empty = WatchFacts(name: "")
  public static let fields = JSONFields<WatchFacts>([
    .value("watch", \.name), .count("new", \.new), .count("changed", \.changed),
    .value("rows", \.rows), .value("note", \.note), .nullable("problem", \.problem),
    .value("output", \.output),
  ])
}
