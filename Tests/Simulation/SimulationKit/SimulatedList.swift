internal import TestSupport

/// A moving list and its history: which keys were in it, and when.
struct SimulatedList: Sendable {
  struct Entry: Sendable, Equatable {
    var key: Int
    /// Decreases from front to back; page tokens name it.
    var rank: Int
    /// Takes a position but is never shown.
    var isHidden = false
  }

  private(set) var entries: [Entry] = []
  /// Increases with every change.
  private(set) var version = 0
  private(set) var longest = 0
  private var addedAt: [Int: Int] = [:]
  private var removedAt: [Int: Int] = [:]
  private var nextKey = 0
  /// Halved by each record that is inserted between two others.
  private static let gap = 1 << 40

  init() {}

  init(_ scenario: Scenario, _ random: inout SeededRandom) {
    for _ in 0..<scenario.count { insert(at: 0) }
    for _ in 0..<scenario.duplicates where entries.count > 3 {
      // Next to its twin, or far from it.
      let index = Int(random.next() % UInt64(entries.count - 1))
      let place = Int(random.next() % UInt64(entries.count - 1))
      let rank = (entries[place].rank + entries[place + 1].rank) / 2
      entries.insert(Entry(key: entries[index].key, rank: rank), at: place + 1)
    }
    if scenario.hasShortPages, scenario.isPositional {
      // The first of each page stays visible: an empty page would end the list.
      for index in entries.indices where index % scenario.size != 0 && random.next() % 4 == 0 {
        let key = entries[index].key
        guard entries.filter({ $0.key == key }).count == 1 else { continue }
        entries[index].isHidden = true
        addedAt[key] = nil
      }
    }
    longest = entries.count
  }

  /// - Parameter key: a returning one; nil: a new one.
  mutating func insert(at index: Int, back key: Int? = nil) {
    let front = entries.first?.rank ?? 0
    let rank: Int
    if index == 0 {
      rank = front + Self.gap
    } else if index < entries.count {
      rank = (entries[index - 1].rank + entries[index].rank) / 2
    } else {
      rank = (entries.last?.rank ?? 0) - Self.gap
    }
    version += 1
    entries.insert(Entry(key: key ?? nextKey, rank: rank), at: index)
    addedAt[key ?? nextKey] = version
    removedAt[key ?? nextKey] = nil
    if key == nil { nextKey += 1 }
    longest = max(longest, entries.count)
  }

  mutating func remove(at index: Int) {
    version += 1
    let key = entries.remove(at: index).key
    if !entries.contains(where: { $0.key == key }) { removedAt[key] = version }
  }

  /// Moves a record to another place without leaving.
  mutating func move(from index: Int, to place: Int) {
    let key = entries[index].key
    let added = addedAt[key]
    remove(at: index)
    insert(at: place, back: key)
    addedAt[key] = added
  }

  // MARK: history

  /// Keys that have been in the list ever since that version.
  func present(since version: Int) -> Set<Int> {
    Set(addedAt.filter { $0.value <= version && removedAt[$0.key] == nil }.keys)
  }

  /// Keys that were in the list at any time since that version.
  func seen(since version: Int) -> Set<Int> {
    Set(addedAt.filter { (removedAt[$0.key] ?? .max) > version }.keys)
  }

  /// Keys that were ever shown.
  var everything: Set<Int> { Set(addedAt.keys) }

  /// Keys that have left.
  var gone: Set<Int> { Set(removedAt.keys) }

  var visibleCount: Int { entries.reduce(0) { $0 + ($1.isHidden ? 0 : 1) } }
}
