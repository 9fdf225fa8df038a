internal import Base

/// Learns from window to window how wide the next may be to come near the API's cap without passing it: a window too
/// wide is requested twice, one too narrow costs one extra.
public struct WidthLearner: Sendable, Equatable {
  private(set) var width: Duration
  /// Records a second, smoothed; nil before the first window.
  public private(set) var rate: Double?
  /// Records that a window should have.
  let target: Double
  private let cap: Double
  private let least: Double
  /// Windows in a row with next to nothing.
  private var sparse = 0
  /// The most by which a window grows at once; its square and cube apply while the next ones have next to nothing too,
  /// so that a burst is left behind in a few steps.
  private static let growth = 4.0
  private static let sparseMax = 2

  /// - Parameters:
  ///   - cap: the most records of one window.
  ///   - start: the first window's width, if no rate is known.
  ///   - least: the narrowest window.
  ///   - rate: from earlier runs, in records a second.
  init(cap: Int, start: Duration, least: Duration, rate: Double? = nil) {
    // Two standard deviations below the cap, for independent records.
    self.cap = Double(max(cap, 1))
    target = max(self.cap - 2 * self.cap.squareRoot(), self.cap / 2)
    self.least = max(least.inSeconds, 1)
    width = max(start, .seconds(1))
    guard let rate, rate > 0, rate.isFinite else { return }
    self.rate = rate
    width = fitting(rate, most: .infinity)
  }

  /// Learns from a window: its total, if the API gives it, else what came.
  mutating func learn(_ window: TimeWindow, records: Int) {
    let seconds = (window.to - window.from).inSeconds
    guard seconds > 0 else { return }
    let seen = Double(max(records, 0)) / seconds
    // A small piece with few records, as expected, shows only chance.
    let tellingMin = target / 4
    let old = rate ?? 0
    guard old == 0 || Double(records) >= tellingMin || old * seconds >= tellingMin else {
      // The rate stays, and the width continues towards it.
      width = fitting(old, most: width.inSeconds * Self.growth)
      return
    }
    let isSparse = old > 0 && seen < old / 3
    let most = (0..<sparse).reduce(Self.growth) { most, _ in most * Self.growth }
    sparse = isSparse ? min(sparse + 1, Self.sparseMax) : 0
    let new: Double
    if old == 0 || seen > old * 1.5 {
      // A far higher rate is believed at once, or the next window would pass the cap too.
      new = seen
    } else if isSparse {
      new = max(seen, old / most)
    } else {
      new = 0.7 * old + 0.3 * seen
    }
    rate = new
    width = fitting(new, most: width.inSeconds * most)
  }

  /// Learns from a window with an unknown number above the cap: twice the cap at least.
  mutating func learnOverflow(_ window: TimeWindow) {
    let seconds = (window.to - window.from).inSeconds
    guard seconds > 0 else { return }
    let new = max(rate ?? 0, 2 * cap / seconds)
    sparse = 0
    rate = new
    width = fitting(new, most: seconds / 2)
  }

  private func fitting(_ rate: Double, most: Double) -> Duration {
    // A thousand years mean "as wide as possible": seconds must stay an integer.
    let wide = min(most, 1000 * 365.25 * 86_400)
    return .seconds(max(least, min(rate > 0 ? target / rate : wide, wide)))
  }
}
