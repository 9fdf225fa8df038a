internal import Base

/// Breaks one answer: turns the fault and the good answer into what is sent.
struct FaultScript: Sendable {
  let kind: FaultKind
  let reply: Reply
  /// The `Date` field's value.
  let date: [UInt8]
  let now: Instant
  /// `http://127.0.0.1:41873`
  let origin: String
  let salt: UInt64
  var isHead = false

  static let stallMilliseconds = 60_000
  static let dripPieces = 100
  static let dripMilliseconds = 100
  static let bombBytes = 64 << 20
  /// Far more than any limit; a client that reads it all has none.
  static let endlessBytes = 64 << 30

  /// What is sent instead of the answer.
  var steps: [WireStep] {
    switch kind {
    case .status500, .status502, .status503: whole(Self.html(Int(kind.rawValue.suffix(3)) ?? 500))
    case .limitSeconds, .limitDate, .limitEpoch, .limitNone, .limitPast, .limitGarbage: limited
    case .resetEarly: [.reset]
    case .resetMid: [.send(head(reply.body.count) + reply.body[..<cut]), .pause(50), .reset]
    case .closeNow: [.close]
    case .cutLength: [.send(head(reply.body.count) + reply.body[..<cut]), .close]
    case .cutChunked, .badChunk: chunked
    case .cutGzip: cutGzip
    case .cutJSON: whole(with(Array(reply.body[..<max(1, cut)])))
    case .html200: whole(with(Array("<html><body><h1>Unicorn!</h1></body></html>\n".utf8)))
    case .empty200: whole(with([]))
    case .drip: drip
    case .redirectGopher: whole(Reply(302, [("Location", "gopher://\(origin.dropFirst(7))/_x")]))
    case .gzipBomb: gzip(Self.bomb)
    case .endless: [.send(head(nil)), .flood(Self.padding, bytesMax: Self.endlessBytes), .close]
    case .garbage: [.send([0, 1, 2] + Array("SSH-2.0-none\r\n".utf8)), .close]
    case .twoLengths: twoLengths
    case .stallHead: [.pause(Self.stallMilliseconds), .close]
    // The dialect worded them, so its answer is sent whole.
    case .secondaryRetry, .secondaryBare, .secondaryLimit, .healthNo: whole(reply)
    }
  }

  private func head(_ length: Int?, extra: [(name: String, value: String)] = []) -> [UInt8] {
    reply.head(length: length, date: date, extra: extra)
  }

  private func whole(_ reply: Reply) -> [WireStep] {
    let head = reply.head(length: reply.body.count, date: date)
    return [.send(isHead ? head : head + reply.body)]
  }

  private func with(_ body: [UInt8]) -> Reply {
    var copy = reply
    copy.body = body
    return copy
  }

  /// Somewhere in the middle; at least one byte is missing.
  private var cut: Int { place(in: reply.body.count) }

  private func place(in count: Int) -> Int {
    guard count > 1 else { return 0 }
    return 1 + Int(salt % UInt64(count - 1))
  }

  private var limited: [WireStep] {
    var reply = Reply.json(Array("{\"message\":\"Too many requests\"}".utf8), status: 429)
    switch kind {
    case .limitSeconds: reply["Retry-After"] = "1"
    case .limitDate: reply["Retry-After"] = CivilTime(now + .seconds(2)).httpDate
    case .limitEpoch: reply["Retry-After"] = String(now.seconds + 2)
    case .limitPast: reply["Retry-After"] = CivilTime(now - .seconds(60)).httpDate
    case .limitGarbage: reply["Retry-After"] = "soon"
    default: break
    }
    return whole(reply)
  }

  /// Two chunks; the second is announced in full and sent in part.
  private var chunked: [WireStep] {
    let half = reply.body.count / 2
    let coding = [(name: "Transfer-Encoding", value: "chunked")]
    var out = head(nil, extra: coding) + Self.chunk(reply.body[..<half])
    if kind == .badChunk { return [.send(out + Array("ZZ\r\n".utf8)), .close] }
    let whole = out.count
    out += Self.chunk(reply.body[half...]) + Array("0\r\n\r\n".utf8)
    return [.send(Array(out[..<(whole + place(in: out.count - whole - 5))])), .close]
  }

  private static func chunk(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    bytes.isEmpty ? [] : Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
  }

  /// Lacks at least its checksum, although its length is right.
  private var cutGzip: [WireStep] {
    let packed = GzipPacker.packed(reply.body)
    return gzip(Array(packed[..<max(0, packed.count - 12)]))
  }

  private func gzip(_ packed: [UInt8]) -> [WireStep] {
    [.send(head(packed.count, extra: [("Content-Encoding", "gzip")]) + packed)]
  }

  private static let bomb = GzipPacker.packed(
    [UInt8](repeating: 0, count: bombBytes), level: 1)
  private static let padding = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)

  private var drip: [WireStep] {
    let size = max(1, (reply.body.count + Self.dripPieces - 1) / Self.dripPieces)
    return [
      .send(head(reply.body.count)), .drip(reply.body, size: size, pause: Self.dripMilliseconds),
    ]
  }

  private var twoLengths: [WireStep] {
    let other = [(name: "Content-Length", value: String(reply.body.count / 2))]
    return [.send(head(reply.body.count, extra: other) + reply.body), .close]
  }

  private static func html(_ status: Int) -> Reply {
    .html(status, "<html><head><title>\(status)</title></head><body>Sorry.</body></html>\n")
  }
}
