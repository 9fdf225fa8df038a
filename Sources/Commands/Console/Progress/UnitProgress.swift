internal import Base

/// What the board knows of one unit that is under way.
struct UnitProgress: Sendable {
  struct Wait: Sendable, Equatable {
    let reason: String
    let until: Instant
  }

  private struct Sample: Sendable {
    let at: Instant
    let records: Int
    let ordinal: Int
  }

  let job: String
  let label: UnitLabel
  private(set) var ordinal = 0
  private(set) var counts = Counts()
  private(set) var bytes = 0
  var expectedRecords: Int?
  var expectedPages: Int?
  private(set) var wait: Wait?
  /// The last pages, for the speed; a wait starts them anew, since it says nothing about speed.
  private var samples: [Sample]
  private static let samplesMax = 16

  init(job: String, label: UnitLabel, at: Instant) {
    self.job = job
    self.label = label
    samples = [Sample(at: at, records: 0, ordinal: 0)]
  }

  mutating func store(ordinal: Int, counts: Counts, bytes: Int, at: Instant) {
    // A walk that goes on begins in the middle of the list: what lies before is not its speed.
    if self.ordinal == 0, ordinal > 1 {
      samples = [Sample(at: samples[0].at, records: 0, ordinal: ordinal - 1)]
    }
    // The closing check reads page 1 again: the walk does not go back for it.
    self.ordinal = max(self.ordinal, ordinal)
    self.counts = counts
    let (sum, overflow) = self.bytes.addingReportingOverflow(bytes)
    self.bytes = overflow ? .max : sum
    samples.append(Sample(at: at, records: counts.received, ordinal: self.ordinal))
    if samples.count > Self.samplesMax { samples.removeFirst() }
  }

  mutating func wait(_ wait: Wait) { self.wait = wait }

  mutating func goOn(at: Instant) {
    wait = nil
    samples = [Sample(at: at, records: counts.received, ordinal: ordinal)]
  }

  /// Records a second over the last pages; nil before two of them have come.
  var recordsPerSecond: Double? {
    rate { Double($0.records) }
  }

  /// How long the rest takes at the speed of the last pages.
  var timeLeft: Duration? {
    guard let expectedPages, ordinal > 0, let pages = rate({ Double($0.ordinal) }), pages > 0
    else { return nil }
    let seconds = Double(max(0, expectedPages - ordinal)) / pages
    return seconds < 1e9 ? .milliseconds(Int64(seconds * 1000)) : nil
  }

  private func rate(_ value: (Sample) -> Double) -> Double? {
    guard samples.count > 2, let first = samples.first, let last = samples.last else { return nil }
    let seconds = (last.at - first.at).inSeconds
    return seconds > 0 ? (value(last) - value(first)) / seconds : nil
  }

  /// 0 to 100, of pages or else of records; an estimate may be exceeded.
  var percent: Int? {
    let pair = expectedPages.map { (ordinal, $0) } ?? expectedRecords.map { (counts.received, $0) }
    guard let (done, all) = pair, all > 0 else { return nil }
    return done >= all ? 100 : Int(Double(done) / Double(all) * 100)
  }
}
