internal import Base

/// What the board knows of the images of one job.
struct ImageProgress: Sendable {
  let job: String
  private(set) var tally = ImageTally()
  /// Many come at once.
  private var pace = Pace(most: 20, least: .milliseconds(500))

  init(job: String) { self.job = job }

  mutating func receive(_ tally: ImageTally, at now: Instant) {
    self.tally = tally
    pace.add(done, at: now)
  }

  var done: Int { tally.fromMemory + tally.fromDisk + tally.fromNetwork }

  var perSecond: Double? { pace.perSecond }

  /// Of the images that are wanted so far: a walk that goes on brings more.
  var timeLeft: Duration? { pace.time(for: tally.wanted - done - tally.refusedCount) }
}
