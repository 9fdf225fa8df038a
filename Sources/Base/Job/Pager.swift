/// How a list is paged.
public enum Pager: Sendable, Equatable {
  /// The whole list is one answer.
  case single
  /// `page=1`, `page=2`, …
  case number(parameter: String, first: Int)
  /// `offset=0`, `offset=49`, …: advances by the number of records less one, so that pages overlap.
  case offset(parameter: String)
  /// Each answer names the next page, and the last one names none.
  case chain(NextPage)
}

/// The part of a page's last record by which the next page is requested.
public struct LastRecord: Sendable, Equatable {
  /// The first that leads to a value.
  public var paths: [JSONPath]
  /// No two records of the list share it. If some do, the records at a page's edge are only safe if the next page
  /// begins with them again.
  public var isUnique: Bool
  /// The column holds whole numbers.
  public var isNumber = false

  public init(_ paths: [JSONPath], isUnique: Bool) {
    self.paths = paths
    self.isUnique = isUnique
  }
}

/// Where an answer says which page is the last one: its number or its address.
public enum LastPagePlace: Sendable, Equatable {
  /// The first that leads to a value.
  case body([JSONPath])
  case header(String)
}

/// How an answer names the next page.
public struct NextPage: Sendable, Equatable {
  public enum Place: Sendable, Equatable {
    case body(JSONPath)
    /// A header field.
    case header(String)
    /// `Link: <…>; rel="next"`.
    case link
    /// Several parameters that go with the next request unchanged.
    case state(JSONPath)
    /// No answer names it: it begins after the last record of this page.
    case record(LastRecord)
  }

  public var place: Place
  /// The query parameter for a token; nil: it is an address, and followed as given.
  public var parameter: String?
  /// The token of page 1; nil: none is sent.
  public var first: String?
  /// Tokens that mean that there is no next page.
  public var ends: [String] = []
  /// The token that the page itself was requested with means the end, too.
  public var endsByRepeat = false
  /// An answer without records means the end, even if it names a next page.
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

  /// Pages are addressed by position, so records shift when the list changes.
  public var isPositioned: Bool {
    switch self {
    case .number, .offset: true
    case .single, .chain: false
    }
  }

  /// Set if each answer names the next page.
  public var nextPage: NextPage? { if case .chain(let next) = self { next } else { nil } }

  /// The next page is named outside the body, so the body's validator does not cover it.
  public var namesNextInHead: Bool {
    switch nextPage?.place {
    case .header, .link: true
    case .body, .state, .record, nil: false
    }
  }

  /// The body names the next page, by a token or address that may soon expire.
  public var namesNextInBody: Bool {
    switch nextPage?.place {
    case .body, .state: true
    case .header, .link, .record, nil: false
    }
  }

  /// Set if the next page begins after the last record of this one.
  public var lastRecord: LastRecord? {
    if case .record(let last) = nextPage?.place { last } else { nil }
  }
}

extension NextPage {
  /// It is a number in a body: the last record's, from a column of whole numbers.
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

  /// Whether a token of an answer means that there is no next page.
  public func isEnd(_ token: String, at cursor: Cursor?) -> Bool {
    ends.containsBytes(token)
      || endsByRepeat && self.token(of: cursor).map { $0.utf8.elementsEqual(token.utf8) } ?? false
  }

  /// The tokens that mean the end, besides a missing one.
  var endText: String {
    ends.map { " not \($0)" }.joined() + (endsByRepeat ? " not again" : "")
      + (endsEmpty ? " not empty" : "")
  }
}

/// The page size that is requested.
public struct PageSize: Sendable, Equatable {
  /// Nil: the API has only one size.
  public var parameter: String?
  public var value: Int
  /// It is sent in the body; `parameter` is a path.
  public var isInBody = false

  public init(parameter: String?, value: Int) {
    self.parameter = parameter
    self.value = value
  }
}

/// Where an answer gives the length of the whole list, and how far that can be trusted.
public struct Total: Sendable, Equatable {
  public enum Trust: String, JSONScalar, CaseIterable {
    /// It equals the distinct keys of the list.
    case counted
    /// It may count other things too, but changes whenever a record comes or goes.
    case steady
    case estimate
    /// It says nothing about the list's length.
    case worthless = "none"
  }

  /// The first that leads to a number is used.
  public var paths: [JSONPath]
  /// A header field instead of them.
  public var field: String?
  public var trust: Trust

  public init(paths: [JSONPath] = [], field: String? = nil, trust: Trust) {
    self.paths = paths
    self.field = field
    self.trust = trust
  }

  /// Where it is read, for messages.
  public var place: String { field ?? paths.map(\.text).joined(separator: " | ") }
}

/// The API's own ceiling on one list.
public struct Cap: Sendable, Equatable {
  /// The number of records at which the API ends the list.
  public var at: Int
  /// From this many records on, an end is not believed.
  public var doubt: Int
  /// Why the list *is* its first N records, in the job's words; nil if the cap hides records.
  public var expected: String?

  public init(at: Int, doubt: Int, expected: String?) {
    self.at = at
    self.doubt = doubt
    self.expected = expected
  }
}

/// How a list is divided by time.
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

  /// Query parameters of both ends; nil if the templates hold `{from}` and `{to}`.
  public var from: String?
  public var to: String?
  /// They are paths in the body instead.
  public var isInBody = false
  public var form: Form
  /// The time zone of the API's days; nil: unknown.
  public var zone: ZoneRules?
  /// The column with the time of a record; nil: records have none.
  public var column: String?
  /// The API may compare the end with local times as they are written: the seconds that their clocks may be ahead.
  public var secondsAhead: Int64 = 0
  /// How far an incremental run goes back before the last certified end.
  public var overlap: Duration
  /// The resolution of the API's filter and times, a second at least; nil: a time may lie between any two.
  public var step: Duration?
  /// How far back the API answers at all; nil: without limit.
  public var reach: Duration?
  /// Records younger than this may be missing.
  public var delay: Duration
  /// The API includes the beginning.
  public var includesBegin = true
  /// The API includes the end.
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
