/// Splits the bytes of one connection into requests. The sandbox only answers GET and HEAD: a body is refused.
struct RequestReader {
  private var pending: [UInt8] = []
  private var scanned = 0

  enum Event {
    case incomplete
    case request(RequestHead)
    /// The connection must close after this status.
    case refused(Int)
  }

  mutating func receive(_ bytes: some Collection<UInt8>) { pending += bytes }

  mutating func next() -> Event {
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
    let bytes = Array(pending[..<end])
    pending.removeFirst(end)
    scanned = 0
    do throws(RequestHead.Problem) {
      let head = try RequestHead(bytes)
      let hasBody = head["Transfer-Encoding"] != nil || head["Content-Length"] ?? "0" != "0"
      return hasBody ? .refused(405) : .request(head)
    } catch {
      switch error {
      case .malformed: return .refused(400)
      case .version: return .refused(505)
      }
    }
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
