internal import Glibc
internal import Base

/// A local server that imitates paged web APIs over real sockets: for trying a job without spending quota, for the
/// demo, and for tests.
///
///     let sandbox = try Sandbox.start(SandboxOptions(size: .small))
///     defer { sandbox.stop() }
///     // fetch from sandbox.endpoint(for: "github"), then compare with sandbox.truth("github")
public final class Sandbox: Sendable {
  public let port: Int
  private let server: Server
  private let desk: Desk

  private init(port: Int, server: Server, desk: Desk) {
    self.port = port
    self.server = server
    self.desk = desk
  }

  /// Listens on 127.0.0.1 when it returns.
  public static func start(_ options: SandboxOptions) throws(SandboxError) -> Sandbox {
    let listener = try Listener(port: options.port)
    let origin = "http://127.0.0.1:\(listener.port)"
    let desk = Desk(options: options, origin: origin, startedAt: options.time.now())
    let server = try Server(listener) { desk.answer($0) }
    return Sandbox(port: listener.port, server: server, desk: desk)
  }

  /// `http://127.0.0.1:41873`
  public var origin: String { "http://127.0.0.1:\(port)" }

  /// The base of one API: `http://127.0.0.1:41873/github`.
  public func endpoint(for api: String) -> String { "\(origin)/\(api)" }

  /// Closes all connections and waits for the threads. May be called again.
  public func stop() { server.stop() }

  /// The real content of an API now; nil for an unknown one. `of` names one more list: a login, or `q=...` for a
  /// search.
  public func truth(_ api: String, of: String? = nil) -> Truth? { desk.truth(api, of: of) }

  /// The requests after number `since`, in the order of their answers.
  public func requests(api: String? = nil, since: Int = 0) -> [LoggedRequest] {
    desk.log.requests(api: api, since: since)
  }

  /// Calls the closure with each further request, on the server's threads, before any byte of its answer is sent; the
  /// request waits for it. Nil stops that.
  public func watch(_ tell: (@Sendable (LoggedRequest) -> Void)?) {
    desk.watcher.withLock { $0 = tell }
  }

  public func resetLog() { desk.log.reset() }

  /// Inserts and deletes records at the front of an API's list.
  public func drift(_ api: String, insert: Int = 0, delete: Int = 0, list: String? = nil) {
    desk.drift(api, insert: insert, delete: delete, list: list)
  }

  /// Breaks certain further requests, in addition to the share in `SandboxOptions.faults`.
  public func arm(_ fault: ArmedFault) { desk.armed.add(fault) }

  public func disarm() { desk.armed.removeAll() }
}
