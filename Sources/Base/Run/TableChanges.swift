/// What came, changed or went in one table of a job.
public struct TableChanges: Sendable, Equatable {
  public var table: String
  /// Its rows are the places of records in lists.
  public var isOfLists = false
  public var new = 0
  public var changed = 0
  /// Records of which only columns have another value that change all the time.
  public var moving = 0
  public var gone = 0
  /// Records that were gone and are there again.
  public var back = 0
  /// What its records held before then is not kept: neither shown as an earlier value, nor among
  /// those that are moving. Nil: it is known of all the time that was asked for.
  public var knownSince: Instant?
  /// Nothing was in the table before.
  public var isFirst = false
  /// Some of each kind, the latest first; the counts are whole.
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
  /// Within the data folder.
  public var imagePath: String?
  /// In words whose list it came to or left; nil where it is the record itself.
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

  /// What a person calls it.
  public var name: String { title.flatMap { $0.isEmpty ? nil : $0 } ?? key }
}

/// A value whose earlier one was kept.
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
