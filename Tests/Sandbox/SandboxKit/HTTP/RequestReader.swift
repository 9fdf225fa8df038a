/// Splits the bytes of one connection into requests. Bodies are skipped (the sandbox only answers GET and HEAD), so
/// that they are not taken for requests.
struct RequestReader {
  private var pending: [UInt8] = []
  private var scanned = 0
  private var bodyBytesLeft = 0

  /// Larger bodies are not awaited.
  static let bodyBytesMax = 1 << 20

  enum Event {
    case incomplete
    case request(RequestHead)
    /// The connection must close after this status.
    case refused(Int)
  }

  mutating func receive(_ bytes: some Collection<UInt8>) { pending += bytes }

  mutating func next() -> Event {
    if bodyBytesLeft > 0 {
      let count = min(bodyBytesLeft, pending.count)
      pending.removeFirst(count)
      bodyBytesLeft -= count
      if bodyBytesLeft > 0 { return .incomplete }
    }
    // RFC 9112 section 2.2: empty lines before a request line are ignored.
    let lead = pending.prefix { $0 == 0x0D || $0 == 0x0A }.count
    if lead > 0 {
      pending.removeFirst(lead)
      scanned = 0
    }
    guard let end = endOfHead() else {
      return pending.count > RequestHead.bytesMax ? .refused(431) : .incomplete
    }
    guard end <= RequestHead.bytesMax else { return .refused(431) }
    let bytes = end == pending.count ? pending : Array(pending[..<end])
    if end == pending.count {
      pending.removeAll(keepingCapacity: true)
    } else {
      pending.removeFirst(end)
    }
    scanned = 0
    do throws(RequestHead.Problem) {
      let head = try RequestHead(bytes)
      return taken(head)
    } catch {
      switch error {
      case .malformed: return .refused(400)
      case .tooManyFields: return .refused(431)
      case .version: return .refused(505)
      }
    }
  }

  private mutating func taken(_ head: RequestHead) -> Event {
    if head["Transfer-Encoding"] != nil { return .refused(411) }
    if let length = head["Content-Length"] {
      guard let count = Int(length), count >= 0, !length.hasPrefix("+") else {
        return .refused(400)
      }
      guard count <= Self.bodyBytesMax else { return .refused(413) }
      bodyBytesLeft = count
    }
    return .request(head)
  }

  /// The index after the empty line; nil until it arrives.
  private mutating func endOfHead() -> Int? {
    let from = max(0, scanned - 3)
    let end = pending.withUnsafeBufferPointer { bytes -> Int? in
      var index = from
      while index < bytes.count {
        if bytes[index] == 0x0A {
          if index + 1 < bytes.count, bytes[index + 1] == 0x0A { return index + 2 }
          if index + 2 < bytes.count, bytes[index + 1] == 0x0D, bytes[index + 2] == 0x0A {
            return index + 3
          }
        }
        index += 1
      }
      return nil
    }
    scanned = pending.count
    return end
  }
}
