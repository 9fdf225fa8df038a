internal import Base
internal import Crawl
internal import Transport

/// Ends a command: the exit code, and what is said on stderr first.
struct ExitReport: Error, Sendable, Equatable, CustomStringConvertible {
  var status: ExitStatus
  /// Lines for a person; the first says what happened, the others what to do.
  var lines: [String]

  init(_ status: ExitStatus, _ lines: String...) {
    self.status = status
    self.lines = lines
  }

  init(_ status: ExitStatus, lines: [String]) {
    self.status = status
    self.lines = lines
  }

  var description: String { lines.joined(separator: "; ") }

  /// What happened with the program's name before it, and what to do below.
  func tell(on console: Console, about subject: LogSubject = .none) {
    if let first = lines.first { console.fail("\(first)", about: subject) }
    for line in lines.dropFirst() { console.tell("\(line)", .error, about: subject) }
  }
}

extension ExitReport {
  /// The exit code and the line of an error that a module threw; nil for one that is a bug.
  init?(_ error: any Error) {
    if let report = error as? ExitReport {
      self = report
    } else if error is TransportShortage {
      self.init(.cannotWrite, "\(error)", ThreadLimit.cure)
    } else if let kind = RunOutcome.Kind(error) {
      self.init(ExitStatus(kind), "\(error)")
    } else {
      return nil
    }
  }
}
