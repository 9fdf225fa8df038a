internal import Base

/// GitHub's refusals.
enum GitHubErrors {
  private static let docs = "https://docs.github.com/rest"

  static let notFound = error(404, "Not Found", "\(docs)/users/users#get-a-user")
  static let badCredentials = error(401, "Bad credentials", docs)
  static let beyondSearch = error(
    422, "Only the first 1000 search results are available", "\(docs)/search/search")

  /// Not JSON, and with no specific type.
  static let noUserAgent = Reply(
    403, [("Content-Type", "application/octet-stream")],
    body: Array(
      """
      Request forbidden by administrative rules. Please make sure your request has a User-Agent \
      header. See \(docs)/overview/resources-in-the-rest-api#user-agent-required.\n
      """.utf8))

  static func version(_ version: String) -> Reply {
    error(400, "\"\(version)\" is not a supported version of the API", "\(docs)/about-the-rest-api")
  }

  static func spent(account: String) -> Reply {
    let who = account.isEmpty ? "127.0.0.1" : "user ID 583231"
    let hint =
      account.isEmpty
      ? " (But here's the good news: Authenticated requests get a higher rate limit.)" : ""
    return error(
      403, "API rate limit exceeded for \(who).\(hint)",
      "\(docs)/overview/rate-limits-for-the-rest-api")
  }

  static func validation(_ problem: GitHubSearch.Problem) -> Reply {
    .object(status: 422) { json in
      json.member("message", "Validation Failed")
      json.array("errors") { json in
        json.object { json in
          json.member("resource", "Search")
          json.member("field", "q")
          json.member("code", problem == .missing ? "missing" : "invalid")
        }
      }
      json.member("documentation_url", "\(docs)/search/search")
      json.member("status", "422")
    }
  }

  /// The limits that no header announces. Nil for other faults.
  static func secondary(_ fault: FaultKind) -> Reply? {
    let text =
      "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    let page = "\(docs)/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
    var reply = error(fault == .secondaryLimit ? 429 : 403, text, page)
    switch fault {
    case .secondaryRetry:
      reply["Retry-After"] = "1"
    case .secondaryBare:
      reply["X-RateLimit-Limit"] = "5000"
      reply["X-RateLimit-Remaining"] = "4321"
    case .secondaryLimit:
      reply["gh-limited-by"] = "search-elapsed-time-shared-grouped"
    default:
      return nil
    }
    reply.fault = fault
    return reply
  }

  /// With the fields that report the limit.
  static func counted(
    _ reply: Reply, _ key: GitHubQuota.Key, _ quota: GitHubQuota.State
  ) -> Reply {
    var reply = reply
    reply.fields += [
      ("X-RateLimit-Limit", String(quota.limit)),
      ("X-RateLimit-Remaining", String(quota.remaining)),
      ("X-RateLimit-Used", String(quota.used)),
      ("X-RateLimit-Reset", String(quota.resetsAt.seconds)),
      ("X-RateLimit-Resource", key.resource.rawValue),
    ]
    return reply
  }

  static func write(_ quota: GitHubQuota.State, to json: inout JSONWriter) {
    json.member("limit", quota.limit)
    json.member("used", quota.used)
    json.member("remaining", quota.remaining)
    json.member("reset", Int(quota.resetsAt.seconds))
  }

  private static func error(_ status: Int, _ message: String, _ page: String) -> Reply {
    .object(status: status) { json in
      json.member("message", message)
      json.member("documentation_url", page)
      json.member("status", String(status))
    }
  }
}
