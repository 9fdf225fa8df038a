/// What a run reports while it works. One stream of events feeds the live lines, `STATUS=`, the watchdog and the
/// `--json` lines; the engine never prints.
public enum RunEvent: Sendable {
  case runStarted(run: String, job: String, note: String)
  case unitStarted(UnitLabel)
  /// The unit is resumed where an earlier run stopped: the text says where.
  case unitResumed(UnitLabel, text: String)
  /// `counts` are the unit's sums so far.
  case pageStored(UnitLabel, ordinal: Int, counts: Counts, bytes: Int)
  /// The list's length is known: a sentence on what it will cost, before the next page is requested.
  case totalKnown(UnitLabel, records: Int?, pages: Int?, text: String)
  case waiting(UnitLabel?, reason: String, until: Instant)
  case waitEnded(UnitLabel?)
  case warning(UnitLabel?, text: String)
  case unitConcluded(UnitFacts)
  case images(ImageTally)
  case runConcluded(RunFacts)
}

/// The name of a unit for people.
public struct UnitLabel: Hashable, Sendable {
  public var stream: String
  /// `followers of octocat`.
  public var listName: String

  public init(stream: String, listName: String) {
    self.stream = stream
    self.listName = listName
  }
}
