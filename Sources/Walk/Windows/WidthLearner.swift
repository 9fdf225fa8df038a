internal import Base

/// Learns from window to window how wide the next may be, so that it comes near the API's cap
/// without passing it: a window too wide is asked twice, one too narrow costs one of many.
public struct WidthLearner: Sendable, Equatable {
  private(set) var width: Duration
  /// Records a second, smoothed; nil before the first window.
  public private(set) var rate: Double?
  /// Records that a window is meant to hold.
  let target: Double
  private let cap: Double
  private let least: Double
  /// Windows in a row that held next to nothing.
  private var sparse = 0
  /// No window grows by more than this at once, and by its square and cube when the next ones hold
  /// next to nothing too: a burst is left behind in a few steps.
  private static let growth = 4.0
  private static let sparseMax = 2

  /// - Parameters:
  ///   - cap: records that one window may hold.
  ///   - start: the first window's width, where no rate is known.
  ///   - least: the narrowest window.
  ///   - rate: what earlier runs learnt, in records a second.
  init(cap: Int, start: Duration, least: Duration, rate: Double? = nil) {
    // Two deviations below the cap, for records that come independently.
    self.cap = Double(max(cap, 1))
    target = max(self.cap - 2 * self.cap.squareRoot(), self.cap / 2)
    self.least = max(least.inSeconds, 1)
    width = max(start, .seconds(1))
    guard let rate, rate > 0, rate.isFinite else { return }
    self.rate = rate
    width = fitting(rate, most: .infinity)
  }

  /// Takes in what a window held: its total, if the API gives it, else what came.
  mutating func learn(_ window: TimeWindow, records: Int) {
    let seconds = (window.to - window.from).inSeconds
    guard seconds > 0 else { return }
    let seen = Double(max(records, 0)) / seconds
    // A small piece that holds little, as it should, says nothing that is not chance.
    let tellingMin = target / 4
    let old = rate ?? 0
    guard old == 0 || Double(records) >= tellingMin || old * seconds >= tellingMin else {
      // The rate stays, and the width goes on towards it.
      width = fitting(old, most: width.inSeconds * Self.growth)
      return
    }
    let isSparse = old > 0 && seen < old / 3
    let most = (0..<sparse).reduce(Self.growth) { most, _ in most * Self.growth }
    sparse = isSparse ? min(sparse + 1, Self.sparseMax) : 0
    let new: Double
    if old == 0 || seen > old * 1.5 {
      // Far above what was learnt is believed at once: the next would pass the cap too.
      new = seen
    } else if isSparse {
      new = max(seen, old / most)
    } else {
      new = 0.7 * old + 0.3 * seen
    }
    rate = new
    width = fitting(new, most: width.inSeconds * most)
  }

  /// Takes in that a window held more than it may, by an unknown number: twice the cap at least.
  mutating func learnOverflow(_ window: TimeWindow) {
    let seconds = (window.to - window.from).inSeconds
    guard seconds > 0 else { return }
    let new = max(rate ?? 0, 2 * cap / seconds)
    sparse = 0
    rate = new
    width = fitting(new, most: seconds / 2)
  }

  private func fitting(_ rate: Double, most: Double) -> Duration {
    // A thousand years mean "as wide as there is": seconds must stay an integer.
    let wide = min(most, 1000 * 365.25 * 86_400)
    return .seconds(max(least, min(rate > 0 ? target / rate : wide, wide)))
  }
}
