internal import Base

/// A folder of images below `/media`, generated from their keys.
struct MediaSet: Sendable {
  var name: String
  /// The range of its file sizes.
  var bytes: ClosedRange<Int>
  /// The share of keys that show a stock picture: equal bytes under different URLs.
  var sharedShare = 0.0
  /// The number of stock pictures.
  static let stock = 5
  /// The ending of a key determines the file's format; else any file may have any ending.
  var mindsEnding = true
  /// What the pictures are generated from besides the key. Sets that share it are one folder under several names, like
  /// the hosts of a CDN.
  var pictures: String?
  var contains: @Sendable (String) -> Bool
}

/// All images of the sandbox. A dialect adds a set for its keys and requests their URLs; the bytes are generated on
/// demand, always the same for the same seed.
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

  /// The key may only contain characters that a path need not escape.
  func url(_ set: String, _ key: String) -> String { "\(base)/\(set)/\(key)" }

  /// Nil if there is no such set or key.
  func item(_ name: String, _ key: String) -> MediaItem? {
    guard let set = sets.withLock({ $0[name] }), set.contains(key) else { return nil }
    let salt = SeededRandom.digest("\(set.pictures ?? set.name)/\(key)".utf8, seed: seed)
    var random = SeededRandom(salt)
    let isShared = random.fraction() < set.sharedShare
    let isTrouble = random.fraction() < troubleShare
    let troubles: [Truth.Image.State] = [.missing, .html, .cut, .empty]
    let picture = isShared ? SeededRandom.mixed(seed, UInt64(random.below(MediaSet.stock))) : salt
    // Squaring an even draw makes small files common and large ones rare.
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

  /// The truth about one image; `suffix` is the query of its URL.
  func truth(_ set: String, _ key: String, suffix: String = "") -> Truth.Image {
    let url = url(set, key) + suffix
    guard let item = item(set, key) else {
      return Truth.Image(url: url, state: .missing, sha256: nil)
    }
    return Truth.Image(
      url: url, state: item.state, sha256: item.state == .good ? SHA256.hex(item.file()) : nil)
  }
}

/// One image: enough to generate its bytes.
struct MediaItem: Sendable {
  var picture: UInt64
  var format: PictureFormat
  var bytes: Int
  /// Differs for each URL.
  var tag: UInt64
  var state: Truth.Image.State

  func file() -> [UInt8] { format.file(Picture(salt: picture), bytes: bytes) }
}
