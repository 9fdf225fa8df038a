public import Base

/// Why a stored report cannot be read.
public struct ReportReadingError: Error, Sendable, CustomStringConvertible {
  public let description: String
}

extension RunFacts {
  /// Reads a stored report back, so that its text can be written again. The chart's single requests are
  /// not kept in the report and stay out.
  public init(report bytes: [UInt8]) throws(ReportReadingError) {
    let document: JSONDocument
    do { document = try JSONDocument.read(bytes) } catch {
      throw ReportReadingError(description: "it is no JSON: \(error)")
    }
    let root = document.root
    guard let schema = root["schema"]?.integer else {
      throw ReportReadingError(description: "it is no report of Trawl's: it names no schema")
    }
    guard schema <= RunFacts.schema else {
      throw ReportReadingError(description: "it was written by a newer Trawl (schema \(schema))")
    }
    let clock = root["wall_clock"]
    self.init(
      run: clock.text("run"), job: root.text("job"), command: root.text("command"),
      arguments: root.texts("arguments"), origin: root.text("origin"),
      startedAt: clock.instant("started_at") ?? Instant(seconds: 0))
    endedAt = clock.instant("ended_at") ?? startedAt
    duration = .seconds(clock?["seconds"]?.real ?? 0)
    clockOffset = clock?["clock_offset_seconds"]?.real.map { .milliseconds(Int64($0 * 1000)) }
    let kinds = (root["outcome"].texts("kinds")).compactMap { RunOutcome.Kind(rawValue: $0) }
    outcome = RunOutcome(kinds: Set(kinds), sentence: root["outcome"].text("sentence"))
    units = root["lists"]?.elements.map(UnitFacts.init(report:)) ?? []
    resting = root.texts("resting")
    stored = Counts(report: root["counts"])
    storedGroups = root["list_groups"]?.elements.map(ListGroup.init(report:)) ?? []
    for pause in clock?["resumes_at"]?.elements.map({ $0 }) ?? [] {
      let index = pause.number("index")
      guard units.indices.contains(index) else { continue }
      units[index].certificate.goesOnAt = Optional(pause).instant("at")
    }
    requests = RequestFacts(report: root["requests"], clock: clock)
    images = ImageTally(report: root["images"])
    quotas = (clock?["quotas"]?.elements.map(QuotaFacts.init(report:))) ?? []
    rejects =
      root["rejects"]?.elements.map {
        RejectSample(
          table: $0.text("table"), path: $0.text("path"), reason: $0.text("reason"),
          raw: $0.text("raw"))
      } ?? []
    rejectCount = root.number("reject_count")
    coverage = root["coverage"]?.elements.compactMap(CoverageFacts.init(report:)) ?? []
    forecast = Forecast(report: root["forecast"])
    migrations = root.texts("migrations")
    warnings = root.texts("warnings")
    story = root.texts("story")
    changes = root["changes"]?.elements.map(TableChanges.init(report:)) ?? []
    watches = root["watches"]?.elements.map(WatchFacts.init(report:)) ?? []
    nextSteps = root.texts("next_steps").map { NextStep($0) }
    if root["needs_person"]?.boolean == true, !nextSteps.isEmpty { nextSteps[0].needsPerson = true }
  }
}

extension WatchFacts {
  fileprivate init(report value: JSONValue) {
    self.init(name: value.text("watch"))
    new = value.number("new")
    changed = value.number("changed")
    rows = value.texts("rows")
    note = value.text("note")
    problem = value["problem"]?.string
    output = value.text("output")
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
    unnamedWaits = .seconds(clock?["waits_left_out"]?["seconds"]?.real ?? 0)
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
      name: value.text("quota"), allowed: value.number("allowed"),
      leftBefore: value.number("left_before"), leftAfter: value.number("left_after"),
      resetsAt: Optional(value).instant("resets_at"))
  }
}
