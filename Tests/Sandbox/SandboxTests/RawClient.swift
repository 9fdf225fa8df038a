import Dispatch
import Glibc
import Base
import SandboxKit
import Testing

/// A naive HTTP client on a bare socket: one request, every byte that comes, and how it ended. It
/// judges nothing, so that a test can look at what was really on the wire.
struct RawAnswer: Sendable {
  enum Ending: Equatable, Sendable { case open, closed, reset, silent }

  var raw: [UInt8] = []
  var ending = Ending.open

  /// The index after the empty line; nil when there is no whole head.
  var bodyStart: Int? {
    raw.withUnsafeBufferPointer { bytes in
      var index = 3
      while index < bytes.count {
        if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10 { return index + 1 }
        index += 1
      }
      return nil
    }
  }

  var head: String { String(decoding: raw[..<(bodyStart ?? raw.count)], as: UTF8.self) }
  var body: [UInt8] { Array(raw[(bodyStart ?? raw.count)...]) }
  var text: String { String(decoding: body, as: UTF8.self) }
  var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }

  func values(_ name: String) -> [String] {
    head.split(separator: "\r\n").dropFirst().compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
      return String(parts[1].drop { $0 == " " })
    }
  }

  subscript(name: String) -> String? { values(name).first }

  func json(_ place: SourceLocation = #_sourceLocation) throws -> JSONValue {
    do {
      return try JSONDocument.read(body).root
    } catch {
      Issue.record("not JSON: \(text.prefix(200))", sourceLocation: place)
      throw error
    }
  }
}

struct RawClient: Sendable {
  let port: Int
  /// Ends the reading of an answer that has no end.
  var bytesMax = 64 << 20
  var waitSeconds = 300

  struct NoConnection: Error { var code: Int32 }

  static let agent = "User-Agent: sandbox-tests"

  /// One GET on a connection of its own; `Connection: close` unless fields say otherwise.
  func get(_ path: String, _ fields: [String] = []) async throws -> RawAnswer {
    let all = ["Host: 127.0.0.1:\(port)", Self.agent, "Connection: close"] + fields
    return try await send("GET \(path) HTTP/1.1\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n")
  }

  func send(_ text: String) async throws -> RawAnswer { try await send([Array(text.utf8)]) }

  /// The pieces are written one after another; then everything is read until the other side ends.
  func send(_ pieces: [[UInt8]]) async throws -> RawAnswer {
    try await withCheckedThrowingContinuation { done in
      DispatchQueue.global().async { @Sendable in
        done.resume(with: Result { try exchange(pieces) })
      }
    }
  }

  private func exchange(_ pieces: [[UInt8]]) throws -> RawAnswer {
    let number = try connected()
    defer { close(number) }
    for piece in pieces { _ = Glibc.send(number, piece, piece.count, Int32(MSG_NOSIGNAL)) }
    return read(number)
  }

  /// A connected socket, which the caller closes.
  func connected() throws -> Int32 {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw NoConnection(code: errno) }
    var patience = timeval(tv_sec: waitSeconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      defer { close(number) }
      throw NoConnection(code: errno)
    }
    return number
  }

  func read(_ number: Int32) -> RawAnswer {
    var answer = RawAnswer()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while answer.raw.count < bytesMax {
      let count = recv(number, &buffer, buffer.count, 0)
      if count > 0 {
        answer.raw += buffer[..<count]
      } else {
        answer.ending = count == 0 ? .closed : errno == ECONNRESET ? .reset : .silent
        return answer
      }
    }
    return answer
  }
}

/// A sandbox for one test, and a client for it.
func withSandbox<Result>(
  _ options: SandboxOptions = SandboxOptions(size: .small),
  _ body: (Sandbox, RawClient) async throws -> Result
) async throws -> Result {
  let sandbox = try Sandbox.start(options)
  defer { sandbox.stop() }
  return try await body(sandbox, RawClient(port: sandbox.port))
}

/// Options with changes, in one expression.
func options(
  _ size: SandboxSize = .small, _ change: (inout SandboxOptions) throws -> Void = { _ in }
) rethrows -> SandboxOptions {
  var options = SandboxOptions(size: size)
  try change(&options)
  return options
}
