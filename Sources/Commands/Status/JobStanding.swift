internal import Base
internal import Crawl
internal import Store

/// A job's state in one word; cases are ordered worst first.
enum JobStanding: String, Sendable, CaseIterable, Comparable {
  /// Its file cannot be used, whatever its last run did.
  case broken
  /// It could not be read, or more than a list is short, and a person must act.
  case failed
  /// Its last complete end is older than required.
  case late
  /// Its last run was killed or lost to a power cut.
  case cutOff = "cut off"
  /// A list is less than declared or than before.
  case incomplete
  /// Its last run failed; the next one tries again.
  case unreachable
  /// A limit, a budget or a signal stopped its last run.
  case paused
  /// Not read for long. Nothing is late, as it has no timer.
  case outOfDate = "out of date"
  case running
  case upToDate = "up to date"
  /// It lacks a value for any request and has no list yet.
  case idle
  case neverRan = "never ran"

  static func < (one: JobStanding, other: JobStanding) -> Bool {
    (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
  }

  /// - Parameter urgent: the steps that need a person.
  fileprivate static func of(_ status: JobStatus, urgent: [NextStep]) -> JobStanding {
    if status.runner != nil { return .running }
    if status.fileProblem != nil { return .broken }
    if status.overview.lists.isEmpty, status.needs != nil { return .idle }
    guard let run = status.overview.lastRun else { return .neverRan }
    guard run.endedAt != nil else { return .cutOff }
    let verdicts = Set(status.overview.lists.map(\.verdict))
    let exit = run.exit
    let isUnread = ![.complete, .less, .paused].contains(exit) || verdicts.contains("failed")
    if isUnread { return urgent.isEmpty ? .unreachable : .failed }
    if urgent.contains(where: { $0.trouble?.isOfLessList != true }) { return .failed }
    if !status.late.isEmpty { return .late }
    if !urgent.isEmpty { return .incomplete }
    if exit == .paused { return .paused }
    if !verdicts.isDisjoint(with: ["incomplete", "void"]) || exit == .less || status.isLess {
      return .incomplete
    }
    if verdicts.contains("paused") { return .paused }
    let isOld = status.telling?.old(over: nil, isOnTimer: true).isEmpty == false
    return isOld ? .outOfDate : .upToDate
  }

  var style: ConsoleText.Style {
    switch self {
    case .broken, .failed: .red
    case .late, .cutOff, .incomplete, .unreachable, .paused: .yellow
    case .running, .upToDate: .green
    case .outOfDate, .idle, .neverRan: .dim
    }
  }
}

/// A job with the conclusions from its state, drawn once and not in each comparison. A class, as jobs are sorted and
/// counted, and copies are large.
final class JudgedJob: Sendable {
  let status: JobStatus
  let nextSteps: [NextStep]
  let needsPerson: Bool
  let standing: JobStanding

  init(_ status: JobStatus) {
    self.status = status
    nextSteps = status.nextSteps
    needsPerson = nextSteps.contains(where: \.needsPerson)
    standing = JobStanding.of(status, urgent: nextSteps.filter(\.needsPerson))
  }

  var overview: JobOverview { status.overview }

  /// Its trouble may pass by itself.
  var heals: Bool {
    let troubles = nextSteps.compactMap(\.trouble)
    return !troubles.isEmpty && !troubles.contains(where: \.isOfJobFile)
  }
}

extension [JudgedJob] {
  var worstFirst: [JudgedJob] {
    sorted {
      if $0.needsPerson != $1.needsPerson { return $0.needsPerson }
      return $0.standing == $1.standing
        ? $0.overview.job < $1.overview.job : $0.standing < $1.standing
    }
  }

  /// Each quota once with the paused jobs that wait for it; those with such jobs first.
  var quotas: [(quota: QuotaLedger.Left, waiting: [String])] {
    var lines: [(quota: QuotaLedger.Left, waiting: [String])] = []
    for job in self {
      for quota in job.status.quotas {
        let waits = job.standing == .paused && (quota.left <= 0 || quota.blockedWhy != nil)
        let waiting = waits ? [job.overview.job] : []
        if let at = lines.firstIndex(where: { $0.quota.key == quota.key }) {
          lines[at].waiting += waiting
        } else {
          lines.append((quota, waiting))
        }
      }
    }
    return lines.filter { !$0.waiting.isEmpty } + lines.filter(\.waiting.isEmpty)
  }
}
