internal import Base
public import Glibc

/// A server on raw sockets that does what no HTTP library would do. Runs a script for each call, on 127.0.0.1 and a
/// free port, with its own threads; ends with `stop`.
public final class ScriptedServer: Sendable {
  public enum Act: Sendable {
    case send([UInt8])
    case text(String)
    /// The same bytes again and again until the other side closes, with a pause before each.
    case endless([UInt8], pause: useconds_t = 0)
    /// One byte at a time, with pauses.
    case drip(String, pauseMilliseconds: UInt32)
    /// Sends nothing more, but keeps the connection until the other side closes it.
    case hold
    case reset
    case close
    /// Forwards bytes to and from another port, as a proxy does after CONNECT.
    case tunnel(port: Int)
  }

  public struct Call: Sendable {
    /// Includes the empty line at its end.
    public let head: String
    public let bytes: [UInt8]
    /// Counted from 0 for the whole server.
    public let connection: Int

    public init(head: String, bytes: [UInt8] = [], connection: Int = 0) {
      (self.head, self.bytes, self.connection) = (head, bytes, connection)
    }

    public var body: String { String(decoding: bytes, as: UTF8.self) }
    public var verb: String { String(head.prefix { $0 != " " }) }
    /// Path and query.
    public var target: String { String(head.split(separator: " ").dropFirst().first ?? "") }
    public var path: String { String(target.prefix { $0 != "?" }) }
    public var query: String { String(target.dropFirst(path.count + 1)) }
    /// The decoded query parameters; the last of each name.
    public var parameters: [String: String] {
      let pairs = query.split(separator: "&").map { pair in
        pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
          String(decoding: PercentEncoding.decoded($0), as: UTF8.self)
        }
      }
      return Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { $1 }
    }

    public func number(_ name: String) -> Int? { parameters[name].flatMap { Int($0) } }

    /// By name in lower case; the first of each name.
    public var fields: [String: String] {
      let lines = head.split(whereSeparator: \.isNewline).dropFirst().map {
        $0.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      }
      return Dictionary(
        lines.filter { $0.count == 2 }.map { ($0[0].lowercased(), String($0[1]).trimmingBlanks) }
      ) { one, _ in one }
    }

    public func field(_ name: String) -> String? { fields[name.lowercased()] }

    /// The server's, as the other side calls it.
    public var origin: String { "http://\(field("Host") ?? "")" }
  }

  private struct State {
    var calls: [Call] = []
    var sent: [String: Int] = [:]
    var connections = 0
    var open: Set<Int32> = []
    var isStopped = false
    /// The listener's descriptor may belong to another server by now.
    var isClosed = false
  }

  public let port: Int
  private let listener: Int32
  private let state = Locked(State())
  private let script: @Sendable (Call) -> [Act]

  /// Whether a call is read before the script runs; otherwise it runs as soon as somebody connects.
  private let isPatient: Bool

  public init(
    backlog: Int32 = 128, isPatient: Bool = true, _ script: @escaping @Sendable (Call) -> [Act]
  ) {
    self.script = script
    self.isPatient = isPatient
    (listener, port) = Loopback.listen(backlog: backlog)
    Detached.run { [self] in acceptAll() }
  }

  public var calls: [Call] { state.withLock { $0.calls } }
  public var connections: Int { state.withLock { $0.connections } }
  /// Connections that neither side has closed.
  public var openConnections: Int { state.withLock { $0.open.count } }
  /// Targets, and the bytes that were sent for each.
  public var bytesSent: [String: Int] { state.withLock { $0.sent } }
  public var origin: String { "http://127.0.0.1:\(port)" }
  public func url(_ path: String = "/") -> String { "\(origin)\(path)" }

  public func stop() {
    state.withLock {
      $0.isStopped = true
      for socket in $0.open { shutdown(socket, Int32(SHUT_RDWR)) }
      if !$0.isClosed { shutdown(listener, Int32(SHUT_RDWR)) }
    }
  }

  private func acceptAll() {
    while let client = Loopback.accept(listener) {
      let number: Int? = state.withLock { state in
        if state.isStopped { return nil }
        state.open.insert(client)
        state.connections += 1
        return state.connections - 1
      }
      guard let number else {
        Glibc.close(client)
        break
      }
      Detached.run { [self] in
        serve(client, number)
        state.withLock {
          $0.open.remove(client)
          Glibc.close(client)
        }
      }
    }
    state.withLock { state in
      state.isClosed = true
      Glibc.close(listener)
    }
  }

  private func serve(_ client: Int32, _ number: Int) {
    if !isPatient, !perform(Call(head: "", connection: number), client) { return }
    while let call = hear(client, number) {
      state.withLock {
        $0.calls.append(call)
        $0.sent[call.target, default: 0] += 0
      }
      guard perform(call, client) else { return }
    }
  }

  /// Nil if the other side is gone. 8 MB is more than any test sends.
  private func hear(_ client: Int32, _ number: Int) -> Call? {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 16)
    var headEnd: Int?
    while bytes.count < 8 << 20 {
      let count = recv(client, &room, room.count, 0)
      if count <= 0 { return nil }
      let from = max(0, bytes.count - 3)
      bytes += room[..<count]
      headEnd =
        headEnd
        ?? bytes.indices.dropFirst(from).dropLast(3).first {
          bytes[$0...].starts(with: [13, 10, 13, 10])
        }.map { $0 + 4 }
      guard let headEnd else { continue }
      let call = Call(
        head: String(decoding: bytes[..<headEnd], as: UTF8.self), bytes: Array(bytes[headEnd...]),
        connection: number)
      if call.bytes.count >= call.field("Content-Length").flatMap({ Int($0) }) ?? 0 { return call }
    }
    return nil
  }

  /// False: the connection has ended.
  private func perform(_ call: Call, _ client: Int32) -> Bool {
    script(call).allSatisfy { perform($0, call.target, client) }
  }

  private func perform(_ act: Act, _ target: String, _ client: Int32) -> Bool {
    switch act {
    case .send(let bytes): return send(bytes, client, target)
    case .text(let text): return send(Array(text.utf8), client, target)
    case .endless(let bytes, let pause):
      repeat {
        // A slow server: only what was sent by then matters, not when.
        usleep(pause)
      } while send(bytes, client, target)
      return false
    case .drip(let text, let pause):
      for byte in text.utf8 {
        guard send([byte], client, target) else { return false }
        // A slow server: the client gives up long before the last byte.
        usleep(pause * 1000)
      }
      return true
    case .hold:
      var room = [UInt8](repeating: 0, count: 4096)
      while recv(client, &room, room.count, 0) > 0 {}
      return false
    case .reset:
      var hard = linger(l_onoff: 1, l_linger: 0)
      setsockopt(client, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
      return false
    case .close: return false
    case .tunnel(let port):
      tunnel(client, port)
      return false
    }
  }

  private func tunnel(_ client: Int32, _ port: Int) {
    guard let target = Loopback.connect(to: port) else { return }
    defer { Glibc.close(target) }
    var ends = [
      pollfd(fd: client, events: Int16(POLLIN), revents: 0),
      pollfd(fd: target, events: Int16(POLLIN), revents: 0),
    ]
    var room = [UInt8](repeating: 0, count: 65536)
    while poll(&ends, 2, -1) > 0 {
      for (from, to) in [(0, 1), (1, 0)] where ends[from].revents != 0 {
        let count = recv(ends[from].fd, &room, room.count, 0)
        guard count > 0, send(Array(room[..<count]), ends[to].fd, "") else { return }
      }
    }
  }

  private func send(_ bytes: [UInt8], _ client: Int32, _ target: String) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
      state.withLock { $0.sent[target, default: 0] += count }
    }
    return true
  }
}

extension ScriptedServer {
  /// Head and body in one write; two would wait for an acknowledgement.
  public static func answer(
    _ status: Int = 200, _ fields: [String] = [], body: [UInt8] = [], length: Int? = nil
  ) -> [Act] {
    let lines = ["HTTP/1.1 \(status) X"] + fields + ["Content-Length: \(length ?? body.count)"]
    return [.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)]
  }

  /// An answer after which the connection closes.
  public static func last(
    _ body: [UInt8] = [], _ fields: [String] = [], status: Int = 200, length: Int? = nil
  ) -> [Act] {
    answer(status, ["Connection: close"] + fields, body: body, length: length) + [.close]
  }

  public static func json(_ text: String) -> [Act] {
    answer(200, ["Content-Type: application/json"], body: Array(text.utf8))
  }

  public static func redirect(_ target: String, status: Int = 302) -> [Act] {
    answer(status, ["Location: \(target)"])
  }
}
