internal import Base
internal import Crawl
internal import Transport

/// Ends a command: the exit code, and the text for stderr.
struct ExitReport: Error, Sendable, Equatable, CustomStringConvertible {
  var status: ExitStatus
  /// The first line says what happened, the others what to do.
  var lines: [String]

  init(_ status: ExitStatus, _ lines: String...) { self.init(status, lines: lines) }

  init(_ status: ExitStatus, lines: [String]) { (self.status, self.lines) = (status, lines) }

  var description: String { lines.joined(separator: "; ") }

  /// The first line follows the program's name.
  func tell(on console: Console) {
    if let first = lines.first { console.fail("\(first)") }
    for line in lines.dropFirst() { console.tell("\(line)", .error) }
  }
}

extension ExitReport {
  /// The exit code and lines for a module's error; nil: a bug.
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
