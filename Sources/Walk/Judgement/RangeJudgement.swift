public import Base

/// The verdict on a range that is filled: that of its worst window, with the most frequent cause; whole if every window
/// is, since they are adjacent.
public struct RangeJudgement: Sendable {
  public struct Claim: Hashable, Sendable {
    public var verdict: Verdict
    var cause: Shortfall?
  }

  /// Windows that were not read to their end.
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

  /// Windows that are less than complete, other than paused.
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
      // Each window has its own proof.
      proofs: claim.verdict == .complete ? [.joined] : [])
  }
}

extension Certificate {
  /// For a window further back than the API reaches: it is never requested.
  public static func outOfReach(_ why: String, by rule: StopRule) -> Certificate {
    Certificate(
      verdict: .limited, cause: .outOfReach, rule: rule, why: why, pages: 0,
      counts: Counts(), distinctKeys: 0)
  }

  /// For a stream that failed before anything could be requested.
  public static func unasked(_ why: String) -> Certificate {
    Certificate(
      verdict: .failed, rule: .failure, why: why, pages: 0, counts: Counts(), distinctKeys: 0)
  }
}
