/// How a run ended.
public struct RunOutcome: Sendable, Equatable {
  /// The exit code's reason; the worst of several decides. `lessThanDeclared` is 3: `ListCourse.note` says when.
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
