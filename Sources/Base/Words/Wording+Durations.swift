extension Wording {
  /// `0.4 s`, `1 min 4 s`, `3 h 5 min`, `2 d 4 h`.
  public static func span(_ duration: Duration) -> String {
    let seconds = duration.inSeconds
    if seconds < 60 {
      let tenths = Int((seconds * 10).rounded())
      return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
    let whole = Int(seconds.rounded())
    if whole < 3600 { return pair(whole / 60, "min", whole % 60, "s") }
    let minutes = (whole + 30) / 60
    if minutes < 48 * 60 { return pair(minutes / 60, "h", minutes % 60, "min") }
    let hours = (minutes + 30) / 60
    return pair(hours / 24, "d", hours % 24, "h")
  }

  private static func pair(_ big: Int, _ bigUnit: String, _ small: Int, _ smallUnit: String)
    -> String
  {
    small == 0 ? "\(big) \(bigUnit)" : "\(big) \(bigUnit) \(small) \(smallUnit)"
  }

  /// `3 hours`: as exact as a forecast, and at least a minute.
  public static func rough(_ duration: Duration) -> String {
    let (value, name) = roughly(max(duration, .seconds(60)))
    return count(value, name)
  }

  /// `the hour`, `12 hours`: the length of a quota, in "60 requests of the hour".
  public static func stretch(_ duration: Duration) -> String {
    let (value, name) = roughly(duration)
    return value == 1 ? "the \(name)" : count(value, name)
  }

  /// `an hour`, `in 12 hours`: the length of a quota, in "60 requests an hour".
  public static func rate(_ duration: Duration) -> String {
    let (value, name) = roughly(duration)
    if value > 1 { return "in \(count(value, name))" }
    return name == "hour" ? "an hour" : "a \(name)"
  }

  /// A day on which the clocks change still counts as one.
  private static func roughly(_ duration: Duration) -> (Int, String) {
    let seconds = duration.milliseconds / 1000
    for (name, unit, from) in [
      ("day", Int64(86_400), Int64(82_800)), ("hour", 3600, 3540), ("minute", 60, 60),
    ] where seconds >= from {
      return (Int(max(1, (seconds + unit / 2) / unit)), name)
    }
    return (Int(max(1, seconds)), "second")
  }
}
