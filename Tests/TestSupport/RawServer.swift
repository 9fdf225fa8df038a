public import Glibc
internal import Base

/// A server that sends any bytes at all, one connection for each request; and one that keeps on
/// sending for as long as it is listened to. Bound to 127.0.0.1 and a free port.
public final class RawServer: Sendable {
  public enum Script: Sendable {
    case whole([UInt8])
    /// The head, and then the piece again and again, with a pause before each.
    case endless(head: [UInt8], piece: [UInt8], pause: useconds_t)
    /// Takes the request and never answers.
    case silence
  }

  public let port: Int
  private let listener: Int32
  private let sent = Locked<[String: Int]>([:])
  private let answer: @Sendable (String) -> Script

  /// The script gets the path and the query.
  public init(_ answer: @escaping @Sendable (String) -> Script) {
    self.answer = answer
    (listener, port) = Loopback.listen()
    Detached.run { [self] in
      while let client = Loopback.accept(listener) {
        Detached.run { [self] in
          serve(client)
          close(client)
        }
      }
      close(listener)
    }
  }

  public var origin: String { "http://127.0.0.1:\(port)" }
  /// Requests by their path, and the bytes that each got away.
  public var bytesSent: [String: Int] { sent.withLock { $0 } }

  public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve(_ client: Int32) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8), bytes.count < 1 << 20 {
      let count = read(client, &buffer, buffer.count)
      if count <= 0 { return }
      bytes += buffer[..<count]
    }
    let target = String(decoding: bytes.split(separator: 32)[1], as: UTF8.self)
    sent.withLock { $0[target, default: 0] += 0 }
    switch answer(target) {
    case .whole(let reply): _ = send(reply, to: client, target)
    case .endless(let head, let piece, let pause):
      guard send(head, to: client, target) else { return }
      // An hour at the most; the other end goes away long before.
      for _ in 0..<(3_600_000_000 / max(Int(pause), 1_000)) {
        // A server that takes its time: what is sent meanwhile decides, not when.
        usleep(pause)
        guard send(piece, to: client, target) else { return }
      }
    case .silence: while read(client, &buffer, buffer.count) > 0 {}
    }
  }

  private func send(_ bytes: [UInt8], to client: Int32, _ target: String) -> Bool {
    var at = 0
    while at < bytes.count {
      let count = bytes[at...].withUnsafeBytes {
        Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      at += count
      sent.withLock { $0[target, default: 0] += count }
    }
    return true
  }

  public static func reply(
    _ body: [UInt8], _ fields: [String] = [], status: Int = 200, length: Int? = nil
  ) -> [UInt8] {
    let lines =
      ["HTTP/1.1 \(status) -", "Connection: close", "Content-Length: \(length ?? body.count)"]
      + fields
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }
}
