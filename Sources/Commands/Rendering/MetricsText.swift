internal import Base

/// A run as shown by the metrics.
struct RunMetrics: Sendable {
  var facts: RunFacts
  var exitCode: Int
  /// When the job last ended with 0, unless all its lists failed; this run, if it did.
  var lastSuccess: Instant?
}

/// Prometheus's text format. Each metric appears once, with all its jobs, as the format requires.
struct MetricsText {
  private let runs: [RunMetrics]
  /// Samples of jobs without a run now, from the file that is replaced.
  private let kept: [String]

  init(_ runs: [RunMetrics], keeping kept: [String] = []) {
    self.runs = runs.sorted { $0.facts.job < $1.facts.job }
    self.kept = kept
  }

  static let beginning = "# HELP trawl_"

  var text: String {
    var out = ""
    func metric(_ name: String, _ help: String, _ samples: (RunMetrics) -> [Sample]) {
      let new = runs.flatMap { run in
        samples(run).map { labels, value in
          let all = [("job_name", run.facts.job)] + labels
          let text = all.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
          return "trawl_\(name){\(text)} \(value)"
        }
      }
      let lines = new + kept.filter { $0.hasPrefix("trawl_\(name){") }
      guard !lines.isEmpty else { return }
      out += "\(Self.beginning)\(name) \(help)\n# TYPE trawl_\(name) gauge\n"
      out += lines.joined(separator: "\n") + "\n"
    }
    func one(_ name: String, _ help: String, _ value: (RunMetrics) -> String?) {
      metric(name, help) { run in value(run).map { [([], $0)] } ?? [] }
    }
    one("last_run_timestamp_seconds", "When the last run ended.") {
      "\($0.facts.endedAt.seconds)"
    }
    one(
      "last_success_timestamp_seconds",
      "When a run last ended with exit code 0, unless all its lists failed."
    ) { $0.lastSuccess.map { "\($0.seconds)" } }
    one("run_duration_seconds", "How long the last run took.") {
      Self.number($0.facts.duration.inSeconds)
    }
    one("run_exit_code", "Exit code of the last run.") { "\($0.exitCode)" }
    metric("run_records", "Records of the last run by what became of them.") {
      Self.outcomes($0.facts)
    }
    one("run_vanished", "Records that the last run marked as gone.") {
      "\($0.facts.sum(\.gone))"
    }
    one("run_rejects", "Records and values that did not fit in the last run.") {
      "\($0.facts.rejectCount)"
    }
    one("run_requests", "Requests to the API in the last run.") { "\($0.facts.requests.sent)" }
    metric("run_retries", "Requests that were retried, by cause.") { run in
      Cause.allCases.map { ([("cause", $0.rawValue)], "\(run.facts.requests.retries[$0] ?? 0)") }
    }
    one("run_waited_seconds", "Time spent waiting for limits in the last run.") {
      Self.number($0.facts.requests.waited.inSeconds)
    }
    one("run_images", "Images fetched in the last run.") { "\($0.facts.images.fromNetwork)" }
    metric("run_lists", "Lists of the last run by verdict.") { run in
      Verdict.allCases.map { ([("verdict", $0.rawValue)], "\(run.facts.lists($0))") }
    }
    one("run_lists_as_declared_ratio", "Share of the lists that are as declared.") { run in
      let groups = run.facts.groups
      if groups.isEmpty { return nil }
      let declared = groups.reduce(0) { $0 + ($1.isAsDeclared ? $1.lists : 0) }
      return Self.number(Double(declared) / Double(run.facts.listCount))
    }
    metric("coverage_ratio", "Share of a list's range of time that is covered.") { run in
      run.facts.coverage.map {
        ([("stream", $0.stream), ("list", $0.listName)], Self.number($0.share))
      }
    }
    metric("quota_left", "What the last run left of each quota.") { run in
      run.facts.quotas.map { ([("quota", $0.name)], "\($0.leftAfter)") }
    }
    metric("quota_allowed", "The size of each quota.") { run in
      run.facts.quotas.map { ([("quota", $0.name)], "\($0.allowed)") }
    }
    return out
  }

  private typealias Sample = ([(String, String)], String)

  private static func outcomes(_ facts: RunFacts) -> [Sample] {
    let counts = facts.counts
    return [
      ("new", facts.sum(\.new)), ("changed", facts.sum(\.changed)), ("unchanged", counts.unchanged),
      ("repeated", counts.repeated), ("dropped", counts.dropped), ("rejected", counts.rejected),
    ].map { ([("outcome", $0)], "\($1)") }
  }

  /// Three decimals are more than graphs show.
  private static func number(_ value: Double) -> String {
    "\((value * 1000).rounded() / 1000)"
  }

  static func escaped(_ text: String) -> String {
    // By bytes: a mark may join a quote, and CR a line end.
    var bytes = Array(text.utf8)
    for (plain, escape) in [("\\", "\\\\"), ("\"", "\\\""), ("\n", "\\n")] {
      bytes.replace(plain.utf8, with: escape.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
