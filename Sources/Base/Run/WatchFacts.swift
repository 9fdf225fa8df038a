/// What a watched query reported after a run.
public struct WatchFacts: Sendable, Equatable {
  public var name: String
  public var new = 0
  public var changed = 0
  /// The first new or changed rows, as JSON objects.
  public var rows: [String] = []
  /// A note for the user: rows that were taken as known, or delivered.
  public var note = ""
  public var problem: String?
  /// The output of the program.
  public var output = ""

  public init(name: String) { self.name = name }
}
