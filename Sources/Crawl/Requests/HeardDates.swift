internal import Base

/// The `Date` fields of a run's answers. They show that an answer is older than its request: from a cache that does not
/// say so. An API whose clock differs from ours is compared with itself.
final class HeardDates: Sendable {
  /// The least that a clock is ahead of ours, by its answers.
  private let offsets = Locked<[Origin: Duration]>([:])
  private let base: Origin
  private let agreement: Locked<Bool>

  init(of base: Origin, hasAgreed: Bool) { (self.base, agreement) = (base, Locked(hasAgreed)) }

  /// An earlier run found that the API's clock and ours agree: then its `Date` is not local time.
  var hasAgreed: Bool { agreement.withLock { $0 } }

  func noteAgreement() { agreement.withLock { $0 = true } }

  /// How long before its request an answer was made, and whether the clock that says so is known to be right.
  func age(of answer: Answer) -> (Duration, isRight: Bool)? {
    guard let date = ClockReading.date(of: answer) else { return nil }
    let origin = answer.address.origin
    return offsets.withLock { offsets in
      let heard = offsets[origin]
      let known = heard ?? (hasAgreed && origin == base ? .zero : nil)
      let made = known.map {
        (answer.sentAt + $0 - date, isRight: heard?.isWithin(Instant.aheadMax) ?? true)
      }
      let isOld = made.map { $0.isRight && $0.0 > Instant.aheadMax } ?? false
      // An old answer says nothing of the clock.
      if answer.age == nil, !isOld {
        let own = date - answer.receivedAt
        offsets[origin] = max(own, heard ?? own)
      }
      // Clocks that agree may still be minutes apart.
      return heard == nil && !isOld ? nil : made
    }
  }
}
