/// What came, changed or went in one table of a job.
public struct TableChanges: Sendable, Equatable {
  public var table: String
  /// Its rows are memberships of records in lists.
  public var isOfLists = false
  public var new = 0
  public var changed = 0
  /// Records in which only volatile columns changed.
  public var moving = 0
  public var gone = 0
  /// Records that were gone and have returned.
  public var back = 0
  /// Earlier values of its records are unknown before this time: neither shown nor counted under `moving`. Nil: they
  /// are known for the whole period.
  public var knownSince: Instant?
  /// The table was empty before.
  public var isFirst = false
  /// Samples of each kind, the latest first; the counts are complete.
  public var records: [RecordChange] = []

  public init(table: String) { self.table = table }

  public func count(_ kind: RecordChange.Kind) -> Int {
    switch kind {
    case .new: new
    case .changed: changed
    case .moving: moving
    case .gone: gone
    case .back: back
    }
  }

  public var isEmpty: Bool {
    knownSince == nil && RecordChange.Kind.allCases.allSatisfy { count($0) == 0 }
  }
}

/// A record, or a record's place in a list, that is new, changed, gone or back.
public struct RecordChange: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable { case new, changed, moving, gone, back }

  public var kind: Kind
  public var key: String
  public var title: String?
  public var link: String?
  /// Relative to the data folder.
  public var imagePath: String?
  /// The name of the list that it joined or left; nil: the record itself.
  public var list: String?
  public var columns: [ColumnChange] = []

  public init(
    kind: Kind, key: String, title: String?, link: String?, imagePath: String?, list: String?
  ) {
    self.kind = kind
    self.key = key
    self.title = title
    self.link = link
    self.imagePath = imagePath
    self.list = list
  }

  /// The name to show.
  public var name: String { title.flatMap { $0.isEmpty ? nil : $0 } ?? key }
}

/// A column's value before and after.
public struct ColumnChange: Sendable, Equatable {
  public var name: String
  public var old: String?
  public var new: String?

  public init(name: String, old: String?, new: String?) {
    self.name = name
    self.old = old
    self.new = new
  }
}
