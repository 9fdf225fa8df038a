public import Base

/// All that the job says about how a list is read and what proves it. Stored with each walk, so that a proof can be
/// derived again without the job file; a walk uses nothing else of its stream.
public struct WalkRules: Hashable, Sendable {
  enum Paging: String, JSONScalar { case single, number, offset, chain }

  /// Limits of one walk.
  public struct Limits: Sendable, Hashable {
    /// How often a list that moves during the walk is walked, including the first time, before the verdict is `moved`.
    public var passesMax = 1
    /// The most numbered pages of varied sizes, and the least page size that makes them worthwhile.
    public var variedPagesMax = VariedSizes.pagesMax
    var variedFrom = VariedSizes.least

    public init() {}
  }

  var paging = Paging.single
  /// The number of page 1.
  var firstNumber = 1
  /// The token of page 1, if it has one.
  var firstToken: String?
  /// The query parameter for what names the next page.
  var parameter: String?
  /// The next page begins after the last record of this one, and the value that names a record is unique.
  var goesByRecord = false
  var isRecordUnique = false
  /// An answer without records is the end, even if it names a next page.
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
  /// Its key is only the position: if a record moves during the walk, the keys stay the same.
  public var goesByPlace = false
  /// The position is part of its key: a record has another one in an answer that begins elsewhere.
  var hasPlaceInKey = false
  var readsFeed = false
  var isNewestFirst = false
  var hasOnePage = false
  /// Its records have lists, which an API may continue on another page of the same records.
  var hasChildren = false
  /// Single answers for another stream's records: not a walk.
  public var isBatch = false
  /// How many of these one request names at most.
  var askedAtOnce: Int?
  /// The flag's place, in words.
  var flag: String?
  /// A flag whose name says the reverse of what the job reads.
  var reversedFlag: String?
  var moreIs = true
  var tokenLife = Duration.seconds(3600)
  var overlap = Duration.zero
  var expectation: String?
  var emptyHint: String?
  var limits = Limits()

  init() {}

  public init(_ stream: Stream) {
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
    hasPlaceInKey = stream.key.contains { stream.column($0)?.source == .position }
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
  }

  // MARK: what they say

  var isPositioned: Bool { paging == .number || paging == .offset }

  /// Pages by offset begin with the previous page's last record. A list that the job expects to be cut needs no proof.
  var pagesOverlap: Bool { paging == .offset && capExpected == nil && !isSearch }

  /// The end is an empty answer, as the job says.
  var endsEmpty: Bool { goesByRecord || namesEndEmpty }

  public var cap: Cap? {
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

  /// How many records the request at a cursor asks for. The last page by offset is smaller, so that it ends at the
  /// API's ceiling: beyond it some APIs return nothing at all.
  func size(at cursor: Cursor) -> Int? {
    guard let size = sizeValue else { return nil }
    switch cursor {
    case .sized(_, let size), .part(_, let size): return size
    default: break
    }
    // A size that is not requested applies to every page.
    guard let capAt, sizeParameter != nil else { return size }
    switch paging {
    case .offset:
      guard case .offset(let offset) = cursor else { return min(size, capAt) }
      return max(0, min(size, capAt - offset))
    case .number: return min(size, capAt)
    case .single, .chain: return size
    }
  }

  /// How many records precede a cursor's page; nil: unknown.
  /// - Parameter first: the number of records of page 1, which shows whether pages have the known size.
  public func recordsBefore(_ cursor: Cursor?, first: Int?) -> Int? {
    switch cursor {
    case .offset(let offset): return offset
    case .sized(let page, let size): return recordsBefore(page: page, size: size)
    case .number(let page):
      guard let size = sizeValue, size == first else { return nil }
      return recordsBefore(page: page, size: size)
    case .start, .token, .address, .part, nil: return nil
    }
  }

  /// How many records precede a page by its number, in pages of one size; nil: too many to count.
  func recordsBefore(page: Int, size: Int) -> Int? {
    let (pages, isFar) = page.subtractingReportingOverflow(firstNumber)
    let (records, isHuge) = pages.multipliedReportingOverflow(by: size)
    return isFar || isHuge || records > Int.max / 2 ? nil : records
  }

  /// What distinguishes one page's request from others.
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

// MARK: storage

extension WalkRules: JSONStored {
  /// Their name: a digest of their text.
  public var digest: UInt64 { Digest64.of(text.utf8) }

  public static var empty: WalkRules { WalkRules() }

  public static let fields = JSONFields<WalkRules>([
    .value("paging", \.paging, unless: .single), .value("first", \.firstNumber, unless: 1),
    .optional("first_token", \.firstToken), .optional("parameter", \.parameter),
    .flag("by_record", \.goesByRecord), .flag("record_is_unique", \.isRecordUnique),
    .flag("ends_empty", \.namesEndEmpty), .optional("size", \.sizeValue),
    .optional("size_parameter", \.sizeParameter), .optional("trust", \.trust),
    .optional("total", \.totalPlace), .optional("cap", \.capAt), .optional("doubt", \.capDoubt),
    .optional("cap_expected", \.capExpected), .optional("order", \.orderColumn),
    .flag("falling", \.isFalling), .flag("by_time", \.isByTime), .flag("search", \.isSearch),
    .flag("by_place", \.goesByPlace), .flag("place_in_key", \.hasPlaceInKey),
    .flag("feed", \.readsFeed), .flag("newest_first", \.isNewestFirst),
    .flag("one_page", \.hasOnePage), .flag("children", \.hasChildren),
    .flag("batch", \.isBatch), .optional("at_once", \.askedAtOnce), .optional("flag", \.flag),
    .optional("reversed_flag", \.reversedFlag), .value("flag_is", \.moreIs, unless: true),
    .value("life", \.tokenLife, unless: .seconds(3600)),
    .value("overlap", \.overlap, unless: .zero),
    .optional("expect", \.expectation), .optional("empty_hint", \.emptyHint),
    .value("passes_max", \.limits.passesMax, unless: Limits().passesMax),
    .value("varied_pages_max", \.limits.variedPagesMax, unless: Limits().variedPagesMax),
    .value("varied_from", \.limits.variedFrom, unless: Limits().variedFrom),
  ])
}
