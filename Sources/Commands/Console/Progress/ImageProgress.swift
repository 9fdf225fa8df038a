internal import Base

/// What the board knows of the images of one job.
struct ImageProgress: Sendable {
  private struct Sample: Sendable {
    let at: Instant
    let done: Int
  }

  let job: String
  private(set) var tally = ImageTally()
  /// Of the last seconds, for the speed.
  private var samples: [Sample] = []
  private static let samplesMax = 20
  /// Many come at once: samples that lie closer together say nothing.
  private static let sampleLength = Duration.milliseconds(500)

  init(job: String) { self.job = job }

  mutating func receive(_ tally: ImageTally, at now: Instant) {
    self.tally = tally
    let sample = Sample(at: now, done: done)
    if samples.count > 1, now - samples[samples.count - 2].at < Self.sampleLength {
      samples[samples.count - 1] = sample
    } else {
      samples.append(sample)
    }
    if samples.count > Self.samplesMax { samples.removeFirst() }
  }

  var done: Int { tally.fromMemory + tally.fromDisk + tally.fromNetwork }

  var perSecond: Double? {
    guard samples.count > 2, let first = samples.first, let last = samples.last else { return nil }
    let seconds = (last.at - first.at).inSeconds
    return seconds > 0 ? Double(last.done - first.done) / seconds : nil
  }

  /// Of the images that are wanted so far: a walk that goes on brings more.
  var timeLeft: Duration? {
    guard let perSecond, perSecond > 0 else { return nil }
    let seconds = Double(max(0, tally.wanted - done - tally.refusedCount)) / perSecond
    return seconds < 1e9 ? .milliseconds(Int64(seconds * 1000)) : nil
  }
}
