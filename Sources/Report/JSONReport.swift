public import Base

/// A run's facts as JSON, as `jobs/report.schema.json` describes it: stable order, wall-clock facts in one
/// block at the end, so that two runs of the same data differ there alone.
public struct JSONReport {
  let facts: RunFacts
  /// Which of the lists are named, in their order.
  private let named: [Int]
  private let cut: ReportCut

  public init(_ facts: RunFacts) {
    self.facts = facts
    cut = ReportCut(facts)
    named = cut.lists
  }

  public func bytes(pretty: Bool = true) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty)
    writer.object { out in
      out.member("schema", RunFacts.schema)
      out.member("job", facts.job)
      out.member("command", facts.command)
      out.array("arguments") { out in
        for argument in facts.arguments { out.string(argument) }
      }
      out.member("origin", facts.origin)
      out.object("outcome") { out in
        out.array("kinds") { out in
          for kind in facts.outcome.kinds.map(\.rawValue).sorted() { out.string(kind) }
        }
        out.member("sentence", facts.outcome.sentence)
      }
      out.object("counts") { out in
        Self.write(facts.counts, to: &out)
        out.member("vanished", facts.vanished)
      }
      Self.write(facts.forecast, to: &out)
      out.array("lists") { out in
        for index in named { out.object { JSONReport.write(facts.units[index], to: &$0) } }
      }
      Self.strings("resting", facts.resting, to: &out)
      if named.count < facts.listCount {
        out.member("lists_left_out", facts.listCount - named.count)
        out.array("list_groups") { out in
          for group in facts.groups { out.object { JSONReport.write(group, to: &$0) } }
        }
      }
      out.object("requests") { writeRequests(to: &$0) }
      out.object("images") { writeImages(to: &$0) }
      out.array("coverage") { out in
        for index in cut.coverage {
          out.object { JSONReport.write(facts.coverage[index], to: &$0) }
        }
      }
      if cut.coverage.count < facts.coverage.count {
        out.member("coverage_left_out", facts.coverage.count - cut.coverage.count)
      }
      out.member("reject_count", facts.rejectCount)
      out.array("rejects") { out in
        for reject in facts.rejects { out.object { write(reject, to: &$0) } }
      }
      Self.strings("migrations", facts.migrations, to: &out)
      Self.strings("warnings", ReportCut.sentences(facts.warnings), to: &out)
      Self.strings("story", ReportCut.sentences(facts.story), to: &out)
      out.array("changes") { out in
        for table in facts.changes { out.object { table.write(to: &$0) } }
      }
      out.array("watches") { out in
        for watch in facts.watches { out.object { write(watch, to: &$0) } }
      }
      Self.strings("next_steps", facts.nextSteps.map(\.sentence), to: &out)
      out.member("needs_person", facts.needsPerson)
      out.object("wall_clock") { writeWallClock(to: &$0) }
    }
    writer.newline()
    return writer.bytes
  }

  static func strings(_ name: String, _ values: [String], to out: inout JSONWriter) {
    out.array(name) { out in
      for value in values { out.string(value) }
    }
  }

  static func write(_ counts: Counts, to out: inout JSONWriter) {
    out.member("received", counts.received)
    out.member("new", counts.new)
    out.member("changed", counts.changed)
    out.member("unchanged", counts.unchanged)
    out.member("repeated", counts.repeated)
    out.member("dropped", counts.dropped)
    out.member("rejected", counts.rejected)
  }

  private func writeRequests(to out: inout JSONWriter) {
    let requests = facts.requests
    out.member("sent", requests.sent)
    out.member("not_modified", requests.notModified)
    out.member("retried", requests.retried)
    out.object("retries_by_cause") { out in
      for cause in Cause.allCases {
        if let count = requests.retries[cause] { out.member(cause.rawValue, count) }
      }
    }
    out.member("bytes", requests.bytes)
  }

  private func writeImages(to out: inout JSONWriter) {
    let images = facts.images
    out.member("wanted", images.wanted)
    out.member("from_memory", images.fromMemory)
    out.member("from_disk", images.fromDisk)
    out.member("from_network", images.fromNetwork)
    out.member("same_bytes", images.sameBytes)
    out.member("bytes", images.bytes)
    out.member("requests", images.requests)
    out.member("pending", images.pending)
    out.object("refused") { out in
      for (reason, count) in images.refused.sorted(by: { $0.key < $1.key }) {
        out.member(reason, count)
      }
    }
    out.member("stopped_because", images.stoppedBecause)
  }

  private func write(_ watch: WatchFacts, to out: inout JSONWriter) {
    out.member("watch", watch.name)
    out.member("new", watch.new)
    out.member("changed", watch.changed)
    Self.strings("rows", watch.rows, to: &out)
    out.member("note", watch.note)
    out.member("problem", watch.problem)
    out.member("output", watch.output)
  }

  private func write(_ reject: RejectSample, to out: inout JSONWriter) {
    out.member("table", reject.table)
    out.member("path", reject.path)
    out.member("reason", reject.reason)
    out.member("raw", reject.raw)
  }

  /// All that differs between two equal runs: the run's name, instants, waits, quotas.
  private func writeWallClock(to out: inout JSONWriter) {
    out.member("run", facts.run)
    out.member("started_at", facts.startedAt.description)
    out.member("ended_at", facts.endedAt.description)
    out.member("seconds", facts.duration.inSeconds)
    out.member("clock_offset_seconds", facts.clockOffset?.inSeconds)
    out.array("waits") { out in
      for wait in cut.waits {
        out.object { out in
          out.member("reason", wait.reason)
          out.member("started_at", wait.startedAt.description)
          out.member("seconds", wait.duration.inSeconds)
        }
      }
    }
    if cut.waits.count < facts.requests.waits.count {
      out.object("waits_left_out") { out in
        out.member("count", facts.requests.waits.count - cut.waits.count)
        let named = cut.waits.reduce(Duration.zero) { $0 + $1.duration }
        out.member("seconds", (facts.requests.waited - named).inSeconds)
      }
    }
    out.array("resumes_at") { out in
      for (index, place) in named.enumerated() {
        guard let instant = facts.units[place].certificate.goesOnAt else { continue }
        out.object { out in
          out.member("index", index)
          out.member("at", instant.description)
        }
      }
    }
    out.array("quotas") { out in
      for quota in facts.quotas {
        out.object { out in
          out.member("quota", quota.name)
          out.member("allowed", quota.allowed)
          out.member("left_before", quota.leftBefore)
          out.member("left_after", quota.leftAfter)
          out.member("resets_at", quota.resetsAt?.description)
        }
      }
    }
  }
}
