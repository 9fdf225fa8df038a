/// Which GIFs are in which list. Each list is a function of the seed until it drifts.
struct GiphyLists: Sendable {
  struct Name: Hashable, Sendable {
    /// The search words as bytes, since texts that look alike differ. Nil: trending.
    var query: [UInt8]?
    /// GIFs above this rating are not listed.
    var rating: GiphyGif.Rating
  }

  /// A place in a list whose GIF no answer shows: pages in the middle come short.
  static let hole = -1
  /// Lists that are remembered; beyond that all are as at the start.
  private static let listsMax = 256
  private static let newcomersMax = 100_000

  private let seed: UInt64
  private let options: GiphyOptions
  private var touched: [Name: DriftingList] = [:]
  private var newcomers = 0

  init(seed: UInt64, options: GiphyOptions) {
    self.seed = seed
    self.options = options
  }

  private var gifs: Int { GiphyGif.count(ratedG: options.gifs) }

  /// Indices below this are GIFs that exist.
  var end: Int { gifs + newcomers }

  mutating func list(_ name: Name) -> DriftingList {
    if let list = touched[name] { return list }
    if touched.count >= Self.listsMax { touched = [:] }
    let list = DriftingList(slots(name))
    touched[name] = list
    return list
  }

  mutating func moveAfterPage(_ name: Name, by count: Int) {
    change(name) { list, newcomer in list.moveAfterPage(by: count, newcomer: newcomer) }
  }

  mutating func drift(_ name: Name, insert: Int, delete: Int) {
    change(name) { list, newcomer in
      list.delete(delete)
      list.insert(insert, newcomer: newcomer)
    }
  }

  private mutating func change(_ name: Name, _ body: (inout DriftingList, () -> Int) -> Void) {
    var list = list(name)
    var fresh = newcomers
    body(&list) {
      // The next one that the list's rating admits.
      repeat {
        fresh = min(fresh + 1, Self.newcomersMax)
      } while GiphyGif(gifs + fresh - 1, seed: seed).rating > name.rating
        && fresh < Self.newcomersMax
      return gifs + fresh - 1
    }
    newcomers = fresh
    touched[name] = list
  }

  private func slots(_ name: Name) -> [Int] {
    let salt = name.query.map { SeededRandom.digest($0, seed: seed) } ?? seed
    let wanted = name.query.map { found($0, salt: salt) } ?? options.gifs
    let order = permuted(salt: salt)
    // The wanted number rated g, and what wider ratings admit in between.
    var ratedG = 0
    var members: [Int] = []
    for index in order where ratedG < wanted {
      let rating = GiphyGif(index, seed: seed).rating
      guard rating <= name.rating else { continue }
      if rating == .g { ratedG += 1 }
      members.append(index)
    }
    let hasRepeats = name.query != nil || options.trendingRepeats
    return hasRepeats ? Self.withRepeats(members) : members
  }

  /// GIPHY says that an id may occur twice, in one answer or in two.
  private static func withRepeats(_ members: [Int]) -> [Int] {
    var slots: [Int] = []
    for member in members {
      switch slots.count % 131 {
      case 13: slots.append(slots[slots.count - 3])
      case 45: slots.append(hole)
      case 58: slots.append(slots[slots.count - 53])
      default: break
      }
      slots.append(member)
    }
    return slots
  }

  /// The number of GIFs rated g that a search finds.
  private func found(_ query: [UInt8], salt: UInt64) -> Int {
    if query.elementsEqual("cat".utf8) { return options.cats }
    if query.starts(with: "nothing".utf8) { return 0 }
    return 1 + Int(SeededRandom.mixed(salt, 7) % 60)
  }

  /// All GIFs in the list's own order: a stride that is coprime to their count.
  private func permuted(salt: UInt64) -> some Sequence<Int> {
    let count = gifs
    var stride = Int(salt % 7919) + count / 3 + 1
    while Self.gcd(stride, count) != 1 { stride += 1 }
    let start = Int(salt >> 13 % UInt64(max(1, count)))
    return (0..<count).lazy.map { (start + $0 * stride) % count }
  }

  private static func gcd(_ left: Int, _ right: Int) -> Int {
    right == 0 ? left : gcd(right, left % right)
  }
}
