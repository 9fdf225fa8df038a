internal import Base
internal import Store

/// The stored reports: `reports/<job>/<run>.json`.
struct ReportShelf: Sendable {
  struct Found: Sendable, Equatable {
    var job: String
    var run: String
    var path: String

    /// The page beside the JSON.
    var page: String { "\(path.dropLast(".json".count)).html" }
  }

  let folder: String

  /// A report has a few hundred KB; a larger file is not ours.
  static let bytesMax = 64_000_000

  /// The last run of all jobs or of one, or the run with that name.
  /// - Parameter newest: the last run that the database has; nil: none.
  func find(_ word: String?, newest: StoredRun? = nil) throws(ExitReport) -> Found {
    let jobs = jobs
    if let newest, word == nil || word == newest.job,
      runs(of: newest.job).contains(newest.run.name)
    {
      return found(newest.job, newest.run.name)
    }
    guard let word else {
      guard let last = jobs.compactMap(last).max(by: { $0.run < $1.run }) else {
        throw ExitReport(
          .usage, "there is no report in \(folder) yet", "every run writes one: trawl run JOB")
      }
      return last
    }
    if jobs.contains(word), let last = last(of: word) { return last }
    // `github/20261121T141207Z`, or the run alone, as in `status --json`.
    let parts = word.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let run = parts.last ?? word
    let places = parts.count == 2 ? [parts[0]] : jobs
    for job in places where jobs.contains(job) && runs(of: job).contains(run) {
      return found(job, run)
    }
    let others = jobs.filter { !runs(of: $0).isEmpty }
    throw ExitReport(
      .usage, "there is no report of \"\(word)\" in \(folder)",
      others.isEmpty
        ? "every run writes one: trawl run JOB"
        : "there are reports of: \(others.sorted().joined(separator: ", "))")
  }

  /// The folders of jobs; the index is beside them.
  var jobs: [String] {
    FolderNames.all(of: folder).filter { !$0.hasPrefix(".") && !$0.hasSuffix(".html") }
  }

  /// What may be named: jobs, then the newest runs of each.
  var words: [String] {
    let jobs = jobs.sorted()
    return jobs + jobs.flatMap { runs(of: $0).sorted().suffix(Self.wordsMax).reversed() }
  }

  private static let wordsMax = 20

  func read(_ found: Found) throws(ExitReport) -> [UInt8] {
    guard let bytes = FileBytes.first(Self.bytesMax + 1, of: found.path) else {
      throw ExitReport(.damaged, "\(found.path) cannot be read: \(SystemError.latest)")
    }
    guard bytes.count <= Self.bytesMax else {
      throw ExitReport(.damaged, "\(found.path) cannot be read whole")
    }
    return bytes
  }

  /// Names are instants, so their order is the order of the runs.
  private func last(of job: String) -> Found? { runs(of: job).max().map { found(job, $0) } }

  private func found(_ job: String, _ run: String) -> Found {
    Found(job: job, run: run, path: "\(folder)/\(job)/\(run).json")
  }

  func all(of job: String) -> [Found] { runs(of: job).map { found(job, $0) } }

  private func runs(of job: String) -> [String] {
    FolderNames.all(of: "\(folder)/\(job)", ending: ".json")
  }
}
