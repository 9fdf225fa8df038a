public import Base

/// What a certificate did to the tables.
public struct CertifiedUnit: Sendable, Equatable {
  /// Memberships (or rows, without a membership table) that are marked as gone.
  public var vanished: Int
  /// So many looked gone that nothing was marked. Accept them to mark them.
  public var withheld: Int
  /// Present in the list now.
  public var rows: Int
  /// Less than the list was, and no run has reported it.
  public var isNewShortfall: Bool
  /// The next walk may do better: the list, or another one of its stream, was read once.
  public var mayHeal: Bool
  /// As stored: less than the walk's own if rows of earlier walks are withheld.
  public var certificate: Certificate

  /// Reasons for the run's own outcome. A list that was never read fails each time; what may heal
  /// is reported once.
  public var kinds: Set<RunOutcome.Kind> {
    switch certificate.verdict {
    case .paused: [.paused]
    case .failed where !mayHeal: [.failed]
    default: isNewShortfall ? [.lessThanDeclared] : []
    }
  }
}
