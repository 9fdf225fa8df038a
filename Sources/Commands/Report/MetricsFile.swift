internal import Report

/// `--metrics-file FILE`: what node_exporter's textfile collector reads. Each writing puts a whole
/// file in place; a reader never sees a half.
struct MetricsFile: Sendable {
  let path: String

  func write(_ runs: [RunMetrics]) throws(ExitReport) {
    try ReportFolder.replace(path, with: Array(MetricsText(runs).text.utf8))
  }
}
