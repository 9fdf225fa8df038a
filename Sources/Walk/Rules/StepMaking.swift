public import Base

/// Makes the requests of one walk: of its job, or, where a walk is derived again, of what is stored.
public protocol StepMaking: Sendable {
  func step(
    _ purpose: Step.Purpose, ordinal: Int, at cursor: Cursor
  ) throws(StepProblem) -> Step
}
