internal import Glibc
internal import Base

/// A recording opened for reading: an index of its lines, each read when it is wanted.
final class ReplayFile: Sendable {
  /// Where an exchange's line stands.
  struct Line: Sendable {
    var offset: Int
    var count: Int
  }

  struct Recorded {
    var outcome: Result<Answer, ExchangeFailure>
    var body: [UInt8]
    var reading: SteppedClock.Reading
  }

  let job: String
  let base: WebAddress
  let command: [String]
  let hasKey: Bool
  let start: Instant
  let seed: UInt64
  let sleeps: [SteppedClock.Reading]
  private let entries: [String: [Line]]
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
    guard isWhole, let head = index.head else {
      close(descriptor)
      throw ExitReport(.usage, "\(path) is no recording that this Trawl can read")
    }
    job = head["job"]?.string ?? ""
    command =
      [head["command"]?.string ?? ""] + (head["arguments"]?.elements.compactMap(\.string) ?? [])
    hasKey = head["hasKey"]?.boolean ?? false
    start = Instant(milliseconds: head["at"]?.integer ?? 0)
    seed = head["seed"]?.string.flatMap { UInt64($0) } ?? 0
    entries = index.entries
    sleeps = index.sleeps
    do { base = try WebAddress(head["base"]?.string ?? "") } catch {
      close(descriptor)
      throw ExitReport(.usage, "\(path) names no base address")
    }
  }

  deinit { close(descriptor) }

  func entry(_ key: String, _ index: Int) -> Line? {
    entries[key].flatMap { index < $0.count ? $0[index] : nil }
  }

  /// Tells requests apart: the address, what makes it conditional, and the body.
  static func key(_ address: String, _ fields: [HeaderField], _ body: String?) -> String {
    let conditions = fields.filter {
      $0.name.equalsIgnoringCase("If-None-Match") || $0.name.equalsIgnoringCase("If-Modified-Since")
    }
    return ([address] + conditions.map(\.value) + [body].compactMap { $0 })
      .joined(separator: "\n")
  }

  // MARK: the index

  private struct Index {
    var head: JSONValue?
    var entries: [String: [Line]] = [:]
    var sleeps: [SteppedClock.Reading] = []

    /// False: this is no recording.
    mutating func take(_ line: [UInt8], at offset: Int) -> Bool {
      // The last line may be half of one, where the recorded run was killed.
      guard let document = try? JSONDocument.read(line) else { return head != nil }
      let root = document.root
      if head == nil {
        head = root["recording"]?.integer == Int64(RecordingFile.version) ? root : nil
        return head != nil
      }
      if root["sleep"] != nil {
        sleeps.append(ReplayFile.reading(root))
      } else if let request = root["request"] {
        let key = ReplayFile.key(
          request["address"]?.string ?? "", ReplayFile.fields(request["fields"]),
          request["body"]?.string)
        entries[key, default: []].append(Line(offset: offset, count: line.count))
      }
      return true
    }
  }

  /// Bytes of one line: a body of the largest size, escaped throughout.
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

  func read(_ entry: Line, for address: WebAddress) throws(ExchangeFailure) -> Recorded {
    var line = [UInt8](repeating: 0, count: entry.count)
    let count = line.withUnsafeMutableBytes {
      pread(descriptor, $0.baseAddress, $0.count, off_t(entry.offset))
    }
    // It was read once, for the index.
    guard count == entry.count, let document = try? JSONDocument.read(line) else {
      throw ExchangeFailure(
        .closed, cause: .store, address: address, sentence: "\(folder) changed while it was read")
    }
    let root = document.root
    let reading = Self.reading(root)
    if let failure = root["failure"] {
      return Recorded(
        outcome: .failure(Self.failure(failure, address)), body: body(failure), reading: reading)
    }
    let bytes = root["answer"].map { body($0) } ?? []
    return Recorded(
      outcome: .success(Self.answer(root["answer"] ?? root, bytes, address)), body: bytes,
      reading: reading)
  }

  private static func answer(
    _ value: JSONValue, _ body: [UInt8], _ address: WebAddress
  ) -> Answer {
    var answer = Answer(
      status: Int(value["status"]?.integer ?? 0), fields: HeaderFields(fields(value["fields"])),
      body: body, address: self.address(value["address"]) ?? address,
      sentAt: Instant(milliseconds: value["sentAt"]?.integer ?? 0),
      receivedAt: Instant(milliseconds: value["receivedAt"]?.integer ?? 0),
      duration: .milliseconds(value["took"]?.integer ?? 0),
      httpVersion: value["http"]?.string ?? "1.1",
      wentThroughProxy: value["wentThroughProxy"]?.boolean ?? false,
      isEndProven: value["isEndProven"]?.boolean ?? true)
    answer.leadsTo = self.address(value["leadsTo"]).map { RedirectTarget($0, shown: $0) }
    for hop in value["hops"].map({ Array($0.elements) }) ?? [] {
      guard let from = self.address(hop["from"]), let to = self.address(hop["to"]) else { continue }
      answer.hops.append(Hop(status: Int(hop["status"]?.integer ?? 0), from: from, to: to))
    }
    return answer
  }

  private static func failure(_ value: JSONValue, _ address: WebAddress) -> ExchangeFailure {
    ExchangeFailure(
      ExchangeFailure.Kind(rawValue: value["kind"]?.string ?? "") ?? .malformed,
      cause: Cause(rawValue: value["cause"]?.string ?? "") ?? .network,
      address: self.address(value["address"]) ?? address,
      sentence: value["sentence"]?.string ?? "", status: value["status"]?.integer.map { Int($0) },
      wasSent: value["wasSent"]?.boolean)
  }

  /// Inline text, or the file that the line names: never one outside the recording.
  private func body(_ value: JSONValue) -> [UInt8] {
    if let text = value["body"]?.string { return Array(text.utf8) }
    guard let name = value["bodyFile"]?.string, !name.utf8.contains(UInt8(ascii: "/")) else {
      return []
    }
    return FileBytes.first(Self.lineBytesMax, of: "\(folder)/\(name)", flags: O_NOFOLLOW) ?? []
  }

  private static func reading(_ value: JSONValue) -> SteppedClock.Reading {
    SteppedClock.Reading(
      now: Instant(milliseconds: value["at"]?.integer ?? 0),
      elapsed: .milliseconds(value["elapsed"]?.integer ?? 0))
  }

  private static func fields(_ value: JSONValue?) -> [HeaderField] {
    guard let value else { return [] }
    return value.elements.map { pair in
      HeaderField(pair[0]?.string ?? "", pair[1]?.string ?? "")
    }
  }

  private static func address(_ value: JSONValue?) -> WebAddress? {
    // A line that a person has changed may hold anything: the request's own address then.
    value?.string.flatMap { try? WebAddress($0) }
  }
}
