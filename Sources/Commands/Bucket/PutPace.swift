/// When a run puts: one put at a time; the next when a list has ended since or after 60 s, at least 10 s after the
/// last.
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
