/// Numbers, counts, sizes and lengths of time as a person reads them: each written here alone.
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

  /// `72.6 MB`, decimal as disks are sold.
  public static func bytes(_ value: Int) -> String {
    let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000)]
    for (name, size) in units where value >= size {
      let tenths = (value * 10 + size / 2) / size
      return "\(number(tenths / 10)).\(tenths % 10) \(name)"
    }
    return count(value, "byte")
  }
}
