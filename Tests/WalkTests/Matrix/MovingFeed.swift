import Base

/// A small feed, newest records first, whose older part an earlier walk covers.
struct MovingFeed {
  enum Style: String, CaseIterable {
    case number, offset, link, url
    case token = "token of a position"
    case keyset = "token of a time"
    /// In the order that its job declares.
    case timeFalling = "token, time falling"
    case keyFalling = "token, key falling"
  }

  enum Change: Hashable {
    /// Arrives as the newest.
    case publish
    case delete(Int)
    /// Stays in front from now on, with its old time.
    case pin(Int)
    /// Gets a new time, and moves to the front.
    case touch(Int)
  }

  let style: Style
  let size: Int
  private(set) var entries: [(key: Int, second: Int64)]
  private var nextKey: Int

  /// The newest covered record. A later one may have the same time.
  static let covered: Int64 = 100

  init(_ style: Style, old: Int, new: Int, size: Int, hasTie: Bool = false) {
    self.style = style
    self.size = size
    nextKey = old + new
    entries = (0..<old + new).reversed().map { key in
      let since = Int64(key - old)
      return (key, Self.covered + since + (hasTie && since >= 0 ? 0 : 1))
    }
  }

  var keys: Set<Int> { Set(entries.map(\.key)) }

  /// In a declared order, records are not pinned and keys do not change.
  var changes: [Change] {
    let places = entries.indices
    let all = [.publish] + places.map { Change.delete($0) }
    switch style {
    case .keyFalling: return all
    case .timeFalling: return all + places.map { .touch($0) }
    // A page of a single record cannot show that it is out of place.
    default: return all + places.flatMap { size > 1 ? [.pin($0), .touch($0)] : [.touch($0)] }
    }
  }

  mutating func make(_ change: Change) {
    let newest = (entries.map(\.second).max() ?? Self.covered) + 1
    switch change {
    case .publish:
      entries.insert((nextKey, newest), at: 0)
      nextKey += 1
    case .delete(let place):
      if entries.indices.contains(place) { entries.remove(at: place) }
    case .pin(let place):
      if entries.indices.contains(place) { entries.insert(entries.remove(at: place), at: 0) }
    case .touch(let place):
      guard entries.indices.contains(place) else { return }
      entries.insert((entries.remove(at: place).key, newest), at: 0)
    }
  }

  // MARK: the API

  var order: ListOrder? {
    switch style {
    case .timeFalling: ListOrder("at", .falling, by: .time)
    case .keyFalling: ListOrder("id", .falling, by: .key)
    default: nil
    }
  }

  func stream() throws -> Base.Stream {
    let pager: Pager =
      switch style {
      case .number: FakeJob.number
      case .offset: FakeJob.offset
      case .link: .link
      case .url: try FakeJob.address()
      case .token, .keyset, .timeFalling, .keyFalling: try FakeJob.token()
      }
    var stream = try FakeJob.stream(pager, size: size, overlaps: true)
    stream.newestFirst = "at"
    stream.order = order
    return stream
  }

  func answer(_ step: Step) -> Reply {
    let begin = beginning(of: step)
    let end = min(entries.count, begin + (step.cursor.partSize ?? size))
    let shown = begin < end ? Array(entries[begin..<end]) : []
    var page = ScriptPage(shown.map(\.key))
    page.oldest = shown.last.map { Instant(seconds: $0.second) }
    page.isNewestFirst = zip(shown, shown.dropFirst()).allSatisfy { $0.second >= $1.second }
    page.ranks = shown.map { style == .keyFalling ? $0.key : Int($0.second) }
    guard end < entries.count, let last = shown.last else { return .page(page) }
    switch style {
    case .number, .offset: break
    case .link:
      let next = step.cursor.lastNumber + 1
      page.next = .address("https://api.example/v1/things?size=\(size)&page=\(next)")
    case .url: page.next = .address("https://api.example/v1/things?size=\(size)&skip=\(end)")
    case .token: page.next = .token("p\(end)")
    // After the last record; among records of the same time by key.
    case .keyset, .timeFalling, .keyFalling: page.next = .token("k\(last.second).\(last.key)")
    }
    return .page(page)
  }

  private func beginning(of step: Step) -> Int {
    switch step.cursor.whole {
    case .start, .part: return 0
    case .number(let page), .sized(let page, _): return (page - 1) * size
    case .offset(let offset): return offset
    case .address:
      return style == .url ? step.cursor.lastNumber : (step.cursor.lastNumber - 1) * size
    case .token(let token):
      if token.hasPrefix("p") { return Int(token.dropFirst()) ?? 0 }
      let parts = token.dropFirst().split(separator: ".").compactMap { Int($0) }
      return entries.firstIndex { ($0.second, $0.key) < (Int64(parts[0]), parts[1]) }
        ?? entries.count
    }
  }
}
