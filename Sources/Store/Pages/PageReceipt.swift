public import Base

/// The facts of a page besides its records.
public struct PageFacts: Sendable {
  var status: Int
  /// Parameters of this page only, beyond the unit's own and those it was opened with.
  var parameters: [ParameterValue]
  /// Values of a parent stream that this page answers, whether it has their records or not.
  var asked: [String]
  /// Signs that only show when the answer is compared with its walk.
  public var signs: [UnreadSign] = []

  public init(
    status: Int = 200, parameters: [ParameterValue] = [], asked: [String] = []
  ) {
    (self.status, self.parameters, self.asked) = (status, parameters, asked)
  }
}

/// What happened to a page, after its commit.
public struct PageReceipt: Sendable {
  public var summary: PageSummary
  public var images = ImageWants()
  /// Columns that the page added to the table.
  public var found: [String] = []
  /// Values that the page was requested for and that its answer left out.
  public var leftOut = LeftOut()
}
