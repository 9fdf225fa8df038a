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
    (self.status, self.parameters, self.asked) = (status, parameters, asked)
  }
}

/// What became of a page once it is committed.
public struct PageReceipt: Sendable {
  public var summary: PageSummary
  public var images = ImageWants()
  /// Columns that the table got with the page.
  public var found: [String] = []
  /// Values that the page was requested for and that its answer left out.
  public var leftOut = LeftOut()
}
