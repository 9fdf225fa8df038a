internal import Base

/// NewsAPI's refusals.
enum NewsAPIErrors {
  static let keyMissing = error(
    401, "apiKeyMissing",
    "Your API key is missing. Append this to the URL with the apiKey param, or use the x-api-key "
      + "HTTP header.")

  static let notFound = error(404, "notFound", "There is nothing at this address.")

  static let noUserAgent = error(
    400, "userAgentMissing", "Please set your User-Agent header to identify your application.")

  static let tooBroad = error(
    400, "parametersMissing",
    "Required parameters are missing, the scope of your search is too broad. Please set any of "
      + "the following required parameters and try again: q, sources.")

  static let noFilter = error(
    400, "parametersMissing",
    "Required parameters are missing. Please set any of the following parameters and try again: "
      + "sources, q, language, country, category.")

  static let rateLimited = error(
    429, "rateLimited",
    "You have made too many requests recently. Developer accounts are limited to 100 requests "
      + "over a 24 hour period (50 requests available every 12 hours). Please upgrade to a paid "
      + "plan if you need more requests.")

  /// The refusal of a key that begins with `bad`; nil for others.
  static func refused(key: String) -> Reply? {
    guard key.hasPrefix("bad") else { return nil }
    return error(
      401, "apiKeyInvalid",
      "Your API key is invalid or incorrect. Check your key, or get a new one.")
  }

  static func invalid(_ parameter: String, _ value: String) -> Reply {
    error(400, "parameterInvalid", "The \(parameter) parameter has a wrong value: \"\(value)\".")
  }

  /// Reports the range that was requested, not what exists.
  static func tooMany(from: Int, to: Int, max: Int) -> Reply {
    error(
      426, "maximumResultsReached",
      "You have requested too many results. Developer accounts are limited to a max of \(max) "
        + "results. You are trying to request results \(from) to \(to). Please upgrade to a paid "
        + "plan if you need more results.")
  }

  /// Both are given as days, which may be the same.
  static func tooFarBack(floor: Instant, asked: Instant) -> Reply {
    error(
      426, "parameterInvalid",
      "You are trying to request results too far in the past. Your plan permits you to request "
        + "articles as far back as \(floor.description.prefix(10)), but you have requested "
        + "\(asked.description.prefix(10)). You may need to upgrade to a paid plan.")
  }

  private static func error(_ status: Int, _ code: String, _ message: String) -> Reply {
    .object(status: status) { json in
      json.member("status", "error")
      json.member("code", code)
      json.member("message", message)
    }
  }
}
