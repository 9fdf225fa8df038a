internal import Base

/// YouTube's refusals.
enum YouTubeErrors {
  /// The list of errors only says "bad request"; the details name the key.
  static let badKey: Reply = {
    let text = "API key not valid. Please pass a valid API key."
    return error(
      400, text, domain: "global", reason: "badRequest", status: "INVALID_ARGUMENT"
    ) { json in
      info("API_KEY_INVALID", [("service", "youtube.googleapis.com")], to: &json)
      json.object { json in
        json.member("@type", "type.googleapis.com/google.rpc.LocalizedMessage")
        json.member("locale", "en-US")
        json.member("message", text)
      }
    }
  }()

  static let noKey: Reply = error(
    403,
    "Method doesn't allow unregistered callers (callers without established identity). Please use "
      + "API Key or other form of API consumer identity to call this API.",
    domain: "global", reason: "forbidden", status: "PERMISSION_DENIED")

  /// No parameter selects anything.
  static func noFilter(_ names: [String]) -> Reply {
    error(
      400, "No filter selected. Expected one of: \(names.joined(separator: ", "))",
      domain: "youtube.parameter", reason: "missingRequiredParameter", location: "parameters.",
      locationType: "other")
  }

  /// The day's searches are used up: a 429, with the reason of a short burst.
  static func searchesSpent(limit: Int) -> Reply {
    quota(
      metric: "Search Queries", name: "Search Queries per day",
      limit: "defaultSearchListPerDayPerProject", unit: "1/d/{project}",
      key: "youtube.googleapis.com/search_list", value: limit)
  }

  /// The day's statistics are used up, under an undocumented name.
  static let statisticsSpent = quota(
    metric: "Video statistics queries", name: "Video statistics queries per day",
    limit: "defaultVideosBatchGetStatsPerDayPerProject", unit: "1/d/{project}",
    key: "youtube.googleapis.com/videos_batch_get_stats", value: 10_000)

  /// The day's units are used up: a 403, with HTML in its message.
  static let unitsSpent = error(
    403,
    "The request cannot be completed because you have exceeded your "
      + "<a href=\"/youtube/v3/getting-started#quota\">quota</a>.",
    domain: "youtube.quota", reason: "quotaExceeded")

  static let invalidPageToken = error(
    400, "The request specifies an invalid page token.", domain: "youtube.parameter",
    reason: "invalidPageToken", location: "pageToken")

  static let playlistNotFound = error(
    404,
    "The playlist identified with the request's <code>playlistId</code> parameter cannot be found.",
    domain: "youtube.playlistItem", reason: "playlistNotFound", location: "playlistId")

  /// The message is an unfilled template, as at YouTube.
  static let unknownPart = error(
    400, "{0}", domain: "youtube.part", reason: "unknownPart", location: "part")

  static let notFound = error(
    404, "The requested URL was not found on this server.", domain: "global", reason: "notFound")

  static func missing(_ parameter: String) -> Reply {
    error(
      400, "Required parameter: \(parameter)", domain: "youtube.parameter",
      reason: "missingRequiredParameter", location: parameter)
  }

  static func invalid(_ parameter: String, _ value: String) -> Reply {
    error(
      400, "Invalid value at '\(parameter)': \"\(value)\"", domain: "youtube.parameter",
      reason: "invalidParameter", location: parameter)
  }

  private static func quota(
    metric: String, name: String, limit: String, unit: String, key: String, value: Int
  ) -> Reply {
    error(
      429,
      "Quota exceeded for quota metric '\(metric)' and limit '\(name)' of service "
        + "'youtube.googleapis.com' for consumer 'project_number:1'.",
      domain: "global", reason: "rateLimitExceeded", status: "RESOURCE_EXHAUSTED"
    ) { json in
      info(
        "RATE_LIMIT_EXCEEDED",
        [
          ("quota_limit", limit), ("quota_unit", unit), ("service", "youtube.googleapis.com"),
          ("quota_metric", key), ("consumer", "projects/1"), ("quota_location", "global"),
          ("quota_limit_value", String(value)),
        ], to: &json)
    }
  }

  private static func info(
    _ reason: String, _ metadata: [(String, String)], to json: inout JSONWriter
  ) {
    json.object { json in
      json.member("@type", "type.googleapis.com/google.rpc.ErrorInfo")
      json.member("reason", reason)
      json.member("domain", "googleapis.com")
      json.object("metadata") { json in
        for (name, value) in metadata { json.member(name, value) }
      }
    }
  }

  private static func error(
    _ code: Int, _ message: String, domain: String, reason: String, location: String? = nil,
    locationType: String = "parameter", status: String? = nil,
    details: ((inout JSONWriter) -> Void)? = nil
  ) -> Reply {
    .object(status: code) { json in
      json.object("error") { json in
        json.member("code", code)
        json.member("message", message)
        json.array("errors") { json in
          json.object { json in
            json.member("message", message)
            json.member("domain", domain)
            json.member("reason", reason)
            if let location {
              json.member("location", location)
              json.member("locationType", locationType)
            }
          }
        }
        // Older answers have neither.
        if let status { json.member("status", status) }
        if let details { json.array("details") { details(&$0) } }
      }
    }
  }
}
