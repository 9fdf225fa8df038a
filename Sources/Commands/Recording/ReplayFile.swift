internal import Glibc
internal import Base

/// A recording opened for reading: an index of its lines, each read on demand.
final class ReplayFile: Sendable {
  struct Recorded {
    var outcome: Result<Answer, ExchangeFailure>
    var body: [UInt8]
    var reading: SteppedClock.Reading
  }

  let head: Recorder.Heading
  let base: WebAddress
  let sleeps: [SteppedClock.Reading]
  /// The bytes of each exchange's line.
  private let entries: [ExactText: [Range<Int>]]
  private let folder: String
  private let descriptor: Int32

  init(_ folder: String) throws(ExitReport) {
    self.folder = folder
    let path = "\(folder)/\(RecordingFile.name)"
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ExitReport(.usage, "\(path) cannot be read: \(SystemError.latest); is it a recording?")
    }
    var index = Index()
    let isWhole = Self.eachLine(of: descriptor) { index.take($0, at: $1) }
    // A recording names the address of its API.
    guard isWhole, let head = index.head, let base = try? WebAddress(head.base) else {
      close(descriptor)
      throw ExitReport(.usage, "\(path) is not a recording that this Trawl can read")
    }
    self.head = head
    entries = index.entries
    sleeps = index.sleeps
    self.base = base
  }

  deinit { close(descriptor) }

  func entry(_ key: ExactText, _ index: Int) -> Range<Int>? {
    entries[key].flatMap { index < $0.count ? $0[index] : nil }
  }

  /// Identifies a request: address, conditional fields and body.
  static func key(_ address: String, _ fields: [HeaderField], _ body: String?) -> ExactText {
    let conditions = fields.filter {
      $0.name.equalsIgnoringCase("If-None-Match") || $0.name.equalsIgnoringCase("If-Modified-Since")
    }
    let parts = [address] + conditions.map(\.value) + [body].compactMap { $0 }
    return ExactText(parts.joined(separator: "\n"))
  }

  // MARK: the index

  private struct Index {
    var head: Recorder.Heading?
    var entries: [ExactText: [Range<Int>]] = [:]
    var sleeps: [SteppedClock.Reading] = []

    /// - Returns: false if this is not a recording.
    mutating func take(_ line: [UInt8], at offset: Int) -> Bool {
      // The last line may be incomplete if the recorded run was killed.
      guard let document = try? JSONDocument.read(line) else { return head != nil }
      let root = document.root
      if head == nil {
        guard root["recording"]?.integer == Int64(RecordingFile.version) else { return false }
        head = Recorder.Heading(json: root)
        return head.map { SteppedClock.Reading(now: $0.at, elapsed: .zero).isUsable } ?? false
      }
      let reading = ReplayFile.reading(root)
      if root["sleep"] != nil {
        sleeps.append(reading)
      } else if let request = root["request"] {
        let key = ReplayFile.key(
          request["address"]?.string ?? "",
          request["fields"].flatMap { HeaderFields(json: $0) }?.all ?? [],
          request["body"]?.string)
        entries[key, default: []].append(offset..<offset + line.count)
      }
      return reading.isUsable
    }
  }

  /// Bytes of a line: a body of the largest size, all of it escaped.
  private static let lineBytesMax = 256_000_000

  private static func eachLine(
    of descriptor: Int32, _ body: ([UInt8], Int) -> Bool
  ) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var line: [UInt8] = []
    var offset = 0
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      var rest = buffer[..<count]
      while let end = rest.firstIndex(of: 10) {
        line += rest[..<end]
        guard body(line, offset) else { return false }
        offset += line.count + 1
        line = []
        rest = rest[(end + 1)...]
      }
      line += rest
      guard line.count <= lineBytesMax else { return false }
    }
    return line.isEmpty || body(line, offset)
  }

  // MARK: one exchange

  func read(_ entry: Range<Int>, for address: WebAddress) throws(ExchangeFailure) -> Recorded {
    var line = [UInt8](repeating: 0, count: entry.count)
    let count = line.withUnsafeMutableBytes {
      pread(descriptor, $0.baseAddress, $0.count, off_t(entry.lowerBound))
    }
    // It could be read for the index.
    guard count == entry.count, let document = try? JSONDocument.read(line) else {
      throw ExchangeFailure(
        .closed, cause: .store, address: address, sentence: "\(folder) changed while it was read")
    }
    let root = document.root
    let reading = Self.reading(root)
    if let value = root["failure"] {
      var failure = ExchangeFailure(.malformed, cause: .network, address: address, sentence: "")
      RecordedShapes.failure.readMembers(of: value, into: &failure)
      return Recorded(outcome: .failure(failure), body: body(value), reading: reading)
    }
    let value = root["answer"] ?? root
    let bytes = body(value)
    let start = Instant(milliseconds: 0)
    var answer = Answer(
      status: 0, fields: HeaderFields(), body: bytes, address: address, sentAt: start,
      receivedAt: start)
    RecordedShapes.answer.readMembers(of: value, into: &answer)
    return Recorded(outcome: .success(answer), body: bytes, reading: reading)
  }

  /// Inline text, or the file that the line names, never one outside the recording.
  private func body(_ value: JSONValue) -> [UInt8] {
    if let text = value["body"]?.string { return Array(text.utf8) }
    guard let name = value["bodyFile"]?.string, !name.utf8.contains(UInt8(ascii: "/")) else {
      return []
    }
    return FileBytes.first(Self.lineBytesMax, of: "\(folder)/\(name)", flags: O_NOFOLLOW) ?? []
  }

  private static func reading(_ value: JSONValue) -> SteppedClock.Reading {
    var reading = SteppedClock.Reading(now: Instant(milliseconds: 0), elapsed: .zero)
    RecordedShapes.reading.readMembers(of: value, into: &reading)
    return reading
  }
}
