public import Base

/// What a certificate did to the tables.
public struct CertifiedUnit: Sendable, Equatable {
  /// Memberships (or rows, without a membership table) that are marked as gone.
  public var vanished: Int
  /// Too many looked gone to believe it; nothing was marked. Accept them to mark them.
  public var withheld: Int
  /// Present in the list now.
  public var rows: Int
  /// Less than the list was, and no run has told so.
  public var isNewShortfall: Bool
  /// The next walk may fare better: it was read once, or another list of its stream.
  public var mayHeal: Bool
  /// As it is stored: less than the walk's own where rows of earlier walks are withheld.
  public var certificate: Certificate

  /// Reasons for the run's own outcome. A list that was never read is failed each time; what may heal is
  /// told once.
  public var kinds: Set<RunOutcome.Kind> {
    switch certificate.verdict {
    case .paused: [.paused]
    case .failed where !mayHeal: [.failed]
    default: isNewShortfall ? [.lessThanDeclared] : []
    }
  }
}
