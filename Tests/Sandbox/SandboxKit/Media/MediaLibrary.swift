internal import Base

/// A folder of images below `/media`, made from their keys.
struct MediaSet: Sendable {
  var name: String
  /// Sizes of its files.
  var bytes: ClosedRange<Int>
  /// So many of the keys show a stock picture: equal bytes under different URLs.
  var sharedShare = 0.0
  /// How many stock pictures there are.
  var stock = 5
  /// The ending of a key tells the format of its file; else any file may bear any ending.
  var mindsEnding = true
  /// What the pictures are made from beside the key. Sets that share it are one folder under
  /// several names, as hosts of a network of caches are.
  var pictures: String?
  var contains: @Sendable (String) -> Bool
}

/// All images of the sandbox. A dialect adds a set for its keys and asks for their URLs; the bytes
/// are made on demand, always the same for the same seed.
final class MediaLibrary: Sendable {
  /// `http://127.0.0.1:41873/media`
  let base: String
  private let seed: UInt64
  private let troubleShare: Double
  private let sets = Locked<[String: MediaSet]>([:])

  init(origin: String, seed: UInt64, troubleShare: Double) {
    base = origin + "/media"
    self.seed = seed
    self.troubleShare = troubleShare
  }

  func add(_ set: MediaSet) { sets.withLock { $0[set.name] = set } }

  func set(_ name: String) -> MediaSet? { sets.withLock { $0[name] } }

  /// The key's characters must be of the kind that a path holds as they are.
  func url(_ set: String, _ key: String) -> String { "\(base)/\(set)/\(key)" }

  /// Nil when there is no such set or key.
  func item(_ setName: String, _ key: String) -> MediaItem? {
    guard let set = set(setName), set.contains(key) else { return nil }
    return item(set, key)
  }

  func item(_ set: MediaSet, _ key: String) -> MediaItem {
    let salt = SeededRandom.digest("\(set.pictures ?? set.name)/\(key)".utf8, seed: seed)
    var random = SeededRandom(salt)
    let isShared = random.fraction() < set.sharedShare
    let isTrouble = random.fraction() < troubleShare
    let troubles: [Truth.Image.State] = [.missing, .html, .cut, .empty]
    let picture = isShared ? SeededRandom.mixed(seed, UInt64(random.below(set.stock))) : salt
    // Small files are common and large ones rare, as the square of an even draw is.
    var sizes = SeededRandom(picture, 1)
    let draw = sizes.fraction()
    let spread = Double(set.bytes.upperBound - set.bytes.lowerBound)
    return MediaItem(
      picture: picture,
      format: (set.mindsEnding ? PictureFormat(path: key) : nil)
        ?? PictureFormat.allCases[sizes.below(3)],
      bytes: set.bytes.lowerBound + Int(draw * draw * spread), tag: salt,
      state: isTrouble ? random.pick(troubles) : .good)
  }

  /// What the truth says of one image; `suffix` is a query that its URL carries.
  func truth(_ set: String, _ key: String, suffix: String = "") -> Truth.Image {
    let url = url(set, key) + suffix
    guard let item = item(set, key) else {
      return Truth.Image(url: url, state: .missing, sha256: nil, bytes: 0, type: "")
    }
    return item.truth(url: url)
  }
}

/// One image: enough to make its bytes.
struct MediaItem: Sendable {
  var picture: UInt64
  var format: PictureFormat
  var bytes: Int
  /// Differs for every URL.
  var tag: UInt64
  var state: Truth.Image.State

  func file() -> [UInt8] { format.file(Picture(salt: picture), bytes: bytes) }

  func truth(url: String) -> Truth.Image {
    let file = state == .good ? file() : []
    return Truth.Image(
      url: url, state: state, sha256: state == .good ? SHA256.hex(file) : nil, bytes: file.count,
      type: format.type)
  }
}
