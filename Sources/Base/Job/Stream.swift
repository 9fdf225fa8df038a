/// One kind of list in a job; its records fill a table, and the list itself is a relation.
public struct Stream: Sendable {
  public var name: String
  /// Its earlier name: its lists continue under the new one.
  public var was: String?
  public var about = ""
  /// Relative to the job's base.
  public var path: Template
  /// Path holes whose values keep their slashes: `library/alpine`.
  public var slashes: Set<String> = []
  public var query: [QueryItem] = []
  /// Set if it is requested by POST, which must be safe to repeat.
  public var body: BodyTemplate?
  /// The page position is sent in the body, at a path, instead of the query.
  public var isPositionInBody = false
  /// Page 1 is requested without its number.
  public var hidesFirstNumber = false
  /// Rules for answers that are not pages; they precede the job's own.
  public var errors: [ErrorRule] = []
  /// `records` leads to an object of columns: lists with one element for each record.
  public var readsColumns = false
  /// Its answers are feeds (RSS, Atom), converted to JSON of one shape.
  public var readsFeed = false
  public var fields: [HeaderField] = []
  /// Header fields with holes.
  public var fieldTexts: [QueryItem] = []
  /// Quota names, and the cost of one request.
  public var spends: [String: Int] = [:]
  public var pager: Pager
  /// The job says that the list has one page. If a job says nothing about pages, there may be more than the one
  /// received.
  public var hasOnePage = false
  /// Its answers are ranked or sampled: the same request may return other records next time, and nothing shows that
  /// they are all.
  public var isSearch = false
  public var size: PageSize?
  /// The answer's flag for more pages: the first path that leads to one. Empty: it has none.
  public var more: [JSONPath] = []
  /// The flag's value while more pages follow.
  public var moreIs = true
  public var total: Total?
  /// Where answers name the last page.
  public var lastPage: LastPagePlace?
  /// Further hints of more in answers, which the job declares to be meaningless.
  public var unread: [[String]] = []
  public var cap: Cap?
  /// How a record of the parent gives the list's length.
  public var expectation: Expectation?
  public var window: Window?
  /// The list in the answer; an object there is a single record, and the empty path is the whole answer.
  public var records: JSONPath
  /// The table, without the job's prefix: `users`.
  public var table: String
  public var key: [String]
  public var columns: [Column]
  /// An SQL expression over the columns: false drops the record (and counts it).
  public var keep: String?
  public var membership: Membership?
  public var children: [ChildTable] = []
  public var media: [MediaRole] = []
  public var parent: ParentFeed?
  /// The list is declared newest first by this column, so a run may stop at the last complete range.
  public var newestFirst: String?
  /// How the list is sorted, if a proof may rest on that.
  public var order: ListOrder?
  /// How long a list that one walk cannot prove may be without proof before it is walked twice.
  public var provesEvery: Duration?
  /// Memberships that a complete walk does not have get `vanished_at`.
  public var marksVanished = false
  /// How to ask the API about a single record that an unproven walk lacks.
  public var confirmation: Confirmation?
  /// How long a page token is trusted when a walk is resumed.
  public var tokenLife = Duration.seconds(3600)
  /// Every member of its records gets a column, declared or not.
  public var takesAll = false
  /// Other programs copy its tables, so changes must be found without reading them whole.
  public var isFollowed = false
  /// Whether pages are requested conditionally, with a stored ETag.
  public var isConditional = false
  /// Only such streams insert; others fill columns of existing rows, and a record without a row is an orphan. Several
  /// streams of one table may insert if they agree on its key.
  public var ownsTable = true
  /// What the record provides to the view `items`: `title` to a column name.
  public var roles: [String: String] = [:]
  /// The record's address, made of its columns, if no column holds it.
  public var link: Template?
  /// Columns for full-text search.
  public var searchable: [String] = []
  /// How long a record is kept after it was last seen; nil: forever.
  public var retain: Duration?
  /// Shown when the list is complete and empty.
  public var emptyHint: String?
  /// A short name for the parameter values in `trawl_trust`: `followers of {user}`.
  public var listName: Template?

  public init(
    name: String, path: Template, pager: Pager, records: JSONPath, table: String, key: [String],
    columns: [Column]
  ) {
    self.name = name
    self.path = path
    self.pager = pager
    self.records = records
    self.table = table
    self.key = key
    self.columns = columns
  }

  /// Whether a request names its window's end. If not, it returns everything younger, however short the window.
  public var namesWindowEnd: Bool { window.map { $0.to != nil || holes.contains("to") } ?? false }

  public func column(_ name: String) -> Column? { columns.first { $0.name == name } }

  /// The column that holds a value of the request unchanged.
  public func columnOfRequest(_ value: String) -> String? {
    columns.first { $0.source == .parameter(value) && $0.expression == nil }?.name
  }

  /// The column in which a record names the requested value that it answers: named like the parent's, or the key.
  public var answerColumn: String? {
    guard let parent else { return nil }
    let isNamed = parent.stream != ParentFeed.favorites && column(parent.column) != nil
    return isNamed ? parent.column : key.count == 1 ? key[0] : nil
  }

  /// Where answers say that more pages follow, as one text.
  public var signOfMore: String {
    let next =
      switch pager.nextPage?.place {
      case .body(let path): "body \(path)"
      case .header(let name): "header \(name)"
      case .link: "link"
      case .state(let path): "state \(path)"
      case .record(let last): "last \(last.paths.map(\.text).joined(separator: " | "))"
      case nil: ""
      }
    let flags = more.map { moreIs ? $0.text : "not \($0)" }
    return ([next + (pager.nextPage?.endText ?? "")] + flags).joined(separator: " | ")
  }

  /// A record is a single row, without nested lists or images.
  public var isPlain: Bool { children.isEmpty && media.isEmpty }

  /// One request returns one record of its parent, or several, and all requests are one unit. Paged streams, windows
  /// and feeds are a list for each parent instead.
  public var isAskedInBatches: Bool {
    parent != nil && pager == .single && window == nil && !readsFeed
  }

  /// Every hole that must have a value before a request can be made, in order, each once.
  public var holes: [String] {
    let all =
      path.holes + query.flatMap(\.value.holes) + (body?.holes ?? [])
      + fieldTexts.flatMap(\.value.holes)
    return all.eachOnce
  }

  /// The columns that a parent record must have before anything can be requested for it.
  public var neededOfParent: [String] {
    guard let parent else { return [] }
    return [parent.column] + parent.carries.filter { holes.contains($0) && !mayBeEmpty($0) }
  }

  /// Whether the hole may be empty: its query parameter is omitted then.
  public func mayBeEmpty(_ hole: String) -> Bool {
    query.contains { $0.isLeftOutIfEmpty && $0.value.holes.contains(hole) }
  }
}

extension Stream {
  /// Pages or windows put something into its body.
  public var hasPlacesInBody: Bool {
    isPositionInBody || size?.isInBody == true || window?.isInBody == true
  }

  /// Only its position distinguishes a record from others of its list.
  public var isKeyPlace: Bool {
    let sources = key.compactMap { column($0) }
    return sources.contains { $0.source == .position }
      && sources.allSatisfy { $0.source == .position || $0.isOfRequest }
  }
}

/// A column of the parent's table with the approximate length of a list: it may count hidden records, and be a little
/// older than the list.
public struct Expectation: Sendable, Equatable {
  public var stream: String
  public var column: String

  public init(stream: String, column: String) {
    self.stream = stream
    self.column = column
  }
}

/// One query parameter of a stream.
public struct QueryItem: Sendable, Equatable {
  public var name: String
  public var value: Template
  /// The parameter is omitted if its value is empty.
  public var isLeftOutIfEmpty: Bool

  public init(_ name: String, _ value: Template, isLeftOutIfEmpty: Bool = false) {
    self.name = name
    self.value = value
    self.isLeftOutIfEmpty = isLeftOutIfEmpty
  }
}

/// The table that says which list returned which record. Several streams may fill one such table, even from its two
/// ends (who follows a user, whom the user follows): they then have the same set of columns, in the order of the first
/// stream, and all of them are its key.
public struct Membership: Sendable, Equatable {
  /// Without the job's prefix: `follows`.
  public var table: String
  /// Columns beside the record's key: the list's own values, in order.
  public var columns: [Column]
  /// The names of the record's key columns there: `id` may be `follower_id`.
  public var keyNames: [String]

  public init(table: String, columns: [Column], keyNames: [String]) {
    self.table = table
    self.columns = columns
    self.keyNames = keyNames
  }
}

/// A nested list that fills a table of its own, with the record's key as foreign key.
public struct ChildTable: Sendable, Equatable {
  public var table: String
  public var records: JSONPath
  public var key: [String]
  /// The names of the parent's key columns there, which precede `key` in the table's key. Empty: the entry is a record
  /// of its own that several parents may share (a shop of many products).
  public var parentKeyNames: [String]
  public var columns: [Column]

  public init(
    table: String, records: JSONPath, key: [String], parentKeyNames: [String], columns: [Column]
  ) {
    self.table = table
    self.records = records
    self.key = key
    self.parentKeyNames = parentKeyNames
    self.columns = columns
  }
}

/// An image of a record.
public struct MediaRole: Sendable, Equatable {
  /// `thumbnail`, `avatar`.
  public var name: String
  /// The column that holds the URL.
  public var column: String
  /// Columns that identify the image if its URL changes with each call; empty: the URL does.
  public var identity: [String]
  /// Query parameters that are set on the URL before it is fetched: `s=120`.
  public var adding: [HeaderField]

  public init(
    name: String, column: String, identity: [String] = [], adding: [HeaderField] = []
  ) {
    self.name = name
    self.column = column
    self.identity = identity
    self.adding = adding
  }
}

/// A stream that is requested once for each record of another, or for each batch of them.
public struct ParentFeed: Sendable, Equatable {
  public enum When: Sendable, Equatable {
    /// Each parent once; again when its record changed; all parents in each run.
    case new, changed, all
    /// In each run the parents that the parent stream returned in that run.
    case run
    /// Again if the last answer is older.
    case stale(Duration)

    public var isEachTime: Bool { self == .all || self == .run }
    /// Not every run requests all: it rests until a record is new, changed or listed.
    public var mayRest: Bool { self == .new || self == .changed || self == .run }
  }

  /// Instead of a stream's name: the favorites of this stream's own table, by the first column of its key, stored or
  /// not.
  public static let favorites = "favorites"

  public var stream: String
  /// The parent's column whose value fills the hole of its name.
  public var column: String
  /// Further columns of the parent that fill holes (and `.parameter` columns) of the same name.
  public var carries: [String]
  public var when: When
  /// The names of the values that a parent provides to its requests.
  public var given: [String] { [column] + carries }
  /// Values per request; 1 is one request per parent.
  public var batch: Int
  /// Joins the values of a batch; a value that contains it is requested alone.
  public static let separator = ","

  public init(stream: String, column: String, carries: [String] = [], when: When, batch: Int) {
    self.stream = stream
    self.column = column
    self.carries = carries
    self.when = when
    self.batch = batch
  }
}
