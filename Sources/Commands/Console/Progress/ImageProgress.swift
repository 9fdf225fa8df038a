internal import Base

/// What the board knows of the images of one job.
struct ImageProgress: Sendable {
  let job: String
  private(set) var tally = ImageTally()
  /// Many come at once.
  private var speed = Speed(most: 20, least: .milliseconds(500))

  init(job: String) { self.job = job }

  mutating func receive(_ tally: ImageTally, at now: Instant) {
    self.tally = tally
    speed.add(done, at: now)
  }

  var done: Int { tally.fromMemory + tally.fromDisk + tally.fromNetwork }

  var perSecond: Double? { speed.perSecond }

  /// Of the images that are wanted so far: a walk that goes on brings more.
  var timeLeft: Duration? { speed.time(for: tally.wanted - done - tally.refusedCount) }
}
