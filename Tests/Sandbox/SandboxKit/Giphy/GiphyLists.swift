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

  private let seed: UInt64
  private let options: GiphyOptions
  private var lists = DriftingLists<Name>()

  init(seed: UInt64, options: GiphyOptions) {
    self.seed = seed
    self.options = options
  }

  private var gifs: Int { GiphyGif.count(ratedG: options.gifs) }

  /// Indices below this are GIFs that exist.
  var end: Int { gifs + lists.newcomers }

  mutating func list(_ name: Name) -> DriftingList {
    if let list = lists[name] { return list }
    let list = DriftingList(slots(name))
    lists[name] = list
    return list
  }

  mutating func drift(_ name: Name, insert: Int, delete: Int) {
    let (list, seed) = (list(name), seed)
    lists.move(name, list, insert: insert, delete: delete, end: gifs) {
      GiphyGif($0, seed: seed).rating <= name.rating
    }
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

  /// All GIFs in the list's own order.
  private func permuted(salt: UInt64) -> some Sequence<Int> {
    let count = gifs
    let stride = SeededRandom.stride(salt, over: count)
    let start = Int(salt >> 13 % UInt64(max(1, count)))
    return (0..<count).lazy.map { (start + $0 * stride) % count }
  }
}
