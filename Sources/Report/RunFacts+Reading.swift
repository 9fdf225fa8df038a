internal import JSON
public import Model

/// Why a stored report cannot be read.
public struct ReportReadingError: Error, Sendable, CustomStringConvertible {
  public let description: String
}

extension RunFacts {
  /// Reads a stored report back, so that its text can be written again. What an older version did
  /// not write is empty; the chart's single requests are not kept in the report and stay out.
  public init(report bytes: [UInt8]) throws(ReportReadingError) {
    let document: JSONDocument
    do { document = try JSONDocument.read(bytes) } catch {
      throw ReportReadingError(description: "it is no JSON: \(error)")
    }
    let root = document.root
    guard let version = root["version"]?.integer else {
      throw ReportReadingError(description: "it is no report of Trawl's: it names no version")
    }
    guard version <= RunFacts.version else {
      throw ReportReadingError(
        description: "it was written by a newer Trawl (version \(version) of the form)")
    }
    let clock = root["wall_clock"]
    self.init(
      run: clock.text("run"), job: root.text("job"), command: root.text("command"),
      arguments: root.texts("arguments"), origin: root.text("origin"),
      startedAt: clock.instant("started_at") ?? Instant(seconds: 0))
    endedAt = clock.instant("ended_at") ?? startedAt
    duration = .seconds(clock?["seconds"]?.real ?? 0)
    let kinds = (root["outcome"].texts("kinds")).compactMap { RunOutcome.Kind(rawValue: $0) }
    outcome = RunOutcome(kinds: Set(kinds), sentence: root["outcome"].text("sentence"))
    units = (root["units"]?.elements.map(UnitFacts.init(report:))) ?? []
    requests = RequestFacts(report: root["requests"], clock: clock)
    images = ImageTally(report: root["images"])
    quotas = (clock?["quotas"]?.elements.map(QuotaFacts.init(report:))) ?? []
    rejects =
      root["rejects"]?.elements.map {
        RejectSample(
          table: $0.text("table"), path: $0.text("path"), reason: $0.text("reason"),
          raw: $0.text("raw"))
      } ?? []
    migrations = root.texts("migrations")
    warnings = root.texts("warnings")
    story = root.texts("story")
    nextSteps = root.texts("next_steps")
  }
}

extension UnitFacts {
  fileprivate init(report value: JSONValue) {
    var counts = Counts()
    counts.new = value["counts"].number("new")
    counts.changed = value["counts"].number("changed")
    counts.unchanged = value["counts"].number("unchanged")
    counts.repeated = value["counts"].number("repeated")
    counts.dropped = value["counts"].number("dropped")
    counts.rejected = value["counts"].number("rejected")
    let certificate = Certificate(
      verdict: Verdict(rawValue: value.text("verdict")) ?? .failed,
      rule: StopRule(rawValue: value.text("rule")) ?? .failure, why: value.text("why"),
      pages: value.number("pages"), counts: counts, distinctKeys: value.number("distinct_keys"),
      firstTotal: value["first_total"]?.integer.map { Int($0) },
      lastTotal: value["last_total"]?.integer.map { Int($0) },
      trust: Total.Trust(rawValue: value.text("total_is")),
      hasMoved: value["moved"]?.boolean ?? false, isAsDeclared: value["as_declared"]?.boolean)
    var window: TimeWindow?
    if let from = Optional(value).instant("from"), let to = Optional(value).instant("to") {
      window = TimeWindow(from: from, to: to)
    }
    self.init(
      stream: value.text("stream"), table: value.text("table"), foundBy: value.text("found_by"),
      parameterText: value.text("parameters"), window: window, certificate: certificate,
      isAsDeclared: certificate.isAsDeclared,
      isNewlyLess: value["newly_less"]?.boolean ?? false, requests: value.number("requests"),
      duration: .zero, newSamples: value.texts("new_samples"))
  }
}

extension RequestFacts {
  fileprivate init(report value: JSONValue?, clock: JSONValue?) {
    self.init()
    sent = value.number("sent")
    notModified = value.number("not_modified")
    bytes = value.number("bytes")
    for cause in Cause.allCases {
      let count = value?["retries_by_cause"].number(cause.rawValue) ?? 0
      if count > 0 { retries[cause] = count }
    }
    waits =
      clock?["waits"]?.elements.map {
        WaitFacts(
          reason: $0.text("reason"),
          startedAt: Optional($0).instant("started_at") ?? Instant(seconds: 0),
          duration: .seconds($0["seconds"]?.real ?? 0))
      } ?? []
  }
}

extension ImageTally {
  fileprivate init(report value: JSONValue?) {
    self.init()
    wanted = value.number("wanted")
    fromMemory = value.number("from_memory")
    fromDisk = value.number("from_disk")
    fromNetwork = value.number("from_network")
    sameBytes = value.number("same_bytes")
    bytes = value.number("bytes")
    requests = value.number("requests")
    pending = value.number("pending")
    if let reasons = value?["refused"]?.members {
      for member in reasons {
        refused[member.key.string ?? ""] = member.value.integer.map { Int($0) } ?? 0
      }
    }
    stoppedBecause = value?["stopped_because"]?.string
  }
}

extension QuotaFacts {
  fileprivate init(report value: JSONValue) {
    self.init(
      bucket: value.text("bucket"), allowed: value.number("allowed"),
      leftBefore: value.number("left_before"), leftAfter: value.number("left_after"),
      resetsAt: Optional(value).instant("resets_at"))
  }
}

extension JSONValue {
  fileprivate func text(_ name: String) -> String { self[name]?.string ?? "" }
  fileprivate func texts(_ name: String) -> [String] {
    self[name]?.elements.compactMap(\.string) ?? []
  }
  fileprivate func number(_ name: String) -> Int { self[name]?.integer.map { Int($0) } ?? 0 }
}

extension JSONValue? {
  fileprivate func text(_ name: String) -> String { self?.text(name) ?? "" }
  fileprivate func texts(_ name: String) -> [String] { self?.texts(name) ?? [] }
  fileprivate func number(_ name: String) -> Int { self?.number(name) ?? 0 }
  fileprivate func instant(_ name: String) -> Instant? {
    self?[name]?.string.flatMap { Instant(rfc3339: $0) }
  }
}
