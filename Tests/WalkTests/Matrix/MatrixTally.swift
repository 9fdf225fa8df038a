import Base

/// Counts and prints the claims of walks.
struct MatrixTally {
  struct Claims {
    var walks = 0
    var complete = 0
    var falselyComplete = 0

    mutating func add(_ outcome: MatrixWalk.Outcome) {
      walks += 1
      if outcome.certificate.verdict == .complete { complete += 1 }
      if outcome.isFalse { falselyComplete += 1 }
    }

    /// Counts a walk with this proof.
    mutating func add(_ outcome: MatrixWalk.Outcome, _ proof: ProofKind) {
      walks += 1
      complete += 1
      if outcome.breaks(proof) { falselyComplete += 1 }
    }

    static func + (one: Claims, other: Claims) -> Claims {
      Claims(
        walks: one.walks + other.walks, complete: one.complete + other.complete,
        falselyComplete: one.falselyComplete + other.falselyComplete)
    }
  }

  /// What happens during the walk, or between two.
  enum Kind: String, CaseIterable {
    case one = "one change"
    case paused = "a pause and a change"
    case lifted = "a clamp lifted"
    case old = "an old copy"
    case aged = "one that tells its age"
    case pair = "two changes"
    case nights = "a change each night"

    /// Only tried by `make matrix`, and only shown by proof.
    var isBeyond: Bool {
      switch self {
      case .one, .paused, .lifted: false
      case .old, .aged, .pair, .nights: true
      }
    }
  }

  /// Lists at rest: how many are proven in which night, and the requests beyond their pages.
  struct Quiet {
    var lists = 0
    var proven = [0, 0]
    var extra = [0, 0]
  }

  let style: MovingList.Style
  let counted: MovingList.Count
  var claims: [Kind: Claims] = [:]
  /// By each proof of a walk, not only by its strongest.
  var proofs: [Kind: [ProofKind: Claims]] = [:]
  var quiet = Quiet()
  /// Everything that could happen to its lists, tried or not.
  var scripts = 0
  /// Walks that used an answer from before a change after one from after it.
  var crossed = 0
  /// Findings that were reported one by one.
  var shown = 0

  mutating func add(_ outcome: MatrixWalk.Outcome, _ kind: Kind) {
    claims[kind, default: Claims()].add(outcome)
    for proof in outcome.certificate.proofs {
      proofs[kind, default: [:]][proof, default: Claims()].add(outcome, proof)
    }
  }

  mutating func add(quiet outcome: MatrixWalk.Outcome, night: Int, pages: Int) {
    if night == 0 { quiet.lists += 1 }
    if outcome.certificate.verdict == .complete { quiet.proven[night] += 1 }
    quiet.extra[night] += outcome.requests - pages
  }

  // MARK: the tables

  private static func cell(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func share(_ part: Int, of all: Int) -> String {
    all == 0 ? "-" : "\(part * 100 / all) %"
  }

  /// To one decimal, rounded down.
  private static func mean(_ sum: Int, of count: Int) -> String {
    guard count > 0 else { return "-" }
    let tenths = sum * 10 / count
    return "\(tenths < 0 ? "-" : "+")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  private static func name(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  static func table(_ tallies: [MatrixTally], _ kinds: [Kind]) -> String {
    var lines = [
      name("paging", 22) + name("total", 20) + cell("walks", 9) + cell("complete", 10)
        + cell("false", 7) + "  | at rest:" + cell("night 1", 9) + cell("night 2", 9)
        + cell("requests beyond pages", 24)
    ]
    for tally in tallies {
      let all = kinds.filter { !$0.isBeyond }
        .compactMap { tally.claims[$0] }.reduce(Claims(), +)
      let quiet = tally.quiet
      lines.append(
        name(tally.style.rawValue, 22) + name(tally.counted.rawValue, 20) + cell("\(all.walks)", 9)
          + cell(share(all.complete, of: all.walks), 10) + cell("\(all.falselyComplete)", 7)
          + "  |         " + cell(share(quiet.proven[0], of: quiet.lists), 10)
          + cell(share(quiet.proven[1], of: quiet.lists), 9)
          + cell(
            mean(quiet.extra[0], of: quiet.lists) + " " + mean(quiet.extra[1], of: quiet.lists), 24)
      )
    }
    lines.append("")
    lines.append(name("false / claims", 22) + kinds.map { cell($0.rawValue, 24) }.joined())
    for proof in ProofKind.allCases {
      let cells = kinds.map { kind -> String in
        let sum = tallies.compactMap { $0.proofs[kind]?[proof] }.reduce(Claims(), +)
        return cell("\(sum.falselyComplete) / \(sum.complete)", 24)
      }
      lines.append(name(proof.rawValue, 22) + cells.joined())
    }
    return lines.joined(separator: "\n")
  }
}
