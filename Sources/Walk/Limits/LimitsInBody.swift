public import Base

/// What an answer's body says about limits, where the job declares them.
public struct LimitsInBody: Sendable, Equatable {
  public let quota: String
  /// How much is left of it.
  public let left: Int?
  /// How long to make no request; at least a second, since it began at an unknown instant.
  public let pause: Duration?

  public static func read(_ answer: Answer, of quotas: [Quota]) -> [LimitsInBody] {
    let telling = quotas.filter { $0.left != nil || $0.pause != nil }
    guard !telling.isEmpty, let root = AnswerBody(answer).document?.root else { return [] }
    return telling.compactMap { quota in
      let left = quota.left.flatMap { LimitSigns.count(number($0, in: root)) }
      let asked = quota.pause.flatMap { number($0, in: root) }
        .flatMap { LimitSigns.delay($0, at: answer.serverDate) }
      let pause = asked.flatMap { $0 > .zero ? $0 + .seconds(1) : nil }
      return left == nil && pause == nil
        ? nil : LimitsInBody(quota: quota.name, left: left, pause: pause)
    }
  }

  /// A number, or a text that contains one.
  private static func number(_ path: JSONPath, in root: JSONValue) -> String? {
    path.first(in: root).flatMap { $0.rawNumber ?? $0.string }
  }
}
