internal import Base

/// Whether an error speaks of a limit on requests, which passes by itself: APIs send such words with a 400, 402, 403 or
/// 420 when they mean 429.
struct LimitWords {
  private let words: [String]

  /// - Parameter text: a sentence, or a word for programs such as `dailyLimitExceeded`.
  init(_ text: String) {
    var all = [""]
    var wasSmall = false
    for letter in text where letter.isASCII {
      if !letter.isLetter || wasSmall && letter.isUppercase { all.append("") }
      if letter.isLetter { all[all.count - 1].append(letter) }
      wasSmall = letter.isLowercase
    }
    words = all.filter { !$0.isEmpty }.map { $0.lowercased() }
  }

  /// Said of nothing else, whatever the status.
  var areCertain: Bool {
    words.indices.contains { index in
      // cut: no expression is longer
      let letters = words[index...].prefix(Self.certainMax).joined()
      return Self.certain.contains { letters.hasPrefix($0) }
    }
  }

  /// GraphQL: "Field 'rateLimit' doesn't exist on type 'Query'".
  var areOfField: Bool { Self.has(words, ["field", "argument"]) }

  /// Words of a limit beside one that it is reached, if it is on requests and not on a size, and no money is needed.
  var areLikely: Bool {
    // "Upgrade today" is no end of a limit.
    let isPaid = Self.has(words, Self.sales) && !Self.has(words, Self.times.subtracting(["today"]))
    return !isPaid
      && words.indices.contains { index in
        guard Self.limits.contains(words[index]) else { return false }
        let near = words[max(0, index - Self.reach)...min(words.count - 1, index + Self.reach)]
        let isReached =
          Self.has(near, Self.ends)
          || zip(near, near.dropFirst()).contains { $0 == "used" && $1 == "up" }
        return isReached && !Self.has(near, Self.sizes)
          && (words[index] == "quota" || Self.has(near, Self.requests.union(Self.times)))
      }
  }

  private static func has(_ words: some Sequence<String>, _ listed: Set<String>) -> Bool {
    words.contains { listed.contains($0) }
  }

  private static let reach = 5
  /// Words in the longest of `certain`, which begin with a word: `generate limits` is no rate limit.
  private static let certainMax = 3
  private static let certain = [
    "ratelimit", "toomanyrequests", "quotaexceeded", "exceededyourquota", "throttled",
    "resourceexhausted", "dailylimitexceeded",
  ]
  private static let limits: Set = ["quota", "limit", "limits"]
  private static let ends: Set = ["exceeded", "reached", "exhausted", "spent"]
  private static let requests: Set = [
    "api", "call", "calls", "query", "queries", "request", "requests", "usage",
  ]
  private static let times: Set = [
    "minute", "hour", "hourly", "day", "daily", "month", "monthly", "midnight", "today", "tomorrow",
  ]
  private static let sizes: Set = [
    "disk", "file", "items", "length", "page", "pages", "records", "results", "rows", "size",
    "storage", "upload",
  ]
  private static let sales: Set = ["upgrade", "purchase", "buy", "subscribe", "trial", "lifetime"]
}
