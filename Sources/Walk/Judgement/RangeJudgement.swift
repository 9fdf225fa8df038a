public import Base

/// What may be claimed of a range that is filled: the worst of its windows, with the cause that most of
/// them have; whole where each is, since they lie side by side.
public struct RangeJudgement: Sendable {
  public struct Claim: Hashable, Sendable {
    public var verdict: Verdict
    var cause: Shortfall?
  }

  /// Windows that are less than read to their end.
  private var less: [Claim: Int] = [:]
  /// Read to their end, without a proof.
  public private(set) var unproven = 0

  public init() {}

  public mutating func note(_ verdict: Verdict, _ cause: Shortfall? = nil, windows: Int = 1) {
    guard windows > 0, verdict != .complete else { return }
    if verdict == .unproven {
      unproven += windows
    } else {
      less[Claim(verdict: verdict, cause: cause), default: 0] += windows
    }
  }

  /// How many are less than complete for another reason than a pause.
  public var lessCount: Int {
    less.filter { $0.key.verdict != .paused }.values.reduce(0, +)
  }

  public var claim: Claim {
    for verdict in Verdict.worstFirst {
      let claims = (Shortfall.allCases + [nil]).map { Claim(verdict: verdict, cause: $0) }
      let most = claims.max { less[$0] ?? 0 < less[$1] ?? 0 }
      if let most, less[most] != nil { return most }
    }
    return Claim(verdict: unproven > 0 ? .unproven : .complete)
  }

  public func certificate(
    _ rule: StopRule, _ why: String, pages: Int, counts: Counts, distinctKeys: Int, hasMoved: Bool,
    goesOnAt: Instant?
  ) -> Certificate {
    Certificate(
      verdict: claim.verdict, cause: claim.cause, rule: rule, why: why, pages: pages,
      counts: counts, distinctKeys: distinctKeys, hasMoved: hasMoved, goesOnAt: goesOnAt,
      // Each window has a proof of its own.
      proofs: claim.verdict == .complete ? [.joined] : [])
  }
}

extension Certificate {
  /// Of a window that lies further back than the API answers: it is never requested.
  public static func outOfReach(_ why: String) -> Certificate {
    Certificate(
      verdict: .limited, cause: .outOfReach, rule: .outOfReach, why: why, pages: 0,
      counts: Counts(), distinctKeys: 0)
  }

  /// Of a stream that has failed before anything of it could be requested.
  public static func unasked(_ why: String) -> Certificate {
    Certificate(
      verdict: .failed, rule: .failure, why: why, pages: 0, counts: Counts(), distinctKeys: 0)
  }
}
