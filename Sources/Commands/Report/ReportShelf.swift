internal import Glibc
internal import Base

/// The stored reports: `reports/<job>/<run>.json`.
struct ReportShelf: Sendable {
  struct Found: Sendable, Equatable {
    var job: String
    var run: String
    var path: String

    /// The page lies beside the facts.
    var page: String { "\(path.dropLast(".json".count)).html" }
  }

  let folder: String

  /// A report is some hundred KB; more than this is none of ours.
  static let bytesMax = 64_000_000

  /// The last run of all jobs or of one, or the run of that name.
  func find(_ word: String?) throws(ExitReport) -> Found {
    let jobs = jobs
    guard let word else {
      guard let last = jobs.compactMap(last).max(by: { $0.run < $1.run }) else { throw none() }
      return last
    }
    if jobs.contains(word), let last = last(of: word) { return last }
    // `github/20261121T141207Z`, or the run alone, as `status --json` names it.
    let parts = word.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let run = parts.last ?? word
    let places = parts.count == 2 ? [parts[0]] : jobs
    for job in places where jobs.contains(job) && runs(of: job).contains(run) {
      return found(job, run)
    }
    throw ExitReport(
      .usage, "there is no report of \"\(word)\" in \(folder)",
      jobs.isEmpty
        ? "every run writes one: trawl run JOB"
        : "there are reports of: \(jobs.sorted().joined(separator: ", "))")
  }

  /// The folders of jobs; the index lies beside them.
  var jobs: [String] {
    Self.entries(of: folder).filter { !$0.hasPrefix(".") && !$0.hasSuffix(".html") }
  }

  /// What can be asked for: jobs, then the newest runs of each.
  var words: [String] {
    let jobs = jobs.sorted()
    return jobs + jobs.flatMap { runs(of: $0).sorted().suffix(Self.wordsMax).reversed() }
  }

  private static let wordsMax = 20

  func read(_ found: Found) throws(ExitReport) -> [UInt8] {
    let file = open(found.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw ExitReport(
        .damaged, "\(found.path) cannot be read: \(SystemError.latest)")
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= Self.bytesMax {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    throw ExitReport(.damaged, "\(found.path) cannot be read whole")
  }

  private func none() -> ExitReport {
    ExitReport(.usage, "there is no report in \(folder) yet", "every run writes one: trawl run JOB")
  }

  /// Names are instants, so their order is the order of the runs.
  private func last(of job: String) -> Found? { runs(of: job).max().map { found(job, $0) } }

  private func found(_ job: String, _ run: String) -> Found {
    Found(job: job, run: run, path: "\(folder)/\(job)/\(run).json")
  }

  private func runs(of job: String) -> [String] {
    Self.entries(of: "\(folder)/\(job)").filter { $0.hasSuffix(".json") }
      .map { String($0.dropLast(5)) }
  }

  /// At most 10,000 names; none where there is no folder.
  static func entries(of path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < 10_000, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
