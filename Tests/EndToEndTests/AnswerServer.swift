import Glibc
import Base
import TestSupport

/// A server that answers what the test says, one connection for each request, or for the first of two.
/// Bound to 127.0.0.1 and a free port. What came is kept whole, heads and secrets included.
final class AnswerServer: Sendable {
  struct Call: Sendable {
    var head: String
    /// Of a POST.
    var body = ""
    /// Path and query.
    var target: String { String(head.split(separator: " ").dropFirst().first ?? "") }
    /// Of the query, decoded; of several with one name the last.
    var parameters: [String: String] {
      let query = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
      let pairs = query.split(separator: "&").map {
        $0.split(separator: "=", maxSplits: 1).map { Self.decoded($0) }
      }
      return Dictionary(
        pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
    }

    private static func decoded(_ text: Substring) -> String {
      var bytes: [UInt8] = []
      var rest = Array(text.utf8)[...]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"),
          let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        {
          bytes.append(value)
          rest = rest.dropFirst(2)
        } else {
          bytes.append(byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    func field(_ name: String) -> String? {
      let prefix = "\(name.lowercased()):"
      return head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
        .map { String($0.dropFirst(prefix.count).drop { $0 == " " }) }
    }
  }

  struct Reply: Sendable {
    var status = 200
    var fields: [String] = []
    var body: [UInt8] = []

    static func json(_ text: String, _ fields: [String] = [], status: Int = 200) -> Reply {
      Reply(
        status: status, fields: ["Content-Type: application/json"] + fields,
        body: Array(text.utf8))
    }

    fileprivate func bytes(_ keepsOpen: Bool) -> [UInt8] {
      let ending = keepsOpen ? [] : ["Connection: close"]
      let lines = ["HTTP/1.1 \(status) -", "Content-Length: \(body.count)"] + ending + fields
      return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
  }

  let port: Int
  private let listener: Int32
  private let heard = Locked<[Call]>([])
  private let script: @Sendable (Call) -> Reply
  /// It promises to keep a connection open, reads a second request there, and closes without a byte.
  private let breaksItsWord: Bool

  init(breaksItsWord: Bool = false, _ script: @escaping @Sendable (Call) -> Reply) {
    self.script = script
    self.breaksItsWord = breaksItsWord
    (listener, port) = Loopback.listen()
    Detached.run { [self] in acceptAll() }
  }

  var origin: String { "http://127.0.0.1:\(port)" }
  var calls: [Call] { heard.withLock { $0 } }
  var everythingHeard: String { calls.map { $0.head + $0.body }.joined(separator: "\n") }

  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func acceptAll() {
    while let client = Loopback.accept(listener) {
      Detached.run { [self] in
        serve(client)
        if breaksItsWord { hear(client) }
        close(client)
      }
    }
    close(listener)
  }

  /// Nil when the other end is gone.
  @discardableResult
  private func hear(_ client: Int32) -> Call? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    // 1 MB is more than any test sends.
    var call: Call?
    while call == nil, bytes.count < 1 << 20 {
      let count = read(client, &buffer, buffer.count)
      if count <= 0 { return nil }
      bytes += buffer[..<count]
      call = Self.call(String(decoding: bytes, as: UTF8.self))
    }
    guard let call else { return nil }
    heard.withLock { $0.append(call) }
    return call
  }

  /// Nil: more is to come.
  private static func call(_ text: String) -> Call? {
    let parts = text.pieces(around: "\r\n\r\n")
    guard parts.count > 1 else { return nil }
    var call = Call(head: parts[0] + "\r\n\r\n")
    call.body = parts.dropFirst().joined(separator: "\r\n\r\n")
    let length = call.field("Content-Length").flatMap { Int($0) } ?? 0
    return call.body.utf8.count >= length ? call : nil
  }

  private func serve(_ client: Int32) {
    guard let call = hear(client) else { return }
    let reply = script(call).bytes(breaksItsWord)
    var sent = 0
    while sent < reply.count {
      let count = reply[sent...].withUnsafeBytes {
        send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }
}
