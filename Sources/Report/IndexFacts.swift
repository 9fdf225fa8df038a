public import Base

/// All that `reports/index.html` shows, gathered by whoever knows it; the page only arranges it.
public struct IndexFacts: Sendable {
  public enum Tone: String, Sendable {
    case good, wait, bad
    /// Nothing to judge.
    case none = "soft"
  }

  /// One part of the page's headline: `1 waits until 04:10 UTC`.
  public struct Sum: Sendable {
    var text: String
    var tone: Tone

    public init(_ text: String, _ tone: Tone) {
      self.text = text
      self.tone = tone
    }
  }

  /// A job that needs a person.
  public struct Card: Sendable {
    var job: String
    var sentence: String
    var since: Instant?
    var steps: [NextStep]
    var run: String?

    public init(
      job: String, sentence: String, since: Instant?, steps: [NextStep], run: String?
    ) {
      self.job = job
      self.sentence = sentence
      self.since = since
      self.steps = steps
      self.run = run
    }
  }

  public struct JobLine: Sendable {
    var name: String
    var state: String
    var why: String
    var tone: Tone
    public var rows = 0
    /// Of the last day.
    public var change = Counts()
    public var gone = 0
    /// The last end that was good.
    public var lastGood: Instant?
    public var every: Duration?
    public var isLate = false
    /// The last runs, the oldest first.
    public var strip: [Tone] = []
    /// The newest run with a page.
    public var run: String?
    /// When the next run is due, or what it waits for.
    public var next = ""

    public init(name: String, state: String, why: String, tone: Tone) {
      self.name = name
      self.state = state
      self.why = why
      self.tone = tone
    }
  }

  public struct QuotaLine: Sendable {
    var facts: QuotaFacts
    var origin: String
    var account: String
    var why: String?
    /// Jobs that wait for it.
    public var waiting: [String]

    public init(
      facts: QuotaFacts, origin: String, account: String, why: String?, waiting: [String]
    ) {
      self.facts = facts
      self.origin = origin
      self.account = account
      self.why = why
      self.waiting = waiting
    }
  }

  /// A table in which something came, changed or went within the last day.
  public struct ChangeLine: Sendable {
    var job: String
    var table: String
    var new: Int
    var changed: Int
    var gone: Int

    public init(job: String, table: String, new: Int, changed: Int, gone: Int) {
      self.job = job
      self.table = table
      self.new = new
      self.changed = changed
      self.gone = gone
    }
  }

  public struct RunLine: Sendable {
    var job: String
    var run: String
    var command: String
    var startedAt: Instant
    var endedAt: Instant
    /// The outcome in words.
    var outcome: String
    var exitCode: Int
    var tone: Tone

    public init(
      job: String, run: String, command: String, startedAt: Instant, endedAt: Instant,
      outcome: String, exitCode: Int, tone: Tone
    ) {
      self.job = job
      self.run = run
      self.command = command
      self.startedAt = startedAt
      self.endedAt = endedAt
      self.outcome = outcome
      self.exitCode = exitCode
      self.tone = tone
    }
  }

  var writtenAt: Instant
  public var sums: [Sum] = []
  public var cards: [Card] = []
  /// Worst first.
  public var jobs: [JobLine] = []
  public var quotas: [QuotaLine] = []
  /// How many more there are.
  public var quotasLeftOut = 0
  public var changes: [ChangeLine] = []
  /// The newest first.
  public var runs: [RunLine] = []
  public var hasOlderRuns = false

  /// Of each job, in its strip.
  public static let stripMax = 30
  public static let runsMax = 200

  public init(writtenAt: Instant) { self.writtenAt = writtenAt }
}
