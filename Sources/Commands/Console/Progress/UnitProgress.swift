internal import Base

/// The board's state of a running unit.
struct UnitProgress: Sendable {
  struct Wait: Sendable, Equatable {
    let reason: String
    let until: Instant
  }

  let job: String
  let label: UnitLabel
  private(set) var ordinal = 0
  private(set) var counts = Counts()
  private(set) var bytes = 0
  var expectedRecords: Int?
  var expectedPages: Int?
  private(set) var wait: Wait?
  /// Of the last pages; reset by a wait, which is no measure of speed.
  private var (records, pages): (Speed, Speed)
  private var began: Instant

  init(job: String, label: UnitLabel, at: Instant) {
    (self.job, self.label, began) = (job, label, at)
    (records, pages) = Self.speeds(from: at, records: 0, pages: 0)
  }

  private static func speeds(from at: Instant, records: Int, pages: Int) -> (Speed, Speed) {
    (Speed(most: 16, from: (at, records)), Speed(most: 16, from: (at, pages)))
  }

  mutating func store(ordinal: Int, counts: Counts, bytes: Int, at: Instant) {
    // A resumed walk begins in the middle of the list: earlier pages do not count for its speed.
    if self.ordinal == 0, ordinal > 1 {
      (records, pages) = Self.speeds(from: began, records: 0, pages: ordinal - 1)
    }
    // The closing check reads page 1 again; that is no step back.
    self.ordinal = max(self.ordinal, ordinal)
    self.counts = counts
    let (sum, overflow) = self.bytes.addingReportingOverflow(bytes)
    self.bytes = overflow ? .max : sum
    records.add(counts.received, at: at)
    pages.add(self.ordinal, at: at)
  }

  mutating func wait(_ wait: Wait) { self.wait = wait }

  mutating func goOn(at: Instant) {
    wait = nil
    began = at
    (records, pages) = Self.speeds(from: at, records: counts.received, pages: ordinal)
  }

  /// Over the last pages; nil before there are two.
  var recordsPerSecond: Double? { records.perSecond }

  /// At the speed of the last pages.
  var timeLeft: Duration? {
    ordinal > 0 ? expectedPages.flatMap { pages.time(for: $0 - ordinal) } : nil
  }

  /// 0 to 100, of pages or else of records; estimates may be exceeded.
  var percent: Int? {
    let pair = expectedPages.map { (ordinal, $0) } ?? expectedRecords.map { (counts.received, $0) }
    guard let (done, all) = pair, all > 0 else { return nil }
    return done >= all ? 100 : Int(Double(done) / Double(all) * 100)
  }
}
