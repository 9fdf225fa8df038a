/// The only place that formats numbers, counts, sizes and durations for people.
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

  /// The first few names, and how many more: `a, b and 3 more`.
  public static func some(_ names: [String], _ most: Int) -> String {
    // cut: it says how many more
    let shown = names.prefix(most).joined(separator: ", ")
    return names.count > most ? "\(shown) and \(number(names.count - most)) more" : shown
  }

  /// `1 page`, `204 pages`.
  public static func count(_ value: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(number(value)) \(value == 1 ? singular : plural ?? singular + "s")"
  }

  /// `72.6 MB`, decimal like disk sizes.
  public static func bytes(_ value: Int) -> String {
    let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000)]
    for (name, size) in units where value >= size {
      let tenths = value / size * 10 + (value % size * 10 + size / 2) / size
      return "\(number(tenths / 10)).\(tenths % 10) \(name)"
    }
    return count(value, "byte")
  }
}
