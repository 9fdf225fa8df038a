internal import Jobs

/// Names that a job file may hold, made of names that an API uses.
enum DraftNames {
  /// `fullName` and `full-name` are `full_name`.
  static func snake(_ text: String) -> String {
    var out: [UInt8] = []
    var wasLower = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        if wasLower { out.append(UInt8(ascii: "_")) }
        out.append(byte | 0x20)
        wasLower = false
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        out.append(byte)
        wasLower = true
      default:
        if out.last != UInt8(ascii: "_"), !out.isEmpty { out.append(UInt8(ascii: "_")) }
        wasLower = false
      }
    }
    while out.last == UInt8(ascii: "_") { out.removeLast() }
    return String(decoding: out, as: UTF8.self)
  }

  /// A name for a table, a column or a stream.
  static func plain(_ text: String, else fallback: String) -> String {
    var name = snake(text)
    if let first = name.utf8.first, (48...57).contains(first) { name = "n" + name }
    if name.utf8.count > 50 { name = String(name.prefix(50)) }
    if PlainName.problem(name) != nil { name += "_" }
    return PlainName.problem(name) == nil ? name : fallback
  }

  /// The same name is not given twice.
  static func unique(_ name: String, _ taken: inout Set<String>) -> String {
    var candidate = name
    var number = 2
    while !taken.insert(candidate).inserted {
      candidate = "\(name)_\(number)"
      number += 1
    }
    return candidate
  }

  /// `repositories` of `repository`; good enough to find `video_id` in videos.
  static func singular(_ plural: String) -> String {
    if plural.hasSuffix("ies") { return String(plural.dropLast(3)) + "y" }
    if plural.hasSuffix("ss") { return plural }
    return plural.hasSuffix("s") ? String(plural.dropLast()) : plural
  }
}
