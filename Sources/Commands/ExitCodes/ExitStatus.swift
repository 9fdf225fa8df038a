internal import Base

/// Exit codes. Scripts and unit files rely on the numbers; unknown ones are failures.
enum ExitStatus: Int32, CaseIterable, Sendable {
  case complete = 0
  case failed = 1
  case less = 3
  case found = 4
  case usage = 64
  case damaged = 65
  case unreachable = 69
  case bug = 70
  case cannotCreate = 73
  case cannotWrite = 74
  case paused = 75
  case secret = 77
  case configuration = 78

  var code: Int32 { rawValue }

  /// Its text in the table of exit codes.
  var meaning: String {
    switch self {
    case .complete: "success: no list is newly less than it was"
    case .failed: "a list failed, and no list of its stream was ever read"
    case .less:
      "a list is newly less than it was or than expected, or records were rejected; reported once"
    case .found: "a check found what it looks for"
    case .usage: "wrong command line; nothing was done"
    case .damaged:
      "database or ledger damaged, newer than this Trawl, or not its own; nothing changed"
    case .unreachable: "the API is unreachable or unhealthy, or there is no network"
    case .bug: "a bug in Trawl"
    case .cannotCreate: "a file or folder cannot be created"
    case .cannotWrite:
      "an output cannot be written: disk full, I/O error, or a file was moved"
    case .paused:
      "paused by a limit, a budget or another run of the job; the same command resumes"
    case .secret: "a secret is missing, refused, or bound to another origin"
    case .configuration: "a job file or a setting is wrong"
    }
  }

  /// Worst first: of several outcomes the one that most needs a person decides.
  static let fromWorst: [ExitStatus] = [
    .bug, .damaged, .cannotWrite, .cannotCreate, .secret, .configuration, .usage, .unreachable,
    .failed, .paused, .less, .found, .complete,
  ]

  /// The exit code for several outcomes; none is a success.
  static func worst(of endings: some Sequence<ExitStatus>) -> ExitStatus {
    let all = Set(endings)
    return fromWorst.first(where: all.contains) ?? .complete
  }

  /// The outcome of a run with this code; nil for codes of other commands.
  var kind: RunOutcome.Kind? {
    RunOutcome.Kind.allCases.first { $0 != .interrupted && ExitStatus($0) == self }
  }

  /// The code of a run's outcome. An interrupted run has kept its work and will resume; its process ends by the signal,
  /// which the shell sees instead.
  init(_ kind: RunOutcome.Kind) {
    self =
      switch kind {
      case .asDeclared: .complete
      case .failed: .failed
      case .lessThanDeclared: .less
      case .paused, .interrupted: .paused
      case .unreachable: .unreachable
      case .secret: .secret
      case .configuration: .configuration
      case .damaged: .damaged
      case .cannotCreate: .cannotCreate
      case .cannotWrite: .cannotWrite
      case .bug: .bug
      }
  }
}
