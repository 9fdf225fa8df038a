/// How a list is paged.
public enum Pager: Sendable, Equatable {
  /// The whole list is one answer.
  case single
  /// `page=1`, `page=2`, …
  case number(parameter: String, first: Int)
  /// `offset=0`, `offset=49`, …: advances by the records that came, less one, so that pages overlap.
  case offset(parameter: String)
  /// Each answer names the next page, and the last one names none.
  case chain(NextPage)
}

/// The part of a page's last record by which the next page is requested.
public struct LastRecord: Sendable, Equatable {
  /// The first that reaches a value.
  public var paths: [JSONPath]
  /// No two records of the list share it. Of others those at a page's edge are only safe where the next
  /// page begins with them again.
  public var isUnique: Bool
  /// The column is one of whole numbers.
  public var isNumber = false

  public init(_ paths: [JSONPath], isUnique: Bool) {
    self.paths = paths
    self.isUnique = isUnique
  }
}

/// Where an answer says which page is the last one: its number or its address.
public enum LastPagePlace: Sendable, Equatable {
  /// The first that reaches a value.
  case body([JSONPath])
  case header(String)
}

/// How an answer names the page behind it.
public struct NextPage: Sendable, Equatable {
  public enum Place: Sendable, Equatable {
    case body(JSONPath)
    /// A field of the answer's head.
    case header(String)
    /// `Link: <…>; rel="next"`.
    case link
    /// Several parameters that go with the next request unchanged.
    case state(JSONPath)
    /// No answer names it: it begins behind the last record that came.
    case record(LastRecord)
  }

  public var place: Place
  /// The query parameter that takes it, where it is a token; nil: it is an address, and followed as
  /// given.
  public var parameter: String?
  /// The token of page 1; nil: it is requested without one.
  public var first: String?
  /// Tokens that say that there is no next page.
  public var ends: [String] = []
  /// So does the token that the page itself was requested with.
  public var endsByRepeat = false
  /// So does an answer without records, though it names a next page.
  public var endsEmpty = false

  public init(_ place: Place, parameter: String? = nil) {
    self.place = place
    self.parameter = parameter
  }
}

extension Pager {
  public static func token(parameter: String, next: JSONPath) -> Pager {
    .chain(NextPage(.body(next), parameter: parameter))
  }

  public static func token(parameter: String, header: String) -> Pager {
    .chain(NextPage(.header(header), parameter: parameter))
  }

  public static func address(next: JSONPath) -> Pager { .chain(NextPage(.body(next))) }

  public static let link = Pager.chain(NextPage(.link))

  /// Pages are addressed by position, so they shift when it changes.
  public var isPositioned: Bool {
    switch self {
    case .number, .offset: true
    case .single, .chain: false
    }
  }

  /// Set where each answer names the next page.
  public var nextPage: NextPage? { if case .chain(let next) = self { next } else { nil } }

  /// The next page is named outside the body, and so by nothing that the body's validator covers.
  public var namesNextInHead: Bool {
    switch nextPage?.place {
    case .header, .link: true
    case .body, .state, .record, nil: false
    }
  }

  /// The body names the next page, by a token or an address of the server's making, which may live shortly.
  public var namesNextInBody: Bool {
    switch nextPage?.place {
    case .body, .state: true
    case .header, .link, .record, nil: false
    }
  }

  /// Set where the next page begins behind the last record of this one.
  public var lastRecord: LastRecord? {
    if case .record(let last) = nextPage?.place { last } else { nil }
  }
}

extension NextPage {
  /// In a body it is a number: the last record's, of a column of whole numbers.
  public var isNumber: Bool { if case .record(let last) = place { last.isNumber } else { false } }

  /// Its token holds several parameters.
  public var isState: Bool { if case .state = place { true } else { false } }

  /// The token that a page was requested with.
  public func token(of cursor: Cursor?) -> String? {
    switch cursor {
    case .token(let token): token
    case .start: first
    case .part(let page, _): token(of: page)
    case .number, .sized, .offset, .address, nil: nil
    }
  }

  /// Whether a token that an answer names says that there is no next page.
  public func isEnd(_ token: String, at cursor: Cursor?) -> Bool {
    ends.containsBytes(token)
      || endsByRepeat && self.token(of: cursor).map { $0.utf8.elementsEqual(token.utf8) } ?? false
  }

  /// Which tokens mean the end, beside none.
  var endText: String {
    ends.map { " not \($0)" }.joined() + (endsByRepeat ? " not again" : "")
      + (endsEmpty ? " not empty" : "")
  }
}

/// The page size that is asked for.
public struct PageSize: Sendable, Equatable {
  /// Nil: the API has one size, and is not asked for another.
  public var parameter: String?
  public var value: Int
  /// It is in the body, at a path.
  public var isInBody = false

  public init(parameter: String?, value: Int) {
    self.parameter = parameter
    self.value = value
  }
}

/// Where an answer gives the length of the whole list, and whether that may be believed.
public struct Total: Sendable, Equatable {
  public enum Trust: String, JSONScalar, CaseIterable {
    /// It equals the distinct keys of the list.
    case counted
    /// It may count others too, but changes whenever a record comes or goes.
    case steady
    case estimate
    /// It says nothing of the list's length.
    case worthless = "none"
  }

  /// The first that reaches a number gives it.
  public var paths: [JSONPath]
  /// A field of the answer's head, in place of them.
  public var field: String?
  public var trust: Trust

  public init(paths: [JSONPath] = [], field: String? = nil, trust: Trust) {
    self.paths = paths
    self.field = field
    self.trust = trust
  }

  /// Where it is looked for, for a person.
  public var place: String { field ?? paths.map(\.text).joined(separator: " | ") }
}

/// The API's own ceiling on one list.
public struct Cap: Sendable, Equatable {
  /// Records at which the API ends the list.
  public var at: Int
  /// From this many on an end is not believed.
  public var doubt: Int
  /// Why the list *is* its first N, in the job's words; nil if the cap hides records.
  public var expected: String?

  public init(at: Int, doubt: Int, expected: String?) {
    self.at = at
    self.doubt = doubt
    self.expected = expected
  }
}

/// How a list is cut by time.
public struct Window: Sendable, Equatable {
  public enum Form: String, Sendable, CaseIterable {
    case time
    case timeInMilliseconds = "time(3)"
    case date
    /// Since 1970.
    case seconds, milliseconds
    /// `2026-01-31 00:00:00`
    case plain = "plain in UTC"
    /// `20260131`
    case compact

    public var isOfDays: Bool { self == .date || self == .compact }
    /// In a body it is a number, too.
    public var isNumber: Bool { self == .seconds || self == .milliseconds }
    public var isOfMilliseconds: Bool { self == .timeInMilliseconds || self == .milliseconds }
  }

  /// Query parameters for the ends; nil when the templates hold `{from}` and `{to}`.
  public var from: String?
  public var to: String?
  /// These are paths in the body, and no query parameters.
  public var isInBody = false
  public var form: Form
  /// In which the API has its days; nil: it is not known.
  public var zone: ZoneRules?
  /// The column that has the time of a record; nil: the records do not have it.
  public var column: String?
  /// How far an incremental run goes back behind the last certified end.
  public var overlap: Duration
  /// The finest step of the API's filter and of its times; nil: a time may lie between any two.
  public var step: Duration?
  /// How far back the API answers at all; nil is for ever.
  public var reach: Duration?
  /// Records younger than this are not there yet.
  public var delay: Duration
  /// Whether the API counts the end as inside.
  public var includesEnd: Bool

  /// Its days may begin before ours.
  public var hasOtherDays: Bool { form.isOfDays && zone != .utc }

  public init(
    from: String?, to: String?, form: Form = .time, column: String?, overlap: Duration,
    step: Duration? = nil, reach: Duration? = nil, delay: Duration = .zero,
    includesEnd: Bool = true
  ) {
    self.from = from
    self.to = to
    self.form = form
    self.column = column
    self.overlap = overlap
    self.step = step
    self.reach = reach
    self.delay = delay
    self.includesEnd = includesEnd
  }
}
