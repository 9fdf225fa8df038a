internal import Model

/// The ends of a half-open window as an API wants them written.
struct WindowText: Equatable {
  let from: String
  let to: String

  /// Without a rule: times, with the end written as it is.
  init(_ window: TimeWindow, rule: Window?) {
    let first = Instant(seconds: window.from.seconds)
    let includesEnd = rule?.includesEnd ?? false
    switch rule?.form ?? .time {
    case .time:
      let step = includesEnd ? max(rule?.step ?? .seconds(1), .seconds(1)) : .zero
      let last = Self.roundedUp(window.to, to: 1) - step
      from = first.description
      to = max(first, last).description
    case .date:
      let day: Int64 = 86_400
      let last = Self.roundedUp(window.to, to: day) - (includesEnd ? .seconds(day) : .zero)
      from = Self.date(first)
      to = Self.date(max(first, last))
    }
  }

  // cut: the day is the first ten letters
  private static func date(_ instant: Instant) -> String { String(instant.description.prefix(10)) }

  private static func roundedUp(_ instant: Instant, to seconds: Int64) -> Instant {
    let unit = seconds * 1000
    let rest = ((instant.milliseconds % unit) + unit) % unit
    return rest == 0 ? instant : Instant(milliseconds: instant.milliseconds - rest + unit)
  }
}
