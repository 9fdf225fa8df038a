/// The API's clock according to one answer: its `Date`, and when the request left and the answer came. Pure.
///
/// Only a `Date` behind our time matters to what is stored. If our clock is ahead, stored times lie in the future, and
/// what the API lists until then may never be requested. If ours is behind, it is only requested again.
public struct ClockReading: Sendable, Equatable {
  public enum Comparison: Sendable, Equatable {
    case agrees
    /// The API's clock is ahead of ours by this much.
    case ahead(Duration)
    /// It is behind: ours is wrong, or the answer comes from a cache that does not say so.
    case behind(Duration)
    /// The API gives its local time. Positive: it is ahead of ours.
    case localTime(Duration)

    /// The comparison with an API that is known not to send local time.
    public var withoutZones: Comparison {
      if case .localTime(let span) = self, span < .zero { .behind(.zero - span) } else { self }
    }
  }

  /// A `Date` before 2025 is older than the program, so it is wrong.
  private static let floor = Instant(seconds: 1_735_689_600)
  /// Zones lie a multiple of 15 minutes apart: the nearest that matters, and the furthest.
  private static let zone = (grain: Duration.seconds(900), least: 2, most: 56)
  /// Two clocks set by NTP may differ by this much.
  private static let slack = Duration.seconds(5)

  public let date: Instant
  let sentAt: Instant
  let receivedAt: Instant

  /// - Parameters:
  ///   - sentAt: from a clock that is not adjusted in between; so is `receivedAt`.
  /// - Returns: nil for a cached answer, and for one without a plausible time.
  public init?(_ answer: Answer, sentAt: Instant, receivedAt: Instant) {
    guard answer.age == nil, let date = Self.date(of: answer) else { return nil }
    (self.date, self.sentAt, self.receivedAt) = (date, sentAt, receivedAt)
  }

  /// The API's own clock when the answer was made: an answer holds nothing later. Nil if it gives no plausible time.
  public static func date(of answer: Answer) -> Instant? {
    answer.toldDate.flatMap { $0 >= floor ? $0 : nil }
  }

  /// How far the API's clock is ahead of ours.
  public var offset: Duration { date - receivedAt }

  public var comparison: Comparison {
    // The answer was made between the two, and its Date has whole seconds.
    let (least, most) = (date - receivedAt, date + .seconds(1) - sentAt)
    if least <= Instant.aheadMax, most >= .zero - Instant.aheadMax { return .agrees }
    let isZone = (Self.zone.least...Self.zone.most).contains { count in
      let span = Self.zone.grain * count
      return [span, .zero - span].contains { least - Self.slack <= $0 && $0 <= most + Self.slack }
    }
    if isZone { return .localTime(offset) }
    return offset > .zero ? .ahead(offset) : .behind(.zero - offset)
  }

  /// Whether the API's clock has advanced like ours since another answer; a cache's does not.
  public func hasMovedOn(since first: ClockReading) -> Bool {
    let moved = date - first.date
    return moved >= sentAt - first.receivedAt - .seconds(1)
      && moved <= receivedAt - first.sentAt + .seconds(1)
  }
}

extension Duration {
  /// Whether the duration is at most `span`, in either direction.
  public func isWithin(_ span: Duration) -> Bool { self <= span && self >= .zero - span }
}

extension Instant {
  /// Clocks that differ by more do not agree.
  public static let aheadMax = Duration.seconds(600)

  /// A stored time that is further ahead was written while the clock was wrong. It counts as "never".
  public func isAhead(of now: Instant) -> Bool { self - now > Self.aheadMax }
}
