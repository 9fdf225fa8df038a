internal import Base

/// The ends of a half-open window as an API wants them written.
struct WindowText: Equatable {
  let from: String
  let to: String

  /// Without a rule: times, with the end written as it is.
  init(_ window: TimeWindow, rule: Window?) {
    let first = Instant(seconds: window.from.seconds)
    let form = rule?.form ?? .time
    let unit: Int64 = form.isOfDays ? 86_400 : 1
    let least = form.isOfMilliseconds ? Duration.milliseconds(1) : .seconds(unit)
    let step =
      form.isOfMilliseconds ? least : max(form.isOfDays ? least : rule?.step ?? least, least)
    let last = Self.roundedUp(window.to, to: unit) - (rule?.includesEnd ?? false ? step : .zero)
    from = Self.text(first, form)
    to = Self.text(max(first, last), form)
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

  private static func roundedUp(_ instant: Instant, to seconds: Int64) -> Instant {
    let unit = seconds * 1000
    let rest = ((instant.milliseconds % unit) + unit) % unit
    return rest == 0 ? instant : Instant(milliseconds: instant.milliseconds - rest + unit)
  }
}
