internal import Base
internal import Crawl

extension ExitReport {
  /// The exit code and the line of an error that a module threw; nil for one that is a bug.
  init?(_ error: any Error) {
    if let report = error as? ExitReport {
      self = report
    } else if let kind = RunOutcome.Kind(error) {
      self.init(ExitStatus(kind), "\(error)")
    } else {
      return nil
    }
  }
}
