public import Base

/// What a walk goes by: all that its job says of how the list is read and what proves it. It is stored
/// with each walk, so that a proof is derived again without the job file; a walk reads nothing else of
/// its stream.
public struct WalkRules: Hashable, Sendable {
  enum Paging: String, JSONScalar { case single, number, offset, chain }

  /// Written maxima of one walk.
  public struct Limits: Sendable, Hashable {
    /// Empty pages in a row that each name a next one.
    var emptyPagesMax = 50
    /// Pages in a row that bring no unseen key and each name a next one.
    var stalePagesMax = 3
    /// Pages at the front of which every record is rejected.
    var rejectedPagesMax = 3
    /// Pages in a row that cannot be read.
    var unreadablePagesMax = 3
    /// How often a list that moved under the walk is walked, the first time included, before it is
    /// certified as drifted.
    public var passesMax = 1
    /// Numbered pages in sizes of their own, and the least size of a page that makes them worth it.
    public var variedPagesMax = VariedSizes.pagesMax
    var variedFrom = VariedSizes.least

    public init() {}
  }

  var paging = Paging.single
  /// The number of page 1.
  var firstNumber = 1
  /// The token of page 1, where it has one.
  var firstToken: String?
  /// The query parameter that takes what names the next page.
  var parameter: String?
  /// The next page begins behind the last record of this one, and no two records share what names it.
  var goesByRecord = false
  var isRecordUnique = false
  /// An answer without records is the end, though it may name a next page.
  var namesEndEmpty = false
  var sizeValue: Int?
  var sizeParameter: String?
  var trust: Total.Trust?
  var totalPlace: String?
  var capAt: Int?
  var capDoubt: Int?
  var capExpected: String?
  var orderColumn: String?
  var isFalling = false
  var isByTime = false
  public var isSearch = false
  /// Its key is the place alone: where a record moves while the list is read, the keys are as before.
  public var goesByPlace = false
  var readsFeed = false
  var isNewestFirst = false
  var hasOnePage = false
  /// Its records hold lists, which an API may go on with in a page of the same records.
  var hasChildren = false
  /// Single answers for the records of another stream: no walk at all.
  public var isBatch = false
  /// For so many of them one is requested at most.
  var askedAtOnce: Int?
  /// Where the flag is, in words.
  var flag: String?
  /// One whose name says the reverse of what the job takes it for.
  var reversedFlag: String?
  var moreIs = true
  var tokenLife = Duration.seconds(3600)
  var overlap = Duration.zero
  var expectation: String?
  var emptyHint: String?
  var limits = Limits()

  init() {}

  public init(_ stream: Stream, limits: Limits = Limits()) {
    switch stream.pager {
    case .single: paging = .single
    case .number(let place, let first): (paging, firstNumber, parameter) = (.number, first, place)
    case .offset: paging = .offset
    case .chain(let next):
      paging = .chain
      (firstToken, parameter, namesEndEmpty) = (next.first, next.parameter, next.endsEmpty)
    }
    if let last = stream.pager.lastRecord { (goesByRecord, isRecordUnique) = (true, last.isUnique) }
    (sizeValue, sizeParameter) = (stream.size?.value, stream.size?.parameter)
    (trust, totalPlace) = (stream.total?.trust, stream.total?.place)
    (capAt, capDoubt, capExpected) = (stream.cap?.at, stream.cap?.doubt, stream.cap?.expected)
    if let order = stream.order {
      orderColumn = order.column
      (isFalling, isByTime) = (order.direction == .falling, order.basis == .time)
    }
    isSearch = stream.isSearch
    goesByPlace = stream.isKeyPlace
    readsFeed = stream.readsFeed
    isNewestFirst = stream.newestFirst != nil
    hasOnePage = stream.hasOnePage
    hasChildren = !stream.children.isEmpty
    isBatch = stream.isAskedInBatches
    askedAtOnce = isBatch ? stream.parent?.batch : nil
    flag = stream.more.isEmpty ? nil : stream.more.map(\.text).joined(separator: " | ")
    moreIs = stream.moreIs
    reversedFlag =
      stream.more.first { path in
        let plain = path.steps.last.flatMap { SignName.plain($0.utf8) }
        return plain.map { SignName.of(member: $0) == (stream.moreIs ? .endFlag : .flag) } ?? false
      }?.text
    tokenLife = stream.tokenLife
    overlap = stream.window?.overlap ?? .zero
    expectation = stream.expectation.map { "\($0.stream).\($0.column)" }
    emptyHint = stream.emptyHint
    self.limits = limits
  }

  // MARK: what is asked of them

  var isPositioned: Bool { paging == .number || paging == .offset }

  /// The end shows by an empty answer, as its job says.
  var endsEmpty: Bool { goesByRecord || namesEndEmpty }

  var cap: Cap? {
    guard let capAt, let capDoubt else { return nil }
    return Cap(at: capAt, doubt: capDoubt, expected: capExpected)
  }

  var order: ListOrder? {
    orderColumn.map { ListOrder($0, isFalling ? .falling : .rising, by: isByTime ? .time : .key) }
  }

  /// The cursor of the first page.
  var first: Cursor {
    switch paging {
    case .number: .number(firstNumber)
    case .offset: .offset(0)
    case .single, .chain: .start
    }
  }

  /// Pages have numbers, and one may precede the first.
  public var mayHavePageBefore: Bool { paging == .number && firstNumber > 0 }

  /// How many records the request at a cursor asks for. The last page of an offset walk shrinks,
  /// so that it ends at the API's ceiling: beyond it some APIs answer nothing at all.
  func size(at cursor: Cursor) -> Int? {
    guard let size = sizeValue else { return nil }
    switch cursor {
    case .sized(_, let size), .part(_, let size): return size
    default: break
    }
    // A size that is not asked for is that of every page.
    guard let capAt, sizeParameter != nil else { return size }
    switch paging {
    case .offset:
      guard case .offset(let offset) = cursor else { return min(size, capAt) }
      return max(0, min(size, capAt - offset))
    case .number: return min(size, capAt)
    case .single, .chain: return size
    }
  }

  /// How many records precede those that are requested at a cursor; nil: it does not say.
  /// - Parameter first: how many came as page 1, which shows whether pages have the size that is known.
  public func recordsBefore(_ cursor: Cursor?, first: Int?) -> Int? {
    let (page, size): (Int, Int)
    switch cursor {
    case .offset(let offset): return offset
    case .sized(let number, let own): (page, size) = (number, own)
    case .number(let number):
      guard let own = sizeValue, own == first else { return nil }
      (page, size) = (number, own)
    case .start, .token, .address, .part, nil: return nil
    }
    let (records, isHuge) = (page - firstNumber).multipliedReportingOverflow(by: size)
    return isHuge ? nil : records
  }

  /// What distinguishes the request of one page from those of others.
  func request(at cursor: Cursor) -> String {
    switch cursor {
    case .sized(let page, let size) where size == sizeValue: Cursor.number(page).description
    case .token(let token) where firstToken.map { token.utf8.elementsEqual($0.utf8) } ?? false:
      Cursor.start.description
    case .address(let text): (try? WebAddress(text))?.description ?? text  // else by its text
    default: cursor.description
    }
  }
}

// MARK: how they are stored

extension WalkRules: JSONStored {
  /// What names them: a digest of their text.
  public var digest: UInt64 { Digest64.of(text.utf8) }

  public static var empty: WalkRules { WalkRules() }

  public static let fields: JSONFields<WalkRules> = {
    let usual = Limits()
    return JSONFields([
      .value("paging", \.paging, unless: .single), .value("first", \.firstNumber, unless: 1),
      .optional("first_token", \.firstToken), .optional("parameter", \.parameter),
      .flag("by_record", \.goesByRecord), .flag("record_is_unique", \.isRecordUnique),
      .flag("ends_empty", \.namesEndEmpty), .optional("size", \.sizeValue),
      .optional("size_parameter", \.sizeParameter), .optional("trust", \.trust),
      .optional("total", \.totalPlace), .optional("cap", \.capAt), .optional("doubt", \.capDoubt),
      .optional("cap_expected", \.capExpected), .optional("order", \.orderColumn),
      .flag("falling", \.isFalling), .flag("by_time", \.isByTime), .flag("search", \.isSearch),
      .flag("by_place", \.goesByPlace),
      .flag("feed", \.readsFeed), .flag("newest_first", \.isNewestFirst),
      .flag("one_page", \.hasOnePage), .flag("children", \.hasChildren),
      .flag("batch", \.isBatch), .optional("at_once", \.askedAtOnce), .optional("flag", \.flag),
      .optional("reversed_flag", \.reversedFlag), .value("flag_is", \.moreIs, unless: true),
      .value("life", \.tokenLife, unless: .seconds(3600)),
      .value("overlap", \.overlap, unless: .zero),
      .optional("expect", \.expectation), .optional("empty_hint", \.emptyHint),
      .value("empty_pages_max", \.limits.emptyPagesMax, unless: usual.emptyPagesMax),
      .value("stale_pages_max", \.limits.stalePagesMax, unless: usual.stalePagesMax),
      .value("rejected_pages_max", \.limits.rejectedPagesMax, unless: usual.rejectedPagesMax),
      .value("unreadable_max", \.limits.unreadablePagesMax, unless: usual.unreadablePagesMax),
      .value("passes_max", \.limits.passesMax, unless: usual.passesMax),
      .value("varied_pages_max", \.limits.variedPagesMax, unless: usual.variedPagesMax),
      .value("varied_from", \.limits.variedFrom, unless: usual.variedFrom),
    ])
  }()
}
