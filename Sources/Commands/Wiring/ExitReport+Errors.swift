internal import Ledger
internal import Media
internal import Store

extension ExitReport {
  /// The exit code and the line of an error that a module threw; nil for one that is a bug.
  init?(_ error: any Error) {
    switch error {
    case let ending as ExitReport: self = ending
    case let error as StoreError: self.init(Self.status(of: error), "\(error)")
    case let error as LedgerError: self.init(Self.status(of: error), "\(error)")
    case let error as MediaError:
      let isMaking = error.action == "create" || error.action == "open"
      self.init(isMaking && error.kind != .full ? .cannotCreate : .cannotWrite, "\(error)")
    default: return nil
    }
  }

  private static func status(of error: StoreError) -> ExitStatus {
    switch error.kind {
    case .busy: .paused
    case .damaged, .newer, .foreign, .missing, .library: .damaged
    case .cannotCreate: .cannotCreate
    case .cannotWrite, .cannotRead: .cannotWrite
    case .job, .otherOrigin: .configuration
    case .bug: .bug
    }
  }

  private static func status(of error: LedgerError) -> ExitStatus {
    switch error.kind {
    case .cannotCreate: .cannotCreate
    case .cannotWrite: .cannotWrite
    case .damaged, .newer, .foreign: .damaged
    case .busy: .paused
    }
  }
}
