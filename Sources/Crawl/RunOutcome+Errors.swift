public import Base
internal import Media
internal import Store
internal import Walk

extension RunOutcome.Kind {
  /// The outcome that a module's error gives a run or command; nil for a bug.
  public init?(_ error: any Error) {
    switch error {
    case let error as StoreError: self.init(error)
    case let error as LedgerError: self.init(error)
    case let error as MediaError:
      let isMaking = error.action == "create" || error.action == "open"
      self = error.outcome ?? (isMaking && error.kind != .full ? .cannotCreate : .cannotWrite)
    case is StepProblem, is ZoneProblem: self = .configuration
    case is CancellationError: self = .interrupted
    default: return nil
    }
  }

  private init(_ error: StoreError) {
    self =
      switch error.kind {
      case .busy: .paused
      case .damaged, .newer, .older, .foreign, .missing, .library: .damaged
      case .cannotCreate: .cannotCreate
      case .cannotWrite, .cannotRead: .cannotWrite
      case .job, .otherOrigin: .configuration
      case .interrupted: .interrupted
      case .bug: .bug
      }
  }

  private init(_ error: LedgerError) {
    self =
      switch error.kind {
      case .cannotCreate: .cannotCreate
      case .cannotWrite: .cannotWrite
      case .damaged, .newer, .foreign: .damaged
      case .busy, .unclaimed: .paused
      }
  }
}
