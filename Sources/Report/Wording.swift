internal import Model

/// Numbers and spans of time as a person reads them.
public enum Wording {
  /// `20,342`.
  public static func number(_ value: Int) -> String {
    let digits = Array(String(value.magnitude).utf8)
    var out: [UInt8] = []
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { out.append(UInt8(ascii: ",")) }
      out.append(digit)
    }
    return (value < 0 ? "-" : "") + String(decoding: out, as: UTF8.self)
  }

  /// `1 page`, `204 pages`.
  public static func count(_ value: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(number(value)) \(value == 1 ? singular : plural ?? singular + "s")"
  }

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

  /// `72.6 MB`, decimal as disks are sold.
  public static func bytes(_ value: Int) -> String {
    let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000)]
    for (name, size) in units where value >= size {
      let tenths = (value * 10 + size / 2) / size
      return "\(number(tenths / 10)).\(tenths % 10) \(name)"
    }
    return count(value, "byte")
  }

  /// Why something was asked again, for a person who does not know our words for it.
  static func after(_ cause: Cause) -> String {
    switch cause {
    case .request: "after a request that could not be made"
    case .network: "after a network fault"
    case .client: "after a refusal (4xx)"
    case .server: "after a failure of the server (5xx)"
    case .status: "after an unexpected status"
    case .empty: "after an empty answer"
    case .parse: "after an answer that could not be read"
    case .store: "after a failure to store"
    }
  }

  /// The same in two words, below a picture.
  static func kind(_ cause: Cause) -> String {
    switch cause {
    case .request: "not sent"
    case .network: "network fault"
    case .client: "refused (4xx)"
    case .server: "server failed (5xx)"
    case .status: "unexpected status"
    case .empty: "empty answer"
    case .parse: "unreadable answer"
    case .store: "not stored"
    }
  }
}
