internal import Base
internal import TestSupport

/// The API of a year as it really is: its lists and records, who left them and when, and what a run was shown.
/// Independent of what the program stored.
final class YearWorld: Sendable {
  /// A record as an answer shows it.
  struct Record: Sendable, Equatable {
    var name: String
    var views = 0
    var detail = 0
    var photo: String?
  }

  struct State: Sendable {
    /// By name: `things`, `items topic=a`, `members id=0`, `groups`.
    var lists: [String: SimulatedList] = [:]
    /// By table and key.
    var records: [String: [Int: Record]] = [:]
    var archive: SimulatedArchive
    /// The current run, or the last one.
    var run = Run()
    /// The version of a list when page 1 of its walk was first answered; nil: no walk is open.
    var walkBegan: [String: Int] = [:]
    /// The page size of a list's walk: another size only looks whether more follow.
    var pageSize: [String: Int] = [:]
    var night = YearNight()
    /// The lists of the night before.
    var copies: [String: [SimulatedList.Entry]] = [:]
    /// Pictures that failed, which are requested again after days.
    var lacking: Set<String> = []
    /// How often the API moved.
    var moved = 0
    /// When the details of an item were last sent.
    var detailed: [Int: Instant] = [:]
    /// News that some undisturbed run could read, and when the last such run began.
    var owed: Set<Int> = []
    var lastRead = YearWorld.start
  }

  /// What one run requested and was shown.
  struct Run: Sendable {
    var asked: [String] = []
    var shown: [String: [Int: [Record]]] = [:]
    var listed: [String: Set<Int>] = [:]
    var versions: [String: Int] = [:]
    var news: Set<Int> = []
    /// Requests that reached the API.
    var sent = 0
    /// How often each target was requested.
    var times: [String: Int] = [:]
    /// Killed: nothing later counts.
    var isDead = false
    /// How a second, simultaneous run ended.
    var second: Int32?
  }

  let seed: UInt64
  let job: YearJob
  let time: VirtualTime
  private let state: Locked<State>

  init(seed: UInt64, time: VirtualTime) {
    self.seed = seed
    self.time = time
    var random = SeededRandom(seed: seed &* 0x9e37_79b9 &+ 16)
    job = YearJob(&random)
    let began = time.now.seconds
    let archive = SimulatedArchive(
      job.news,
      times: SimulatedArchive.steady(40, from: began - 20 * 86_400, days: 20, &random),
      reach: YearJob.reach)
    var first = State(archive: archive)
    let sizes =
      YearBook.long.map { ($0, 60) } + [("groups", YearJob.groups.count)]
      + YearJob.topics(.max).map { ("items topic=\($0)", 9) }
      + YearJob.groups.map { ("members id=\($0)", 5) }
    for (name, size) in sizes {
      first.lists[name] = SimulatedList()
      for _ in 0..<size { first.add(to: name, at: 0) }
    }
    state = Locked(first)
  }

  func change<T: Sendable>(_ body: @Sendable (inout State) -> T) -> T {
    state.withLock { body(&$0) }
  }
  var now: State { state.withLock { $0 } }

  /// The table that a list fills: `items` for `items topic=a`.
  static func table(of list: String) -> String {
    let stream = list.split(separator: " ").first.map(String.init) ?? list
    return stream == "members" ? "people" : stream
  }
}

extension YearWorld.State {
  /// - Parameter key: a returning one.
  mutating func add(to name: String, at place: Int, back key: Int? = nil) {
    lists[name]?.insert(at: place, back: key)
    guard let list = lists[name], let key = list.entries[safe: place]?.key else { return }
    let table = YearWorld.table(of: name)
    if records[table]?[key] == nil {
      records[table, default: [:]][key] = YearWorld.Record(
        name: "\(table) \(key)",
        photo: table == "people" ? "\(YearJob.pictures)/\(key)-0.gif" : nil)
    }
  }

  /// A day's changes: in each list records come or go, some change, counters increase, news appear.
  mutating func live(until now: Int64, _ random: inout SeededRandom) {
    copies = lists.mapValues(\.entries)
    func roll(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
    for name in lists.keys.sorted() where name != "groups" {
      for _ in 0..<roll(3) { move(name, &random) }
    }
    // It keeps several pages, nearly half of which are more than a list loses in a day.
    for name in YearBook.long
    where lists[name]?.entries.count ?? 0 < 60 && night.event?.list != name {
      for _ in 0..<3 { add(to: name, at: 0) }
    }
    for table in records.keys.sorted() {
      for key in records[table, default: [:]].keys.sorted() {
        if roll(3) == 0 { records[table]?[key]?.views += 1 + roll(5) }
        if roll(20) == 0 { records[table]?[key]?.name += "+" }
        if roll(10) == 0 { records[table]?[key]?.detail += 1 }
        if roll(60) == 0, records[table]?[key]?.photo != nil {
          records[table]?[key]?.photo = "\(YearJob.pictures)/\(key)-\(1 + roll(9)).gif"
        }
      }
    }
    for at in (0..<roll(5)).map({ _ in now - Int64(roll(80_000)) }).sorted() {
      archive.publish(at: at)
    }
  }

  /// News were shown for a while, but never read.
  func hasLostNews(at now: Instant) -> Bool { now - lastRead > .seconds(YearJob.reach) }

  /// An undisturbed run has begun: it must read what is shown then.
  mutating func owe(at now: Instant) {
    lastRead = now
    let first = now.seconds - YearJob.reach + 3600
    for (key, at) in archive.times.enumerated() where at > first && at < now.seconds {
      owed.insert(key)
    }
  }

  /// Applies a night's event to the world.
  mutating func befall(_ event: YearEvent?, day: Int, at now: Instant) {
    if event == .moved, day == 1 { moved += 1 }
    // A picture is due.
    if event?.list == YearTrouble.pictures, day == 1,
      let key = lists["members id=0"]?.entries.first?.key
    {
      // Other numbers than those of `live`.
      records["people"]?[key]?.photo = "\(YearJob.pictures)/\(key)-\(now.seconds).gif"
    }
    guard event == .halfLeaves, day == 1 else { return }
    let count = lists["things"]?.entries.count ?? 0
    // A few records may leave any list in a day, however short it is.
    let leaving = min(count - 5, max(count * 45 / 100, 25))
    for _ in 0..<max(leaving, 0) {
      let rest = lists["things"]?.entries.count ?? 0
      lists["things"]?.remove(at: min(count / 4, rest - 1))
    }
  }

  /// One record comes, comes back, or goes.
  mutating func move(_ name: String, _ random: inout SeededRandom) {
    guard let list = lists[name] else { return }
    let count = list.entries.count
    let place = count == 0 ? 0 : Int(random.next() % UInt64(count))
    let back = list.gone.sorted()
    switch random.next() % 5 {
    case 0, 1: add(to: name, at: place)
    case 2 where !back.isEmpty:
      add(to: name, at: place, back: back[Int(random.next() % UInt64(back.count))])
    // An uncounted list may only be a few records shorter than usual.
    default: if count > max(4, list.longest - 5) { lists[name]?.remove(at: place) }
    }
  }
}

extension Array {
  subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
