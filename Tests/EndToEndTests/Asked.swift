import SandboxKit
import TestSupport
import Testing

/// The requests that a sandbox received.
struct Asked {
  let api: [LoggedRequest]
  let images: [LoggedRequest]

  init(_ sandbox: Sandbox, since: Int = 0) {
    let all = sandbox.requests(since: since)
    api = all.filter { $0.api == "github" }
    images = all.filter { $0.api == "media" }
  }

  /// Targets that were answered in full more often than needed, with the number of surplus answers. A walk of several
  /// pages reads page 1 again at its end, and one of three or more looks at the last page after the first; `walks` is
  /// the number of walks that each list may have had.
  static func repeated(_ requests: [LoggedRequest], walks: Int = 1) -> [String: Int] {
    var counts: [String: Int] = [:]
    for request in requests where request.status == 200 && request.outcome == "answered" {
      counts[request.target, default: 0] += 1
    }
    var lasts: [String: Int] = [:]
    for target in requests.map(\.target) {
      if let page = page(target) {
        lasts[list(target), default: 0] = max(lasts[list(target)] ?? 0, page)
      }
    }
    var tooMany: [String: Int] = [:]
    for (target, count) in counts {
      let last = lasts[list(target)]
      let isFirst = last != nil && page(target) == nil
      let isLookedAt = last.map { $0 > 2 && page(target) == $0 } ?? false
      let allowed = 1 + (isFirst || isLookedAt ? walks : 0)
      if count > allowed { tooMany[target] = count - allowed }
    }
    return tooMany
  }

  /// `followers`
  private static func list(_ target: String) -> String {
    String(target.pieces(around: "/").last?.prefix { $0 != "?" } ?? "")
  }

  /// Reads a page number after the first page.
  private static func page(_ target: String) -> Int? {
    let parts = target.pieces(around: "&page=")
    return parts.count > 1 ? Int(parts[1].prefix { $0 != "&" }) : nil
  }
}

extension Sandbox {
  /// Whether an answer is held back.
  var isStalled: Bool { requests().contains { $0.outcome == "stall-head" } }

  /// The number of the last request so far, for `Asked(_, since:)`.
  var lastRequest: Int { requests().map(\.number).max() ?? 0 }

  /// The small one with some settings of the test, which it ends with.
  static func changed(
    _ change: (inout SandboxOptions) throws -> Void = { _ in }
  ) throws -> Sandbox {
    var options = SandboxOptions(size: .small)
    try change(&options)
    let sandbox = try Sandbox.start(options)
    TestEnd.then { sandbox.stop() }
    return sandbox
  }

  static func small(
    seed: UInt64 = 1, followers: Int = 57, users: Int = 150, drift: Int = 0
  ) throws -> Sandbox {
    try changed {
      ($0.seed, $0.drift) = (seed, drift)
      $0.gitHub.followers = followers
      $0.gitHub.users = users
      // The hourly limit of anonymous clients does not matter here.
      $0.gitHub.anonymousPerHour = 1_000_000
    }
  }
}
