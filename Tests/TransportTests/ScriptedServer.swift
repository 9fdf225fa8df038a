import Glibc
import Base
import TestSupport

/// A server on raw sockets that does what no HTTP library would do. One script per call; bound to
/// 127.0.0.1 and a free port; threads of its own; ends with `stop`.
final class ScriptedServer: Sendable {
  enum Act: Sendable {
    case send([UInt8])
    case text(String)
    /// The same bytes again and again until the other side has enough.
    case endless([UInt8])
    /// One byte, a pause, and again.
    case drip(String, pauseMilliseconds: UInt32)
    /// Nothing more, but the connection stays until the other side closes it.
    case hold
    case reset
    case close
    /// Passes bytes to and from another port, as a proxy does after CONNECT.
    case tunnel(port: Int)
  }

  struct Call: Sendable {
    let head: String
    /// Counted from 0 over the whole server.
    let connection: Int

    var target: String { String(head.split(separator: " ").dropFirst().first ?? "") }
    var path: String { String(target.prefix { $0 != "?" }) }
    var verb: String { String(head.prefix { $0 != " " }) }
    func field(_ name: String) -> String? {
      let prefix = name.lowercased() + ":"
      let line = head.split(whereSeparator: \.isNewline)
        .first { $0.lowercased().hasPrefix(prefix) }
      return line.map { String($0.dropFirst(prefix.count).drop { $0 == " " }) }
    }
  }

  private struct State {
    var calls: [Call] = []
    var connections = 0
    var open: Set<Int32> = []
    var isStopped = false
  }

  let port: Int
  private let listener: Int32
  private let state = Locked(State())
  private let script: @Sendable (Call) -> [Act]

  /// Whether a call is read before the script runs; otherwise it runs as soon as one connects.
  private let isPatient: Bool

  init(
    backlog: Int32 = 128, isPatient: Bool = true, _ script: @escaping @Sendable (Call) -> [Act]
  ) {
    self.script = script
    self.isPatient = isPatient
    (listener, port) = Loopback.listen(backlog: backlog)
    Detached.run { [self] in acceptAll() }
  }

  var calls: [Call] { state.withLock { $0.calls } }
  var connections: Int { state.withLock { $0.connections } }
  /// Those that no side has closed.
  var openConnections: Int { state.withLock { $0.open.count } }
  func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

  func stop() {
    state.withLock {
      $0.isStopped = true
      for socket in $0.open { shutdown(socket, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
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
    Glibc.close(listener)
  }

  private func serve(_ client: Int32, _ number: Int) {
    if !isPatient {
      for act in script(Call(head: "", connection: number)) where !perform(act, client) { return }
    }
    while let head = readHead(client) {
      let call = Call(head: head, connection: number)
      state.withLock { $0.calls.append(call) }
      var mayServeAgain = true
      for act in script(call) where mayServeAgain { mayServeAgain = perform(act, client) }
      if !mayServeAgain { return }
    }
  }

  private func readHead(_ client: Int32) -> String? {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 16384)
    while bytes.count < 1 << 20 {
      let count = recv(client, &room, room.count, 0)
      if count <= 0 { return nil }
      bytes.append(contentsOf: room[..<count])
      if bytes.suffix(4) == [13, 10, 13, 10] { return String(decoding: bytes, as: UTF8.self) }
    }
    return nil
  }

  private func perform(_ act: Act, _ client: Int32) -> Bool {
    switch act {
    case .send(let bytes):
      return sendAll(bytes, client)
    case .text(let text):
      return sendAll(Array(text.utf8), client)
    case .endless(let bytes):
      while sendAll(bytes, client) {}
      return false
    case .drip(let text, let pause):
      for byte in text.utf8 {
        guard sendAll([byte], client) else { return false }
        // A server that takes its time: the client gives up long before the last byte.
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
    case .close:
      return false
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
        guard count > 0, sendAll(Array(room[..<count]), ends[to].fd) else { return }
      }
    }
  }

  private func sendAll(_ bytes: [UInt8], _ client: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }
}

extension ScriptedServer {
  /// Head and body in one write; two would wait for each other's acknowledgement.
  static func answer(
    _ status: Int = 200, _ fields: [String] = [], body: [UInt8] = [], length: Int? = nil
  ) -> [Act] {
    let lines = ["HTTP/1.1 \(status) X"] + fields + ["Content-Length: \(length ?? body.count)"]
    return [.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)]
  }

  static func json(_ text: String) -> [Act] {
    answer(200, ["Content-Type: application/json"], body: Array(text.utf8))
  }

  static func redirect(_ target: String, status: Int = 302) -> [Act] {
    answer(status, ["Location: \(target)"])
  }
}
