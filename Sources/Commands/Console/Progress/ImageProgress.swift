internal import Base

/// The board's state of one job's images.
struct ImageProgress: Sendable {
  let job: String
  private(set) var tally = ImageTally()
  /// Many arrive at once.
  private var speed = Speed(most: 20, least: .milliseconds(500))

  init(job: String) { self.job = job }

  mutating func receive(_ tally: ImageTally, at now: Instant) {
    self.tally = tally
    speed.add(done, at: now)
  }

  var done: Int { tally.fromMemory + tally.fromDisk + tally.fromNetwork }

  var perSecond: Double? { speed.perSecond }

  /// For the images known so far: the walk may add more.
  var timeLeft: Duration? { speed.time(for: tally.wanted - done - tally.refusedCount) }
}
