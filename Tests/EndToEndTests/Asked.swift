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
  /// over several pages reads the first page of its list once more at its end, and one over three or
  /// more looks at the last page right after the first; `walks` says how many walks of a list there
  /// may have been.
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

  /// The number of a page behind the first.
  private static func page(_ target: String) -> Int? {
    let parts = target.pieces(around: "&page=")
    return parts.count > 1 ? Int(parts[1].prefix { $0 != "&" }) : nil
  }
}

extension Sandbox {
  /// The number of the last request so far: what comes later is told by `Asked(_, since:)`.
  var lastRequest: Int { requests().map(\.number).max() ?? 0 }

  /// One that ends with its test.
  private static func started(_ options: SandboxOptions) throws -> Sandbox {
    let sandbox = try Sandbox.start(options)
    TestEnd.then { sandbox.stop() }
    return sandbox
  }

  /// The small one with a few settings of a test's own.
  static func changed(
    _ change: (inout SandboxOptions) throws -> Void = { _ in }
  ) throws -> Sandbox {
    var options = SandboxOptions(size: .small)
    try change(&options)
    return try started(options)
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
    return try started(options)
  }
}
