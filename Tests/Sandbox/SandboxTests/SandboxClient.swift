import Base
import SandboxKit
import TestSupport
@testable import Transport

/// Asks a sandbox as the program does.
struct SandboxClient: Sendable {
  let exchange: CurlExchange
  let origin: String

  func get(_ path: String, _ fields: [HeaderField] = []) async throws -> Answer {
    try await exchange.follow(
      Request(
        WebAddress(origin + path), fields: fields, rule: AddressRule(allowsLoopback: true)),
      into: nil)
  }
}

/// A sandbox for one test, and a client for it.
func withSandbox<Result>(
  _ change: (inout SandboxOptions) throws -> Void = { _ in },
  _ body: (Sandbox, SandboxClient) async throws -> Result
) async throws -> Result {
  var options = SandboxOptions(size: .small)
  try change(&options)
  let sandbox = try Sandbox.start(options)
  defer { sandbox.stop() }
  var transport = TransportOptions(userAgent: "sandbox-tests")
  transport.proxy = .direct
  let exchange = try CurlExchange(transport)
  let result = try await body(sandbox, SandboxClient(exchange: exchange, origin: sandbox.origin))
  await exchange.close()
  return result
}
