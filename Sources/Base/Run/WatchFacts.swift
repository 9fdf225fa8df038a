/// What a watched query reported after a run.
public struct WatchFacts: Sendable, Equatable {
  public var name: String
  public var new = 0
  public var changed = 0
  /// The first rows that are new or changed, as JSON objects.
  public var rows: [String] = []
  /// What a person should know: rows that were taken as known, cut, or handed over.
  public var note = ""
  public var problem: String?
  /// What the program said.
  public var output = ""

  public init(name: String) { self.name = name }
}
