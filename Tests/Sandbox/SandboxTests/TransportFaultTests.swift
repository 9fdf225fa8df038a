import Base
@testable import SandboxKit
import TestSupport
@testable import Transport
import Testing

/// The real transport against every fault: one outcome each, with the right cause.
@Suite("The transport meets the sandbox's faults", .prompt)
struct TransportFaultTests {
  enum Outcome: Equatable, CustomStringConvertible {
    case answer(Int)
    case failure(ExchangeFailure.Kind, Cause)

    var description: String {
      switch self {
      case .answer(let status): "\(status)"
      case .failure(let kind, let cause): "\(kind) (\(cause))"
      }
    }
  }

  /// What a fault must end in. An answer is one that the transport cannot see anything wrong in:
  /// status, limits and content are for its caller to judge.
  private static func due(_ kind: FaultKind) -> Outcome {
    switch kind {
    case .status500, .status502, .status503: .answer(Int(kind.rawValue.suffix(3)) ?? 0)
    case .limitSeconds, .limitDate, .limitEpoch, .limitNone, .limitPast, .limitGarbage,
      .secondaryLimit, .giphyMeta, .giphyMessage, .youTubeMinute, .youTubeUnits:
      .answer(429)
    case .secondaryRetry, .secondaryBare, .youTubeBurst, .youTubeSearches: .answer(403)
    case .html200, .empty200, .cutJSON, .cutClose, .badUTF8, .loneSurrogate, .controlBytes,
      .incompleteResults, .giphyHidden, .healthNo, .healthNewline:
      .answer(200)
    case .resetEarly, .resetMid: .failure(.reset, .network)
    case .closeNow, .cutLength, .cutChunked, .cutGzip: .failure(.cut, .network)
    case .badChunk, .garbage, .twoLengths, .longBody: .failure(.malformed, .network)
    case .drip: .failure(.timedOut, .network)
    case .stallHead, .stallBody: .failure(.stalled, .network)
    case .gzipBomb, .endless, .hugeHead: .failure(.tooLarge, .network)
    case .redirectLoop, .redirectHost: .failure(.tooManyHops, .status)
    case .redirectFile, .redirectGopher: .failure(.refusedRedirect, .request)
    }
  }

  private static func exchange() throws -> CurlExchange {
    var options = TransportOptions(userAgent: "sandbox-tests")
    options.proxy = .direct
    return try CurlExchange(options)
  }

  private static func request(_ url: String) throws -> Request {
    var limits = TransferLimits()
    limits.bodyBytesMax = 2 << 20
    limits.stallTimeout = .milliseconds(600)
    limits.totalTimeout = .seconds(3)
    return Request(
      try WebAddress(url), rule: AddressRule(allowsLoopback: true), limits: limits)
  }

  private static func outcome(
    of url: String, _ exchange: CurlExchange
  ) async throws -> (Outcome, [UInt8]) {
    let request = try request(url)
    do throws(ExchangeFailure) {
      let answer = try await exchange.follow(request, into: nil)
      return (.answer(answer.status), answer.body)
    } catch {
      return (.failure(error.kind, error.cause), [])
    }
  }

  @Test("each kind ends in the one outcome that is due", arguments: FaultKind.allCases)
  func outcomes(kind: FaultKind) async throws {
    try await withSandbox { sandbox, _ in
      let exchange = try Self.exchange()
      let (outcome, _) = try await Self.outcome(
        of: "\(sandbox.origin)/_sandbox/fault/\(kind.rawValue)?bytes=20000", exchange)
      #expect(outcome == Self.due(kind))
      await exchange.close()
    }
  }

  @Test(
    "no cut is taken for a whole answer, wherever it is",
    arguments: ["cut-length", "cut-chunked", "cut-gzip"])
  func cuts(kind: String) async throws {
    try await withSandbox { sandbox, _ in
      let exchange = try Self.exchange()
      var random = SeededRandom(7)
      for _ in 0..<100 {
        let bytes = 16 + random.below(3000)
        let at = random.below(bytes + 40)
        let url = "\(sandbox.origin)/_sandbox/fault/\(kind)?bytes=\(bytes)&at=\(at)"
        let (outcome, _) = try await Self.outcome(of: url, exchange)
        #expect(outcome == .failure(.cut, .network), "\(bytes) bytes cut at \(at)")
      }
      await exchange.close()
    }
  }

  @Test(
    "a cut that only the content can tell is no whole JSON", arguments: ["cut-close", "cut-json"])
  func silentCuts(kind: String) async throws {
    try await withSandbox { sandbox, _ in
      let exchange = try Self.exchange()
      for at in stride(from: 1, to: 1000, by: 37) {
        let url = "\(sandbox.origin)/_sandbox/fault/\(kind)?bytes=1000&at=\(at)"
        let (outcome, body) = try await Self.outcome(of: url, exchange)
        #expect(outcome == .answer(200))
        #expect(throws: JSONError.self) { try JSONDocument.read(body) }
      }
      await exchange.close()
    }
  }

  @Test("whole bodies come whole in every form", arguments: ["length", "chunked", "close", "gzip"])
  func whole(form: String) async throws {
    try await withSandbox { sandbox, _ in
      let exchange = try Self.exchange()
      for bytes in [16, 1000, 65_536, 300_000] {
        let url = "\(sandbox.origin)/_sandbox/body?bytes=\(bytes)&as=\(form)"
        let (outcome, body) = try await Self.outcome(of: url, exchange)
        #expect(outcome == .answer(200))
        #expect(body == ControlPaths.sample(bytes))
      }
      await exchange.close()
    }
  }

  @Test("a packed page of followers comes whole")
  func packed() async throws {
    try await withSandbox { sandbox, client in
      let exchange = try Self.exchange()
      let path = "/github/users/octocat/followers"
      let answer = try await exchange.follow(Self.request(sandbox.origin + path), into: nil)
      #expect(answer.fields["Content-Encoding"] == "gzip")
      #expect(answer.body == (try await client.get(path)).body)
      await exchange.close()
    }
  }

  @Test("a redirect to another origin arrives there without the credential")
  func credential() async throws {
    let faults = try FaultSpec(parsing: "redirect-host=50%")
    try await withSandbox(options { $0.faults = faults }) { sandbox, _ in
      let exchange = try Self.exchange()
      var request = try Self.request("\(sandbox.origin)/github/users/octocat")
      request.credential = Credential(
        place: .header(name: "Authorization", prefix: "Bearer "), secret: Secret("token"),
        origins: [request.address.origin])
      for _ in 0..<20 { _ = try? await exchange.follow(request, into: nil) }
      let asked = sandbox.requests(api: "github")
      let elsewhere = asked.filter { $0.host.hasPrefix("localhost") }
      #expect(!elsewhere.isEmpty)
      #expect(elsewhere.allSatisfy { !$0.headerNames.contains("Authorization") })
      let here = asked.filter { !$0.host.hasPrefix("localhost") }
      #expect(here.count == 20)
      #expect(here.allSatisfy { $0.headerNames.contains("Authorization") })
      await exchange.close()
    }
  }
}
