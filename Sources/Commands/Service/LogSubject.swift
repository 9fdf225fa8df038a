internal import Base

/// What a line of the log is about. In the journal each part is a field, so that
/// `journalctl JOB=github` finds it.
struct LogSubject: Sendable, Equatable {
  var job: String?
  var run: String?
  var stream: String?

  /// About no job in particular.
  static let none = LogSubject()
}

extension RunEvent {
  /// The unit that it is about, if it is about one.
  var label: UnitLabel? {
    switch self {
    case .unitStarted(let label), .unitResumed(let label, _), .pageStored(let label, _, _, _),
      .totalKnown(let label, _, _, _):
      label
    case .waiting(let label, _, _), .waitEnded(let label), .warning(let label, _): label
    case .unitConcluded(let facts): facts.label
    case .runStarted, .images, .runConcluded: nil
    }
  }
}

extension UnitFacts {
  var label: UnitLabel { UnitLabel(stream: stream, listName: listName) }
}
