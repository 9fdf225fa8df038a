internal import Base

/// What a log line is about. Each part is a field of the journal, for `journalctl JOB=github`.
struct LogSubject: Sendable, Equatable {
  var job: String?
  var run: String?
  var stream: String?

  /// No job in particular.
  static let none = LogSubject()
}

extension RunEvent {
  /// The unit of the event, if any.
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
