internal import CLinux
internal import Glibc
internal import Base
internal import Drafting

/// What a browser returns from a login page.
enum RedirectAnswer: Sendable {
  case code(Secret)
  /// Why there is no code, in a sentence.
  case refused(String)

  /// Nil: not this login's, whose state is a secret.
  init?(_ address: WebAddress, state: String) {
    var values: [String: String] = [:]
    for sent in Subject.parameters(of: address) {
      // Duplicate parameters do not count.
      values[sent.name] = values[sent.name] == nil ? sent.value : ""
    }
    guard let given = values["state"], given.utf8.elementsEqual(state.utf8) else { return nil }
    if let kind = values["error"], !kind.isEmpty {
      let said = values["error_description"].map { ": \"\($0.harmless(upTo: 160))\"" } ?? ""
      self = .refused(
        kind == "access_denied"
          ? "the login was refused on its page\(said)"
          : "no login: \(kind.harmless(upTo: 60))\(said)")
    } else if let code = values["code"], !code.isEmpty, code.utf8.count <= 4_096 {
      self = .code(Secret(code))
    } else {
      return nil
    }
  }
}

/// Listens on 127.0.0.1 until the browser returns from the login page once.
final class RedirectListener: Sendable {
  /// Where the browser should return.
  let address: WebAddress
  private let listener: Int32
  private let interruption: Interruption?

  /// For use without a listener: the user copies the address.
  static let usual = WebAddress(
    origin: Origin(scheme: "http", host: "127.0.0.1", port: 80), path: "/")

  private static let headBytesMax = 16_384
  /// Browsers open connections that they do not use, which would block others.
  private static let silenceMax = timeval(tv_sec: 0, tv_usec: 500_000)
  /// A browser sends its head at once; one that comes in more parts would block others, too.
  static let partsMax = 8

  /// - Parameter wanted: the address to use; nil: any free port.
  init(_ wanted: WebAddress?, _ interruption: Interruption?) throws(ExitReport) {
    self.interruption = interruption
    let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    place.sin_port = UInt16(wanted?.origin.port ?? 0).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // The port of an earlier login, whose connections have just ended, may be reused.
    var yes: Int32 = 1
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let isBound = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(made, $0, length) == 0 && getsockname(made, $0, &length) == 0
      }
    }
    guard made >= 0, isBound, listen(made, 16) == 0 else {
      let words = SystemError.latest
      if made >= 0 { close(made) }
      throw ExitReport(
        .unreachable,
        "nothing can listen on 127.0.0.1:\(wanted?.origin.port ?? 0) for the browser: \(words)",
        "without that: trawl key JOB --no-browser")
    }
    listener = made
    let port = Int(UInt16(bigEndian: place.sin_port))
    address =
      wanted
      ?? WebAddress(origin: Origin(scheme: "http", host: "127.0.0.1", port: port), path: "/")
  }

  deinit { close(listener) }

  /// Nil at a signal.
  /// - Parameter warn: called with requests that are not accepted.
  func answer(
    state: String, _ warn: @escaping @Sendable (String) -> Void
  ) async -> RedirectAnswer? {
    await QueueExecutor(label: "trawl.login").run { [self] in wait(state, warn) }
  }

  private func wait(_ state: String, _ warn: (String) -> Void) -> RedirectAnswer? {
    while !(interruption?.isAsked ?? false) {
      var wanted = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      // Times out now and then to notice signals.
      guard poll(&wanted, 1, 200) > 0 else { continue }
      let client = clinux_accept(listener)
      guard client >= 0 else { continue }
      defer { close(client) }
      if let target = target(of: client), let answer = take(target, client, state, warn) {
        return answer
      }
    }
    return nil
  }

  /// The target of a client's GET; empty for other methods. Nil: silent, too slow, too long, or not HTTP.
  func target(of client: Int32) -> String? {
    var longest = Self.silenceMax
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &longest, socklen_t(MemoryLayout<timeval>.size))
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: Self.headBytesMax + 1)
    var parts = 0
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8), bytes.count <= Self.headBytesMax {
      let count = recv(client, &part, part.count, 0)
      parts += 1
      guard count > 0, parts <= Self.partsMax, !(interruption?.isAsked ?? false) else { return nil }
      bytes += part[..<count]
    }
    let words = bytes.prefix { $0 != 13 }.split(separator: 32)
    guard words.count == 3, bytes.count <= Self.headBytesMax else { return nil }
    return words[0].elementsEqual("GET".utf8) ? String(decoding: words[1], as: UTF8.self) : ""
  }

  private func take(
    _ target: String, _ client: Int32, _ state: String, _ warn: (String) -> Void
  ) -> RedirectAnswer? {
    let asked = WebAddress(origin: address.origin, target: target)
    guard target.hasPrefix("/"), asked.path == address.path else {
      Self.reply("404 Not Found", "Trawl waits for a login here, at another address.", client)
      return nil
    }
    guard let answer = RedirectAnswer(asked, state: state) else {
      Self.reply(
        "400 Bad Request", "This is not the answer to the login that Trawl waits for.", client)
      warn(
        "a request arrived that does not belong to this login (its state differs); still waiting")
      return nil
    }
    Self.reply(
      "200 OK", "Trawl has the answer; see the terminal. You can close this page.", client)
    return answer
  }

  private static func reply(_ status: String, _ words: String, _ client: Int32) {
    let head = [
      "HTTP/1.1 \(status)", "Content-Type: text/plain; charset=utf-8",
      "Content-Length: \(words.utf8.count + 1)", "Cache-Control: no-store",
      "Referrer-Policy: no-referrer", "Connection: close",
    ]
    let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n\(words)\n").utf8)
    // If this does not arrive the browser shows nothing, but the login continues.
    _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
  }
}
