internal import Base

/// GIPHY's refusals.
enum GiphyErrors {
  static let notFound = meta(404, "Not Found")
  static let badRequest = meta(400, "Bad Request")
  static let tooLong = meta(414, "URI Too Long")

  /// Without data or a response id.
  static let badKey = metaOnly(403, "Forbidden")

  static let noKey = message(401, "No API key found in request")

  /// The two bodies for a spent hour, alternately.
  static func spent(_ refused: Int) -> Reply {
    let text = "API rate limit exceeded"
    return refused.isMultiple(of: 2) ? message(429, text) : meta(429, text)
  }

  private static func meta(_ status: Int, _ text: String) -> Reply {
    .object(status: status) { json in
      json.array("data") { _ in }
      writeMeta(status, text, responseID: "", to: &json)
    }
  }

  private static func metaOnly(_ status: Int, _ text: String) -> Reply {
    .object(status: status) { json in
      json.object("meta") { json in
        json.member("status", status)
        json.member("msg", text)
      }
    }
  }

  private static func message(_ status: Int, _ text: String) -> Reply {
    .object(status: status) { json in json.member("message", text) }
  }

  static func writeMeta(
    _ status: Int, _ text: String, responseID: String, to json: inout JSONWriter
  ) {
    json.object("meta") { json in
      json.member("status", status)
      json.member("msg", text)
      json.member("response_id", responseID)
    }
  }
}
