import Base
@testable import Crawl
import TestSupport
import Testing
import Walk

/// Keeps a secret that rotates, as the test says.
private final class Keeper: SecretKeeper {
  let place = "/keys/shop-refresh"
  let kept = Locked<[String]>([])
  /// How often another process still uses it.
  private let busy: Locked<Int>
  fileprivate let problem: SecretKeepingProblem?

  init(busy: Int = 0, problem: SecretKeepingProblem? = nil) {
    (self.busy, self.problem) = (Locked(busy), problem)
  }

  func takeTurn() throws(SecretKeepingProblem) -> (any SecretTurn)? {
    let isFree = busy.withLock { left in
      left -= 1
      return left < 0
    }
    guard isFree else { return nil }
    return Turn(self)
  }
}

private final class Turn: SecretTurn {
  private let keeper: Keeper
  var secret: (hole: String, value: Secret) { ("refresh", Secret("canary-0")) }
  var wasSent: Bool { false }

  init(_ keeper: Keeper) { self.keeper = keeper }

  func begin() {}

  func keep(_ successor: Secret?) throws(SecretKeepingProblem) {
    if let problem = keeper.problem { throw problem }
    keeper.kept.withLock { $0.append(successor?.reveal() ?? "") }
  }
}

@Suite("Calls that need an access token")
struct TokenCallTests: LedgerBench {
  let folder = ScratchFolder(isInMemory: true)
  let time = VirtualTime()

  private static func job(rotates: Bool) throws -> Job {
    let things = """
      things: {
        get: "/things", pages: { by: "single" }, records: "items", key: ["id"],
        columns: { id: "id as integer" },
      },
      """
    let head = """
      auth: {
        to: "header:Authorization Bearer {secret}",
        secret: { id: "shop-id", key: "shop-key", refresh: "shop-refresh" },
        token: {
          post: "/oauth/token", \(rotates ? "rotates: { refresh: \"refresh_token\" }," : "")
          form: {
            grant_type: "refresh_token", client_id: "{id}", client_secret: "{key}",
            refresh_token: "{refresh}",
          },
        },
      },
      """
    return try .file(things, name: "shop", head: head)
  }

  /// Its tokens come late, each with another refresh token.
  private let exchange = ScriptedExchange { request, _ in
    guard request.lastPart == "token" else { return .success(.json(request)) }
    for _ in 0..<2_000 { await Task.yield() }
    return .success(
      .json(request, #"{"access_token":"canary-access","refresh_token":"canary-1"}"#))
  }

  /// The ends of some calls at once, and the run's warnings.
  private func calls(
    _ count: Int = 1, _ keeper: Keeper? = nil,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) async throws -> (ends: [Outcome<Int>], warnings: [String]) {
    let job = try Self.job(rotates: keeper != nil)
    let origin = job.base.origin
    let ledger = try await ledger()
    var grant = TokenGrant(
      try #require(job.authentication?.token), at: try WebAddress("\(origin)/oauth/token"),
      secrets: [
        "id": Secret("canary-id"), "key": Secret("canary-key"), "refresh": Secret("canary-0"),
      ])
    grant.keeper = keeper
    var credential = Credential(
      place: .header(name: "Authorization", prefix: "Bearer "), secret: Secret("-"),
      origins: [origin])
    credential.grant = grant
    let request = Request(
      try WebAddress("\(job.base)/things"), credential: credential, rule: AddressRule())
    let requester = Requester(
      exchange, time: time.timekeeper, ledger: ledger, isInterrupted: isInterrupted)
    let quotas = try JobQuotas(job: job, account: "nobody", hasKey: true)
    let call = Call<Int>(
      request: request,
      booking: .api(quotas, spends: [:], HostBreaker(ledger, host: origin)), patience: .once,
      name: "things"
    ) { _ in
      Attempt { .value($0.status) }
    }
    let ends = await withTaskGroup(of: Outcome<Int>.self) { group in
      for _ in 0..<count { group.addTask { await requester.attemptAll(call) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    await ledger.close()
    return (ends, requester.recorder.snapshot().warnings)
  }

  private static func statuses(_ ends: [Outcome<Int>]) -> [Int] {
    ends.compactMap { if case .value(let status) = $0 { status } else { nil } }
  }

  private var asked: [String] { exchange.asked.map(\.lastPart) }

  @Test("share one, and a refresh token that came unexpectedly is told, with what it may need")
  func shared() async throws {
    let (ends, warnings) = try await calls(5)
    #expect(Self.statuses(ends) == [200, 200, 200, 200, 200])
    #expect(asked.count { $0 == "token" } == 1 && asked.count == 6)
    let warning = try #require(warnings.first)
    #expect(warnings.count == 1 && warning.contains(#"add rotates: { refresh: "refresh_token" }"#))
    #expect(!warning.contains("canary"))
  }

  @Test("wait while another process uses the secret that rotates, and keep its successor")
  func inTurn() async throws {
    let keeper = Keeper(busy: 3)
    #expect(Self.statuses(try await calls(1, keeper).ends) == [200])
    #expect(time.slept.count == 3 && keeper.kept.withLock { $0 } == ["canary-1"])
  }

  @Test("end by a signal while another process uses the secret, and send nothing")
  func interrupted() async throws {
    let ends = try await calls(1, Keeper(busy: .max)) { [time] in time.slept.count > 2 }.ends
    guard case .stopped = ends[0] else {
      Issue.record("\(ends)")
      return
    }
    #expect(asked.isEmpty)
  }

  @Test(
    "send no token whose secret's successor could not be kept: the disk's fault, or the key's",
    arguments: [true, false])
  func unkept(isInWriting: Bool) async throws {
    let problem = SecretKeepingProblem("no room", isInWriting: isInWriting)
    let ends = try await calls(1, Keeper(problem: problem)).ends
    let words = "a secret that is spent by its use cannot be kept: no room"
    switch ends[0] {
    case .broken(let error): #expect(isInWriting && error.sentence == words)
    case .decided(let decision, _): #expect(!isInWriting && decision == .keyRefused(message: words))
    default: Issue.record("\(ends)")
    }
    #expect(asked == ["token"])
  }
}
