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

func withServer<Result>(
  backlog: Int32 = 128, _ script: @escaping @Sendable (ScriptedServer.Call) -> [ScriptedServer.Act],
  _ body: (ScriptedServer) async throws -> Result
) async throws -> Result {
  let server = ScriptedServer(backlog: backlog, script)
  defer { server.stop() }
  return try await body(server)
}

/// An exchange for one test, and its server.
func meet<Result>(
  _ script: @escaping @Sendable (ScriptedServer.Call) -> [ScriptedServer.Act],
  _ body: (ScriptedServer, CurlExchange) async throws -> Result
) async throws -> Result {
  try await withServer(script) { server in
    try await withExchange { try await body(server, $0) }
  }
}

/// The same with one answer for all requests, and options that may depend on the server's port.
func meet<Result>(
  _ acts: [ScriptedServer.Act], options: (Int) -> TransportOptions = { _ in options() },
  _ body: (ScriptedServer, CurlExchange) async throws -> Result
) async throws -> Result {
  try await withServer({ _ in acts }) { server in
    try await withExchange(options(server.port)) { try await body(server, $0) }
  }
}

extension Request {
  /// A request to a test's own server: loopback is allowed.
  init(
    _ url: String, fields: [HeaderField] = [], credential: Credential? = nil,
    loopback: Bool = true, limits: TransferLimits = TransferLimits()
  ) throws {
    self.init(
      try WebAddress(url), fields: fields, credential: credential,
      rule: AddressRule(allowsLoopback: loopback), limits: limits)
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
