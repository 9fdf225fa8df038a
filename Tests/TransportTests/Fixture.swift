import Base
import TestSupport
@testable import Transport
import Testing

/// Short timeouts for tests with a stalling server; a slow machine only makes them later.
let impatient: TransferLimits = {
  var limits = TransferLimits()
  limits.stallTimeout = .milliseconds(300)
  return limits
}()

func options(_ change: (inout TransportOptions) -> Void = { _ in }) -> TransportOptions {
  var options = TransportOptions(version: "tests")
  options.proxies = ProxySettings()
  change(&options)
  return options
}

/// An exchange for one test, at whose end all handles must have been freed.
func withExchange<Result>(
  _ options: TransportOptions = options(), _ body: (CurlExchange) async throws -> Result
) async throws -> Result {
  let exchange = try CurlExchange(options)
  let result: Result
  do {
    result = try await body(exchange)
  } catch {
    await exchange.close()
    throw error
  }
  await exchange.close()
  #expect(exchange.census.withLock { $0 } == 0, "an easy handle was not given back")
  return result
}

/// The answer comes before its handle is freed, on a thread that only `close` waits for.
func expectGivenBack(_ census: Locked<Int>) async throws {
  try await until("every easy handle is given back") { census.withLock { $0 } == 0 }
}

/// A server that is stopped at the end of the test.
func serve(
  backlog: Int32 = 128, _ script: @escaping @Sendable (ScriptedServer.Call) -> [ScriptedServer.Act]
) -> ScriptedServer {
  let server = ScriptedServer(backlog: backlog, script)
  TestEnd.then { server.stop() }
  return server
}

func serve(_ acts: [ScriptedServer.Act]) -> ScriptedServer { serve { _ in acts } }

/// An exchange for one test, and its server.
func meet<Result>(
  _ script: @escaping @Sendable (ScriptedServer.Call) -> [ScriptedServer.Act],
  _ body: (ScriptedServer, CurlExchange) async throws -> Result
) async throws -> Result {
  let server = serve(script)
  return try await withExchange { try await body(server, $0) }
}

/// The same with one answer for all requests, and options that may depend on the server's port.
func meet<Result>(
  _ acts: [ScriptedServer.Act], options: (Int) -> TransportOptions = { _ in options() },
  _ body: (ScriptedServer, CurlExchange) async throws -> Result
) async throws -> Result {
  let server = serve(acts)
  return try await withExchange(options(server.port)) { try await body(server, $0) }
}

/// The answer to one request to a server that acts like this.
func answered(_ acts: [ScriptedServer.Act]) async throws -> Answer {
  try await meet(acts) { server, exchange in try await exchange.follow(Request(server.url())) }
}

extension Request {
  /// A request to a test's own server: loopback is allowed.
  init(
    _ url: String, fields: [HeaderField] = [], loopback: Bool = true,
    limits: TransferLimits = TransferLimits()
  ) throws {
    self.init(
      try WebAddress(url), fields: fields, rule: AddressRule(allowsLoopback: loopback),
      limits: limits)
  }

  /// The same with a secret for its own origin alone.
  init(
    _ url: String, _ place: Credential.Place, _ secret: String,
    limits: TransferLimits = TransferLimits()
  ) throws {
    try self.init(url, limits: limits)
    credential = Credential(place: place, secret: Secret(secret), origins: [address.origin])
  }
}

extension CurlExchange {
  /// The failure of a request that must not succeed.
  func failure(_ request: Request, into sink: (any BodySink)? = nil) async -> ExchangeFailure? {
    do {
      let answer = try await follow(request, into: sink)
      Issue.record("accepted: \(answer.status), \(answer.bodyBytes) bytes")
      return nil
    } catch {
      return error
    }
  }
}
