public import Base

/// The facts of a page beside its records.
public struct PageFacts: Sendable {
  var status: Int
  /// Parameters of this page alone, beyond the unit's own and those it was opened with.
  var parameters: [ParameterValue]
  /// Values of a parent feed that this page answers, whether it brought their records or not.
  var asked: [String]
  /// What shows only when the answer is held against its walk.
  public var signs: [UnreadSign] = []

  public init(
    status: Int = 200, parameters: [ParameterValue] = [], asked: [String] = []
  ) {
    self.status = status
    self.parameters = parameters
    self.asked = asked
  }
}

/// What became of a page once it is committed.
public struct PageReceipt: Sendable {
  public var summary: PageSummary
  public var images = ImageWants()
  /// Columns that the table got with the page.
  public var found: [String] = []
  /// Rejects that were not there before this page, of records and of single values.
  var newRejects = 0
  var fieldRejects = 0
  var zeroDates = 0
  /// Values that the page was requested for and that its answer left out.
  public var leftOut = LeftOut()
}

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
