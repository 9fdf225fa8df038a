internal import Base

/// The ends of a half-open window as an API expects them.
struct WindowText: Equatable {
  let from: String
  let to: String

  /// Without a rule: plain times, with the end unchanged.
  init(_ window: TimeWindow, rule: Window?) {
    let form = rule?.form ?? .time
    if let rule, form.isOfDays {
      let days = Self.days(window, rule)
      (from, to) = (Self.text(days.first, form), Self.text(days.last, form))
      return
    }
    let first = rule.map { Self.first(window, $0) } ?? Instant(seconds: window.from.seconds)
    let last = Self.roundedUp(window.to) - (rule.map(Self.beforeNext) ?? .zero)
    // The clocks that are furthest ahead show that time now.
    let ahead = rule?.secondsAhead ?? 0
    from = Self.text(first, form)
    to = Self.text(max(first, last) + .seconds(ahead), form)
  }

  /// Where the step begins that the window begins in: the API may know a record only by its step. One step earlier if
  /// the API leaves out the time that it is given.
  private static func first(_ window: TimeWindow, _ rule: Window) -> Instant {
    let start = WindowPlanner(rule).roundedDown(window.from)
    return rule.includesBegin ? start : start - (rule.step ?? unit(rule))
  }

  /// How long before the next window's start this one's last time is: whatever the step, no time lies between them. If
  /// times have no step, both share that instant.
  private static func beforeNext(_ rule: Window) -> Duration {
    rule.includesEnd && rule.step != nil ? unit(rule) : .zero
  }

  /// What two texts differ by at least.
  private static func unit(_ rule: Window) -> Duration {
    rule.form.isOfMilliseconds ? .milliseconds(1) : .seconds(1)
  }

  /// How the texts of the ends differ from the ends themselves, if they do: windows that were read by other texts may
  /// lack what lies there.
  static func shift(_ rule: Window, namesEnd: Bool) -> String? {
    if rule.form.isOfDays { return namesEnd && !rule.includesEnd ? "a day later" : nil }
    let isToNext = namesEnd && rule.includesEnd
    guard let step = rule.step, isToNext || step > .seconds(1) else { return nil }
    return "from steps of \(step.milliseconds) ms\(isToNext ? " to the next" : "")"
  }

  /// The API's days that contain the window: in its own zone, or, if none is declared, in any.
  private static func days(_ window: TimeWindow, _ rule: Window) -> (first: Instant, last: Instant)
  {
    let end = window.to - .milliseconds(1)
    let (behind, ahead) =
      rule.zone.map { (Int64($0.offset(at: window.from)), Int64($0.offset(at: end))) }
      ?? (-WindowPlanner.zones.behind, WindowPlanner.zones.ahead)
    let earlier: Duration = rule.includesBegin ? .zero : .seconds(86_400)
    let first = Instant(seconds: window.from.seconds) + .seconds(behind) - earlier
    let last = end + .seconds(ahead) + (rule.includesEnd ? .zero : .seconds(86_400))
    return (first, max(first, last))
  }

  private static func text(_ instant: Instant, _ form: Window.Form) -> String {
    let plain = instant.description
    // cut: the day is the first ten letters, the time of day the eight behind them
    let (day, time) = (plain.prefix(10), plain.dropFirst(11).prefix(8))
    switch form {
    case .time: return plain
    case .timeInMilliseconds:
      let rest = ((instant.milliseconds % 1000) + 1000) % 1000
      return "\(day)T\(time).\(String(String(1000 + rest).dropFirst()))Z"
    case .date: return String(day)
    case .seconds: return String(instant.seconds)
    case .milliseconds: return String(instant.milliseconds)
    case .plain: return "\(day) \(time)"
    case .compact: return day.split(separator: "-").joined()
    }
  }

  private static func roundedUp(_ instant: Instant) -> Instant {
    let rest = ((instant.milliseconds % 1000) + 1000) % 1000
    return rest == 0 ? instant : Instant(milliseconds: instant.milliseconds - rest + 1000)
  }
}
