import Base
@testable import Walk

/// A small list behind an API of one style that changes between requests: all such changes can be tried.
struct MovingList {
  enum Style: String, CaseIterable {
    case number, offset
    /// Requested in overlapping sizes; from a server that accepts them, and one with its own size.
    case numberVaried = "number, sizes vary"
    case numberFixed = "number, one size only"
    /// Tokens of a position, of a sort key, and of the last record's key.
    case token = "token of a position"
    case keyset = "token of a key"
    case lastID = "last id"
    case link
    case linkWithLast = "link, rel=last"
    /// An address in the body, with a position.
    case url
    /// In a declared order of the key, or of a time that only grows.
    case keyRising = "token, key rising"
    case keyFalling = "token, key falling"
    case timeRising = "token, time rising"
    case timeFalling = "token, time falling"
    case offsetInOrder = "offset, key rising"
    /// After the last record, by its key or time; the end is an empty page.
    case afterRising = "after, key rising"
    case afterFalling = "after, key falling"
    /// With a flag: a page that repeats the last record ends with it alone, which proves nothing.
    case afterTime = "after, time rising, flag"

    fileprivate var isAfter: Bool { [.afterRising, .afterFalling, .afterTime].contains(self) }
  }

  enum Count: String, CaseIterable {
    case none, estimate, counted
    /// A record is in the list twice, and counted twice.
    case duplicates = "counted, duplicates"
    /// It counts a record that is never shown.
    case wrong = "counted, wrong"
    case steady

    /// The counts that make a difference for the style.
    static func all(for style: Style) -> [Count] {
      switch style {
      case .numberVaried, .numberFixed: [.none, .estimate]
      default: allCases
      }
    }

    /// Nothing in a quiet list contradicts it.
    var isTrue: Bool { self != .duplicates && self != .wrong }
  }

  enum Change: Hashable {
    case insert(Int)
    case delete(Int)
    case move(from: Int, to: Int)
    case swap(Int)
    /// One record is replaced by another one.
    case replace(Int)
    /// From now on the server returns at most this many records.
    case clamp(Int)
    case unclamp

    var isClamp: Bool {
      switch self {
      case .clamp, .unclamp: true
      default: false
      }
    }

    fileprivate var isMove: Bool {
      switch self {
      case .move, .swap: true
      case .insert, .delete, .replace, .clamp, .unclamp: false
      }
    }

    static func all(count: Int, size: Int) -> [Change] {
      var all = (0...count).map { Change.insert($0) }
      all += (0..<count).flatMap { from in
        [.delete(from), .replace(from)]
          + (0..<count).filter { abs($0 - from) > 1 }.map { .move(from: from, to: $0) }
      }
      all += (0..<max(0, count - 1)).map { .swap($0) }
      all += (1..<size).map { .clamp($0) }
      return all
    }
  }

  let style: Style
  let counted: Count
  let size: Int
  /// Keys in order; `rank` is what a keyset token names, and moves with the record.
  private(set) var entries: [(key: Int, rank: Int)]
  private var clamp = Int.max
  private var nextKey: Int
  private var clock = 1024 * 1024

  init(_ style: Style, _ counted: Count, count: Int, size: Int) {
    self.style = style
    self.counted = counted
    self.size = size
    entries = (0..<count).map { ($0, $0 * 1024) }
    nextKey = count
    // Far from its twin, which is on another page.
    if counted == .duplicates, count > 1 { entries.append((0, count * 1024)) }
  }

  var keys: Set<Int> { Set(entries.map(\.key)) }

  var order: ListOrder? {
    switch style {
    case .keyRising, .offsetInOrder, .afterRising: ListOrder("id", .rising, by: .key)
    case .keyFalling, .afterFalling: ListOrder("id", .falling, by: .key)
    case .timeRising, .afterTime: ListOrder("changed_at", .rising, by: .time)
    case .timeFalling: ListOrder("changed_at", .falling, by: .time)
    default: nil
    }
  }

  /// All single changes that the job's declaration allows.
  var changes: [Change] {
    let all = Change.all(count: entries.count, size: size)
    switch style {
    case .keyset, .lastID: return counted == .steady ? all.filter { !$0.isMove } : all
    case .keyRising, .keyFalling, .offsetInOrder, .afterRising, .afterFalling:
      return all.filter { !$0.isMove }
    case .timeRising, .timeFalling, .afterTime:
      let young = style == .timeFalling ? 0 : entries.count
      let isFirst = style == .timeFalling
      return all.filter {
        switch $0 {
        case .insert(let place): place == young
        // A steady total does not show moves.
        case .move where counted == .steady: false
        case .move(_, let to): isFirst ? to == 0 : to == entries.count - 1
        case .swap: false
        case .delete, .replace, .clamp, .unclamp: true
        }
      }
        + [.move(from: isFirst ? 1 : entries.count - 2, to: young)].filter { _ in
          entries.count > 1 && counted != .steady
        }
    default: return all
    }
  }

  /// Where a new record goes that replaces another one.
  private func young(_ place: Int) -> Int {
    switch style {
    case .timeRising, .afterTime: entries.count
    case .timeFalling: 0
    default: place
    }
  }

  mutating func make(_ change: Change) {
    switch change {
    case .insert(let place): insert(nextKey, at: min(place, entries.count))
    case .delete(let place) where place < entries.count: entries.remove(at: place)
    case .move(let from, let to) where from < entries.count:
      let key = entries.remove(at: from).key
      insert(key, at: min(to, entries.count))
    case .swap(let place) where place + 1 < entries.count:
      let key = entries.remove(at: place).key
      insert(key, at: place + 1)
    case .replace(let place) where place < entries.count:
      entries.remove(at: place)
      insert(nextKey, at: young(place))
    case .clamp(let most): clamp = most
    case .unclamp: clamp = .max
    default: break
    }
  }

  private mutating func insert(_ key: Int, at place: Int) {
    if order?.basis == .time {
      // Times only grow.
      clock += 1024
      let rank = style == .timeFalling ? -clock : clock
      entries.insert((key, rank), at: young(place))
      if key == nextKey { nextKey += 1 }
      return
    }
    let before = place > 0 ? entries[place - 1].rank : (entries.first?.rank ?? 0) - 2048
    let after = place < entries.count ? entries[place].rank : before + 2048
    entries.insert((key, (before + after) / 2), at: place)
    if key == nextKey { nextKey += 1 }
  }

  // MARK: the API

  var limits: Walker.Limits {
    var limits = Walker.Limits()
    if style == .numberVaried || style == .numberFixed { limits.variedFrom = 3 }
    return limits
  }

  /// The page sizes of `make test` and beyond: features of a style show from 3 on.
  static func sizes(of style: Style, isWhole: Bool) -> ClosedRange<Int> {
    switch style {
    case .numberVaried, .numberFixed: 3...(isWhole ? 4 : 3)
    case .offsetInOrder: 1...3
    default: 1...(isWhole ? 3 : 2)
    }
  }

  /// The page size for two changes at once, in lists of up to two records more: one at which the style can prove
  /// something.
  static func pairSize(of style: Style) -> Int {
    switch style {
    case .numberVaried, .numberFixed, .offsetInOrder: 3
    default: 2
    }
  }

  func stream() throws -> Base.Stream {
    let trust: Total.Trust? =
      switch counted {
      case .none: nil
      case .estimate: .estimate
      case .counted, .duplicates, .wrong: .counted
      case .steady: .steady
      }
    let pager: Pager =
      switch style {
      case .number, .numberVaried, .numberFixed: FakeJob.number
      case .offset, .offsetInOrder: FakeJob.offset
      case .token, .keyset, .lastID, .keyRising, .keyFalling, .timeRising, .timeFalling:
        try FakeJob.token()
      case .afterRising, .afterFalling, .afterTime:
        .chain(
          NextPage(
            .record(LastRecord([try JSONPath("id")], isUnique: style != .afterTime)),
            parameter: "after"))
      case .link, .linkWithLast: .link
      case .url: try FakeJob.address()
      }
    var stream = try FakeJob.stream(
      pager, size: size, total: trust, more: style == .afterTime,
      overlaps: true)
    stream.order = order
    return stream
  }

  func answer(_ step: Step) -> Reply {
    let asked = asked(step)
    let most = min(asked, clamp)
    guard let begin = beginning(of: step, most) else {
      return .trouble(.init(.refused, "there is no such record", status: 400))
    }
    let end = min(entries.count, begin + most)
    let shown = begin < end ? Array(entries[begin..<end]) : []
    var page = ScriptPage(shown.map(\.key))
    page.ranks = shown.map { order?.direction == .falling ? -$0.rank : $0.rank }
    switch counted {
    case .none: break
    case .estimate, .counted, .duplicates: page.total = entries.count
    case .steady, .wrong: page.total = entries.count + 1
    }
    if style.isAfter {
      let next = shown.last.map { Cursor.token("\(style == .afterTime ? "g" : "k")\($0.rank)") }
      if next != step.cursor { page.next = next }
      if style == .afterTime { page.more = end < entries.count }
      return .page(page)
    }
    guard end < entries.count, end > 0 else { return .page(page) }
    switch style {
    case .number, .numberVaried, .numberFixed, .offset, .offsetInOrder, .afterRising, .afterFalling,
      .afterTime:
      break
    case .token: page.next = .token("p\(end)")
    case .keyset, .keyRising, .keyFalling, .timeRising, .timeFalling:
      page.next = .token("k\(entries[end - 1].rank)")
    case .lastID: page.next = .token("i\(entries[end - 1].key)")
    case .url: page.next = .address("https://api.example/v1/things?size=\(asked)&skip=\(end)")
    case .link, .linkWithLast:
      page.next = .address(
        "https://api.example/v1/things?size=\(asked)&page=\(step.cursor.lastNumber + 1)")
      if style == .linkWithLast {
        let last = (entries.count + most - 1) / most
        page.last = .address("https://api.example/v1/things?size=\(asked)&page=\(last)")
      }
    }
    return .page(page)
  }

  private func asked(_ step: Step) -> Int {
    switch step.cursor {
    case .part(_, let size): size
    case .address(let text): Int(text.split(separator: "&")[0].split(separator: "=")[1]) ?? size
    case .sized(_, let size) where style != .numberFixed: size
    default: size
    }
  }

  /// Nil if the named record is missing.
  private func beginning(of step: Step, _ most: Int) -> Int? {
    switch step.cursor.whole {
    case .start, .part: return 0
    case .number(let page), .sized(let page, _): return (page - 1) * most
    case .offset(let offset): return offset
    case .address:
      return style == .url ? step.cursor.lastNumber : (step.cursor.lastNumber - 1) * most
    case .token(let token):
      let value = Int(token.dropFirst()) ?? 0
      if token.hasPrefix("p") { return value }
      if token.hasPrefix("i") { return entries.lastIndex { $0.key == value }.map { $0 + 1 } }
      if token.hasPrefix("g") { return entries.firstIndex { $0.rank >= value } ?? entries.count }
      return entries.firstIndex { $0.rank > value } ?? entries.count
    }
  }
}
