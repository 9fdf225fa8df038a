internal import Base

/// One request as a dialect sees it.
struct SandboxRequest: Sendable {
  let head: RequestHead
  /// The number of the request on this server, from 1; the faults are drawn from it.
  let number: Int
  /// By the sandbox's own clock, which may be virtual.
  let now: Instant
  /// The decoded path segments after the API's name: `["users", "octocat"]`.
  let path: [String]
  let query: Query
  /// The query as sent, for answers that repeat it.
  let rawQuery: String
  /// A fault that the dialect must carry out; the core does all others.
  var fault: FaultKind?

  var isHead: Bool { head.method == "HEAD" }

  func header(_ name: String) -> String? { head[name] }

  /// `gzip` may be one of several names; a weight of 0 refuses it.
  var acceptsGzip: Bool {
    (header("Accept-Encoding") ?? "").split(separator: ",").contains { part in
      let words = String(part).split(separator: ";").map { String($0).trimmingBlanks }
      return words.first == "gzip" && !words.dropFirst().contains("q=0")
    }
  }

  /// The credential of an `Authorization: Bearer` or `token` field.
  var bearer: String? {
    guard let value = header("Authorization") else { return nil }
    let words = value.split(separator: " ", maxSplits: 1)
    guard words.count == 2, ["bearer", "token"].contains(words[0].lowercased()) else { return nil }
    let token = String(words[1]).trimmingBlanks
    return token.isEmpty ? nil : token
  }
}

/// The parts of a request target.
struct Target: Sendable {
  let segments: [String]
  let rawPath: Substring
  let rawQuery: Substring

  /// Empty segments other than the first are kept: a trailing slash means another resource, as at the real servers.
  init(_ text: String) {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    rawPath = parts[0]
    rawQuery = parts.count > 1 ? parts[1] : ""
    segments = parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
      String(decoding: PercentEncoding.decoded($0), as: UTF8.self)
    }
  }
}
