/// When a run puts: one at a time; the next begins when a list has ended since or 60 s have passed,
/// and 10 s behind the last one at the earliest.
struct PutPace: Sendable {
  private var endedAt: Duration
  private var wantsPut = false
  private var isUnderWay = false

  static let interval = Duration.seconds(10)
  static let longest = Duration.seconds(60)

  init(began: Duration) { endedAt = began }

  mutating func listEnded() { wantsPut = true }

  func isDue(at now: Duration) -> Bool {
    !isUnderWay && now - endedAt >= (wantsPut ? Self.interval : Self.longest)
  }

  mutating func begin() {
    isUnderWay = true
    wantsPut = false
  }

  mutating func end(at now: Duration) {
    isUnderWay = false
    endedAt = now
  }
}
