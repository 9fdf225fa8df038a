/// One way to break an answer. The raw value is its name in `--faults`, in `/_sandbox/arm?fault=KIND` and in the
/// request log.
public enum FaultKind: String, Sendable, CaseIterable {
  case status500, status502, status503
  case limitSeconds = "429-seconds"
  case limitDate = "429-date"
  case limitEpoch = "429-epoch"
  case limitNone = "429-none"
  case limitPast = "429-past"
  case limitGarbage = "429-garbage"
  case resetEarly = "reset-early"
  case resetMid = "reset-mid"
  case closeNow = "close-now"
  case cutLength = "cut-length"
  case cutChunked = "cut-chunked"
  case cutGzip = "cut-gzip"
  case cutJSON = "cut-json"
  case html200 = "html-200"
  case empty200 = "empty-200"
  case drip
  case redirectGopher = "redirect-gopher"
  case gzipBomb = "gzip-bomb"
  case endless
  case garbage
  case twoLengths = "two-lengths"
  case badChunk = "bad-chunk"
  case stallHead = "stall-head"
  case secondaryRetry = "secondary-retry"
  case secondaryBare = "secondary-bare"
  case secondaryLimit = "secondary-429"
  case healthNo = "health-no"

  /// What an answer needs so that the fault can break it; otherwise the answer is sent whole, and logged so.
  enum Need: Sendable { case nothing, body, json, dialect(String) }

  var need: Need {
    switch self {
    case .cutLength, .cutChunked, .cutGzip, .resetMid, .drip, .twoLengths, .badChunk, .empty200,
      .html200, .gzipBomb, .endless:
      .body
    case .cutJSON: .json
    case .secondaryRetry, .secondaryBare, .secondaryLimit: .dialect("github")
    case .healthNo: .dialect("openmarket")
    default: .nothing
    }
  }

  /// The group `plain`: all of these pass if the request is repeated soon, and a careful client cannot mistake any for
  /// a whole answer, whatever the body.
  static let plain: [FaultKind] = [
    .status500, .status502, .status503, .limitSeconds, .limitDate, .resetEarly, .resetMid,
    .closeNow, .cutLength, .cutChunked, .cutGzip, .cutJSON, .html200, .twoLengths,
  ]

  /// One line for the help.
  public var about: String {
    switch self {
    case .status500: "500 with a page of HTML"
    case .status502: "502 with a page of HTML"
    case .status503: "503 with a page of HTML, without Retry-After"
    case .limitSeconds: "429, Retry-After: 1"
    case .limitDate: "429, Retry-After: an HTTP date two seconds ahead"
    case .limitEpoch: "429, Retry-After: seconds since 1970, two ahead"
    case .limitNone: "429 without Retry-After"
    case .limitPast: "429, Retry-After: an HTTP date a minute ago"
    case .limitGarbage: "429, Retry-After: soon"
    case .resetEarly: "connection reset before the head"
    case .resetMid: "connection reset in the middle of the body"
    case .closeNow: "connection closed before the head"
    case .cutLength: "body shorter than its Content-Length"
    case .cutChunked: "chunked body that ends in mid-chunk"
    case .cutGzip: "gzip body that ends early, with the Content-Length of what is sent"
    case .cutJSON: "200, JSON cut in the middle, with the Content-Length of what is sent"
    case .html200: "200 and the JSON (or image) type over a page of HTML"
    case .empty200: "200 with no byte where a body is due"
    case .drip: "body in 100 pieces, 100 ms apart"
    case .redirectGopher: "302 to gopher://"
    case .gzipBomb: "gzip body of 420 KB that holds 64 MB"
    case .endless: "body without length and end"
    case .garbage: "bytes that are not HTTP"
    case .twoLengths: "two Content-Length fields that differ"
    case .badChunk: "chunked body with a size that is no number"
    case .stallHead: "no answer for 60 s, then the end"
    case .secondaryRetry: "GitHub: 403 secondary limit with Retry-After: 1, no X-RateLimit fields"
    case .secondaryBare: "GitHub: 403 secondary limit without Retry-After, thousands remaining"
    case .secondaryLimit: "GitHub: 429 secondary limit with gh-limited-by alone"
    case .healthNo: "Open Market's health check: NO"
    }
  }
}
