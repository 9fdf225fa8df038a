import SandboxKit
import TestSupport
import Testing

/// What a sandbox was asked for, counted.
struct Asked {
  let api: [LoggedRequest]
  let images: [LoggedRequest]

  init(_ sandbox: Sandbox, since: Int = 0) {
    let all = sandbox.requests(since: since)
    api = all.filter { $0.api == "github" }
    images = all.filter { $0.api == "media" }
  }

  /// Targets that were answered in full more than once, with the number of answers too many. A walk
  /// over several pages reads the first page of its list once more at its end; `walks` says how
  /// many walks of a list there may have been.
  static func repeated(_ requests: [LoggedRequest], walks: Int = 1) -> [String: Int] {
    var counts: [String: Int] = [:]
    for request in requests where request.status == 200 && request.outcome == "answered" {
      counts[request.target, default: 0] += 1
    }
    let lists = Set(
      requests.map(\.target).filter { $0.holds("&page=") }
        .map { String($0.pieces(around: "/").last?.prefix { $0 != "?" } ?? "") })
    var tooMany: [String: Int] = [:]
    for (target, count) in counts {
      let isFirst = !target.holds("&page=") && lists.contains { target.holds("/\($0)?") }
      let allowed = 1 + (isFirst ? walks : 0)
      if count > allowed { tooMany[target] = count - allowed }
    }
    return tooMany
  }
}

extension Sandbox {
  /// The number of the last request so far: what comes later is told by `Asked(_, since:)`.
  var lastRequest: Int { requests().map(\.number).max() ?? 0 }

  /// Waits until so many requests have come, or the program has ended.
  func hasBeenAsked(_ count: Int, api: String? = nil) async throws {
    try await until("\(count) requests") { self.requests(api: api).count >= count }
  }

  /// The small one with a few settings of a test's own.
  static func changed(
    _ change: (inout SandboxOptions) throws -> Void = { _ in }
  ) throws -> Sandbox {
    var options = SandboxOptions(size: .small)
    try change(&options)
    return try Sandbox.start(options)
  }

  static func small(
    seed: UInt64 = 1, followers: Int = 57, users: Int = 150, faults: String? = nil, drift: Int = 0
  ) throws -> Sandbox {
    var options = SandboxOptions(size: .small)
    options.seed = seed
    options.gitHub.followers = followers
    options.gitHub.users = users
    // The hour of an anonymous client is not what these tests are about.
    options.gitHub.anonymousPerHour = 1_000_000
    options.drift = drift
    if let faults { options.faults = try FaultSpec(parsing: faults) }
    return try Sandbox.start(options)
  }
}
