internal import Base

/// The shares of requests that are hit by faults.
public struct FaultSpec: Sendable {
  /// Kinds with their share of all requests, from 0 to 1; at most 1 in all.
  private var shares: [(kind: FaultKind, share: Double)] = []

  public init() {}

  /// Reads `KIND=SHARE[,KIND=SHARE...]`; a share is `0.05` or `5%`. `plain` divides its share among all kinds that pass
  /// when repeated.
  public init(parsing text: String) throws(SandboxArguments.Problem) {
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2 else {
        throw Self.wrong("\"\(part)\" is not KIND=SHARE, as in status500=0.05")
      }
      let share = try Self.share(words[1], of: part)
      if words[0] == "plain" {
        let each = share / Double(FaultKind.plain.count)
        shares += FaultKind.plain.map { ($0, each) }
      } else if let kind = FaultKind(rawValue: String(words[0])) {
        shares.append((kind, share))
      } else {
        let names = FaultKind.allCases.map(\.rawValue) + ["plain"]
        let near = Suggestion.nearest(to: String(words[0]), in: names)
        let hint = near.map { "; did you mean \"\($0)\"?" } ?? "; trawl-sandbox --help lists them"
        throw Self.wrong("no fault is called \"\(words[0])\"\(hint)")
      }
    }
    // Shares that should add up to 1 may differ in the last bit.
    guard shares.reduce(0, { $0 + $1.share }) <= 1 + 1e-9 else {
      throw Self.wrong("the shares add up to more than 1: what is left is answered well")
    }
  }

  private static func wrong(_ sentence: String) -> SandboxArguments.Problem {
    SandboxArguments.Problem(description: "--faults: " + sentence)
  }

  private static func share(
    _ word: Substring, of part: Substring
  ) throws(SandboxArguments.Problem) -> Double {
    let isPercent = word.hasSuffix("%")
    guard let number = Double(isPercent ? word.dropLast() : word), number.isFinite else {
      throw wrong("the share in \"\(part)\" is no number, as in 0.05 or 5%")
    }
    let share = isPercent ? number / 100 : number
    guard (0...1).contains(share) else {
      throw wrong("the share in \"\(part)\" must lie in 0...1")
    }
    return share
  }

  /// The fault of a request, which depends only on the seed and the request's number, so that a repeated request has
  /// the usual chance.
  func draw(seed: UInt64, number: Int) -> FaultKind? {
    guard !shares.isEmpty else { return nil }
    var point = SeededRandom.fraction(SeededRandom.mixed(seed ^ 0xFA17, UInt64(number)))
    for share in shares {
      if point < share.share { return share.kind }
      point -= share.share
    }
    return nil
  }
}
