internal import Glibc

extension ZoneRules {
  /// Where Linux keeps its zone files.
  public static let folder = "/usr/share/zoneinfo"
  /// Real files have less than 4 KB, old "fat" ones up to 8 KB.
  static let fileBytesMax = 1_000_000

  /// Loads a zone of the system: `America/Los_Angeles`.
  public static func load(_ name: String) throws(ZoneProblem) -> ZoneRules {
    guard isName(name) else {
      throw ZoneProblem(name, "not a zone's name; they look like America/Los_Angeles")
    }
    if name == "UTC" { return .utc }
    let path = "\(folder)/\(name)"
    guard let bytes = FileBytes.first(fileBytesMax + 1, of: path, flags: O_NONBLOCK),
      bytes.count <= fileBytesMax
    else {
      throw ZoneProblem(
        name, "\(folder) has no such zone (or the package tzdata is not installed)")
    }
    return try ZoneRules(name: name, bytes: bytes)
  }

  /// `Asia/Seoul`, `UTC`: parts that begin with a letter, of letters, digits, `_`, `+` and `-`. Nothing that leaves the
  /// folder.
  public static func isName(_ name: String) -> Bool {
    let isLetter = { (byte: UInt8) in (65...90).contains(byte & 0xDF) }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return name.utf8.count <= 64
      && parts.allSatisfy { part in
        part.utf8.first.map(isLetter) == true
          && part.utf8.allSatisfy {
            isLetter($0) || (48...57).contains($0) || "_+-".utf8.contains($0)
          }
      }
  }

  /// Reads a TZif file (RFC 8536), versions 1 to 4. In later versions the second, 64-bit part counts.
  init(name: String, bytes: [UInt8]) throws(ZoneProblem) {
    var reader = ZoneFileReader(name: name, bytes: bytes)
    let first = try reader.header()
    if first.version == 0 {
      let (firstOffset, transitions) = try reader.block(first, timeBytes: 4)
      self.init(name: name, firstOffset: firstOffset, transitions: transitions, footer: nil)
      return
    }
    try reader.skip(first.bytes(timeBytes: 4))
    let second = try reader.header()
    let (firstOffset, transitions) = try reader.block(second, timeBytes: 8)
    let text = try reader.footer()
    var footer: ZoneFooter?
    if !text.isEmpty {
      guard let rule = ZoneFooter(text) else {
        throw ZoneProblem(name, "its file ends with a rule that cannot be read: \(text)")
      }
      footer = rule
    }
    self.init(name: name, firstOffset: firstOffset, transitions: transitions, footer: footer)
  }
}

/// Reads the parts of a TZif file in order; every count is checked against the size of the file.
struct ZoneFileReader {
  struct Header {
    var version: UInt8
    /// Of the marks of UT and of standard time, leap seconds, transitions, types and letters.
    var counts: [Int]
    var timeCount: Int { counts[3] }
    var typeCount: Int { counts[4] }

    func bytes(timeBytes: Int) -> Int {
      let sizes = [1, 1, timeBytes + 4, timeBytes + 1, 6, 1]
      return zip(counts, sizes).reduce(0) { $0 + $1.0 * $1.1 }
    }
  }

  let name: String
  let bytes: [UInt8]
  private var index = 0

  init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  mutating func header() throws(ZoneProblem) -> Header {
    guard index + 44 <= bytes.count, bytes[index..<(index + 4)].elementsEqual("TZif".utf8) else {
      throw damaged("no TZif header at byte \(index)")
    }
    let version = bytes[index + 4]
    index += 20
    let counts = (0..<6).map { _ in Int(big(4)) }
    guard counts.allSatisfy({ $0 >= 0 }) else { throw damaged("a count in it is below zero") }
    return Header(version: version, counts: counts)
  }

  mutating func skip(_ count: Int) throws(ZoneProblem) {
    guard count <= bytes.count - index else { throw damaged("it is cut") }
    index += count
  }

  mutating func block(
    _ header: Header, timeBytes: Int
  ) throws(ZoneProblem) -> (Int, [ZoneRules.Transition]) {
    let total = header.bytes(timeBytes: timeBytes)
    guard total <= bytes.count - index else { throw damaged("it is cut") }
    guard header.typeCount > 0 else { throw damaged("it has no offset at all") }
    let end = index + total
    let times = (0..<header.timeCount).map { _ in big(timeBytes) }
    let types = (0..<header.timeCount).map { _ in Int(big(1) & 0xff) }
    let offsets = (0..<header.typeCount).map { _ in
      let offset = Int(big(4))
      index += 2
      return offset
    }
    index = end
    guard types.allSatisfy({ $0 < offsets.count }), offsets.allSatisfy({ abs($0) < 26 * 3600 }),
      zip(times, times.dropFirst()).allSatisfy({ $0 < $1 })
    else { throw damaged("its transitions make no sense") }
    let transitions = zip(times, types).map { ZoneRules.Transition(at: $0, offset: offsets[$1]) }
    return (offsets[0], transitions)
  }

  /// The text between the two line ends after the 64-bit part.
  mutating func footer() throws(ZoneProblem) -> String {
    guard index < bytes.count, bytes[index] == 10,
      let end = bytes[(index + 1)...].firstIndex(of: 10)
    else { throw damaged("its last line is missing") }
    return String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
  }

  /// A signed big-endian number. The caller has checked the length.
  private mutating func big(_ count: Int) -> Int64 {
    var value: UInt64 = 0
    for byte in bytes[index..<(index + count)] { value = value << 8 | UInt64(byte) }
    index += count
    return count == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(truncatingIfNeeded: value)
  }

  private func damaged(_ what: String) -> ZoneProblem {
    ZoneProblem(name, "its file is damaged: \(what)")
  }
}
