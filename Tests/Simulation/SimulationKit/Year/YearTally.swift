/// The results of a year: its nights by exit code, alerts without a reason, reasons without an alert, and differences
/// from the world.
public struct YearTally: Sendable {
  struct Night: Sendable {
    let plan: YearPlan.Night
    /// The exit code of the last process; nil: it was killed.
    var code: Int32?
    /// The last certificate before the night's first start.
    var certificate: Int64?
    var problems: [String] = []
    /// Alerts after each of its runs.
    var calls: [YearAlarm.Call] = []
    /// The alert that the plan expects.
    var expected = YearWatch.Expected.either
    /// Lists that it certainly leaves worse than before.
    var spoiled: [String] = []
    /// What can never be read any more.
    var lost: String?
    private(set) var story: [String] = []

    init(_ plan: YearPlan.Night) {
      self.plan = plan
      say("night \(plan.number): \(plan.what)\(plan.drift.map { "; moves: \($0)" } ?? "")")
    }

    mutating func say(_ text: String) { story.append(text) }
  }

  public let seed: UInt64
  public private(set) var codes: [Int32: Int] = [:]
  public private(set) var killed = 0
  public internal(set) var off = 0
  /// Nights with an alert but without a reason.
  public private(set) var noise: [String] = []
  /// Nights with a reason but without an alert.
  public private(set) var silence: [String] = []
  /// Differences from the world.
  public private(set) var problems: [String] = []
  /// First sentences of alerts that differ from the plan.
  public private(set) var words: [String] = []
  public private(set) var woke = 0
  /// Nights for which the plan decides whether an alert is due.
  public private(set) var decided = 0
  public private(set) var story: [String] = []
  /// What must be reported in the first night that reads everything.
  private var pending: [String] = []

  private static let storyMax = 200
  private static let problemsMax = 4

  init(seed: UInt64) { self.seed = seed }

  public var isRight: Bool { (problems + noise + silence + words).isEmpty }

  mutating func add(_ night: Night) {
    let name = "night \(night.plan.number)"
    let mark = (problems.count, noise.count, silence.count, words.count)
    problems += night.problems.prefix(Self.problemsMax).map { "\(name): \($0)" }
    let others = night.problems.count - Self.problemsMax
    if others > 0 { problems.append("\(name): \(others) more like these") }
    if let code = night.code { codes[code, default: 0] += 1 } else { killed += 1 }
    let wakes = night.code.map { !Year.successes.contains($0) } ?? false
    judge(night)
    if let lost = night.lost, !pending.contains(lost) { pending.append(lost) }
    switch night.plan.exit {
    case .always:
      if !wakes { silence.append("\(name): exit code \(night.code ?? 0)") }
    case .once, .never, .perhaps:
      if night.plan.exit == .once { pending.append("\(night.plan.what): exit code") }
      if wakes {
        if pending.isEmpty, night.plan.exit == .never {
          noise.append("\(name): exit code \(night.code ?? 0)")
        }
        pending = []
      } else if night.plan.isClear, !pending.isEmpty, night.code != nil {
        silence += pending.map { "\(name): \($0)" }
        pending = []
      }
    }
    let isWrong = mark != (problems.count, noise.count, silence.count, words.count)
    // cut: the command that repeats the seed shows the rest
    if Simulation.isReplay || isWrong && story.count < Self.storyMax { story += night.story }
  }

  /// Compares the alerts with the expected ones.
  private mutating func judge(_ night: Night) {
    let name = "night \(night.plan.number)"
    // News that something is over wakes nobody.
    let ends = night.calls.filter { $0.line.contains(" recovered after ") }
    let calls = night.calls.map(\.line).filter { $0.contains(" needs you, since ") }
    if ends.count + calls.count < night.calls.count || !ends.isEmpty && !night.spoiled.isEmpty {
      words.append("\(name), with \(night.spoiled): \(night.calls.map(\.line))")
    }
    words += calls.filter { !Self.names($0) }.map { "\(name): \($0)" }
    woke += calls.isEmpty ? 0 : 1
    switch night.expected {
    case .either: return
    case .nobody:
      if let call = calls.first { noise.append("\(name): \(call)") }
    case .somebody(let expected):
      guard let call = calls.first else {
        return silence.append("\(name): \(expected.joined(separator: ", "))")
      }
      if !expected.allSatisfy({ call.contains($0) }) {
        words.append("\(name): without \(expected): \(call)")
      }
    }
    decided += 1
  }

  /// The alert must say since when, and name a command that helps.
  private static func names(_ line: String) -> Bool {
    line.contains(": trawl ")
  }

  /// Adds another year.
  mutating func add(_ other: YearTally) {
    codes.merge(other.codes, uniquingKeysWith: +)
    (killed, off) = (killed + other.killed, off + other.off)
    (woke, decided) = (woke + other.woke, decided + other.decided)
    (noise, silence) = (noise + other.noise, silence + other.silence)
    (words, problems) = (words + other.words, problems + other.problems)
  }

  /// A year that did not come to its end.
  mutating func fail(_ why: String) { problems.append(why) }

  /// `366 nights: 301 × 0, 9 × 3, …`
  public var summary: String {
    let all =
      codes.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
      + ["\(killed) killed", "\(off) off"]
    return
      "\(codes.values.reduce(killed + off, +)) nights: \(all.joined(separator: ", ")); "
      + "\(decided) decided by the plan, \(woke) woke somebody, \(noise.count) of them for nothing, "
      + "\(silence.count) reasons passed in silence, \(words.count) wrong sentences, "
      + "\(problems.count) differences"
  }

  /// The summary and details, with the command that repeats the seed.
  public var failure: String {
    let told =
      noise.map { "\($0) without a reason" } + silence.map { "\($0), and nobody woke" }
      + words.map { "wrong sentence: \($0)" } + problems
    return (["seed \(seed): \(summary)"] + told.prefix(40) + story).joined(separator: "\n  ")
      + "\nreplay: make year SEED=\(seed)"
  }
}
