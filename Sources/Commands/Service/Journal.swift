/// The journal's native protocol: entries with fields. Plain stderr has only text and priority.
struct Journal: Sendable {
  private let socket: UnixDatagram

  static let address = "/run/systemd/journal/socket"
  /// Datagrams of this size are always accepted; longer texts go to stderr.
  static let entryBytesMax = 64_000

  /// Nil if no journal listens.
  init?(address: String = Self.address) {
    guard let socket = UnixDatagram(address) else { return nil }
    self.socket = socket
  }

  /// False: not accepted; use stderr.
  func write(_ text: String, _ priority: Console.Priority, _ subject: LogSubject) -> Bool {
    let entry = Self.entry(text, priority, subject)
    return entry.count <= Self.entryBytesMax && socket.send(entry)
  }

  /// To be called before the process ends.
  func drain() { socket.drain() }

  static func entry(
    _ text: String, _ priority: Console.Priority, _ subject: LogSubject
  ) -> [UInt8] {
    var entry: [UInt8] = []
    append("MESSAGE", text, to: &entry)
    append("PRIORITY", String(priority.rawValue), to: &entry)
    append("SYSLOG_IDENTIFIER", "trawl", to: &entry)
    for (name, value) in [
      ("JOB", subject.job), ("RUN", subject.run), ("STREAM", subject.stream),
    ] {
      if let value { append(name, value, to: &entry) }
    }
    return entry
  }

  /// `NAME=value`; for values with line ends the name, the length and the bytes.
  private static func append(_ name: String, _ value: String, to entry: inout [UInt8]) {
    entry += name.utf8
    if value.utf8.contains(UInt8(ascii: "\n")) {
      entry.append(UInt8(ascii: "\n"))
      withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { entry += $0 }
    } else {
      entry.append(UInt8(ascii: "="))
    }
    entry += value.utf8
    entry.append(UInt8(ascii: "\n"))
  }
}
