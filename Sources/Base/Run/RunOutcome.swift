/// How a run ended.
public struct RunOutcome: Sendable, Equatable {
  /// The reason for the exit code; the worst one decides. For `lessThanDeclared` (3) see `ListCourse.note`.
  public enum Kind: String, Sendable, CaseIterable {
    case asDeclared, failed, lessThanDeclared, paused, unreachable, secret, configuration, damaged,
      cannotCreate, cannotWrite, bug, interrupted
  }

  public var kinds: Set<Kind>
  /// The outcome in words.
  public var sentence: String

  public init(kinds: Set<Kind> = [.asDeclared], sentence: String = "") {
    self.kinds = kinds
    self.sentence = sentence
  }
}
