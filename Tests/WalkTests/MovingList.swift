import Model
import Walk

/// A small list behind an API of one style, which changes between two requests: the whole space of
/// such changes can be gone through.
struct MovingList {
  enum Style: CaseIterable {
    case number, offset, token, keyset, link, linkWithLast
  }

  enum Count: CaseIterable {
    case none, estimate, counted, steady
  }

  enum Change: Hashable {
    case insert(Int)
    case delete(Int)
    case move(from: Int, to: Int)
    case swap(Int)
    /// One goes and another one comes at its place.
    case replace(Int)
    /// The server gives at most so many records an answer from now on.
    case clamp(Int)

    var isMove: Bool {
      switch self {
      case .move, .swap: true
      case .insert, .delete, .replace, .clamp: false
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

  init(_ style: Style, _ counted: Count, count: Int, size: Int) {
    self.style = style
    self.counted = counted
    self.size = size
    entries = (0..<count).map { ($0, $0 * 1024) }
    nextKey = count
  }

  var keys: Set<Int> { Set(entries.map(\.key)) }

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
      insert(nextKey, at: place)
    case .clamp(let most): clamp = most
    default: break
    }
  }

  private mutating func insert(_ key: Int, at place: Int) {
    let before = place > 0 ? entries[place - 1].rank : (entries.first?.rank ?? 0) - 2048
    let after = place < entries.count ? entries[place].rank : before + 2048
    entries.insert((key, (before + after) / 2), at: place)
    if key == nextKey { nextKey += 1 }
  }

  // MARK: the API

  func stream() throws -> Model.Stream {
    let trust: Total.Trust? =
      switch counted {
      case .none: nil
      case .estimate: .estimate
      case .counted: .counted
      case .steady: .steady
      }
    let pager: Pager =
      switch style {
      case .number: FakeJob.number
      case .offset: FakeJob.offset
      case .token, .keyset: try FakeJob.token()
      case .link, .linkWithLast: .link
      }
    return try FakeJob.stream(pager, size: size, total: trust, overlaps: true)
  }

  func answer(_ step: Step) -> ScriptPage {
    let asked = step.cursor == .firstRecord ? 1 : builderSize(step)
    let most = min(asked, clamp)
    let begin = beginning(of: step, most)
    let end = min(entries.count, begin + most)
    var page = ScriptPage(begin < end ? entries[begin..<end].map(\.key) : [])
    switch counted {
    case .none: break
    case .estimate, .counted: page.total = entries.count
    case .steady: page.total = entries.count + 1
    }
    guard end < entries.count, end > 0 else { return page }
    switch style {
    case .number, .offset: break
    case .token: page.next = .token("p\(end)")
    case .keyset: page.next = .token("k\(entries[end - 1].rank)")
    case .link, .linkWithLast:
      page.next = .address("https://api.example/v1/things?size=\(asked)&page=\(number(step) + 1)")
      if style == .linkWithLast {
        let last = (entries.count + most - 1) / most
        page.last = .address("https://api.example/v1/things?size=\(asked)&page=\(last)")
      }
    }
    return page
  }

  private func builderSize(_ step: Step) -> Int { size }

  private func number(_ step: Step) -> Int {
    guard case .address(let text) = step.cursor else { return 1 }
    return Int(text.split(separator: "=").last ?? "") ?? 1
  }

  private func beginning(of step: Step, _ most: Int) -> Int {
    switch step.cursor {
    case .start, .firstRecord: return 0
    case .number(let page): return (page - 1) * most
    case .offset(let offset): return offset
    case .address: return (number(step) - 1) * most
    case .token(let token):
      let value = Int(token.dropFirst()) ?? 0
      if token.hasPrefix("p") { return value }
      return entries.firstIndex { $0.rank > value } ?? entries.count
    }
  }
}
