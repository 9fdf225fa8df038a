internal import Base

/// One synthetic GIF: everything is a function of the seed and the index.
struct GiphyGif: Sendable {
  enum Rating: String, Sendable, CaseIterable, Comparable {
    case g, pg
    case pg13 = "pg-13"
    case r

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    static func < (left: Rating, right: Rating) -> Bool { left.place < right.place }
  }

  let index: Int
  let id: String
  let bits: UInt64

  init(_ index: Int, seed: UInt64) {
    self.index = index
    bits = SeededRandom.mixed(seed ^ 0x6769_7068, UInt64(index))
    // Ids are case sensitive: this one is its neighbour's with the case of all letters changed.
    id =
      Self.isMirror(index)
      ? Self.mirrored(Self.plainID(index - 1, seed: seed)) : Self.plainID(index, seed: seed)
  }

  /// Seven of ten are rated g, whatever the seed, so that the counts of a size are exact.
  var rating: Rating {
    switch index % 10 {
    case 3, 6: .pg
    case 9: index % 20 == 9 ? .pg13 : .r
    default: .g
    }
  }

  /// The number of GIFs that include this many rated g.
  static func count(ratedG: Int) -> Int {
    let rest = [0, 1, 2, 3, 5, 6, 8][ratedG % 7]
    return ratedG / 7 * 10 + rest
  }

  var title: String {
    let titles = [
      "", "Cat GIF", "Good Morning GIF by nobody", "안녕 고양이 GIF", "\"Quoted\" & <b>bold</b>",
      "Party 🎉🏳️‍🌈", " spaced ", "Café e\u{301}", "line one\nline two",
    ]
    let title = titles[Int(bits >> 8 & 0xFF) % titles.count]
    return title.isEmpty ? "" : "\(title) \(index)"
  }

  /// Empty for most, which then have no user either.
  var username: String { bits >> 16 & 3 == 0 ? "channel\(bits >> 20 & 31)" : "" }

  var isSticker: Bool { bits >> 24 & 15 == 0 }

  var slug: String { "made-up-\(index)-\(id)" }

  /// Eleven in twelve have a time; the others say "never" in one of two forms.
  var importedAt: String { time(salt: 1, never: 12) }

  /// Most never trended.
  var trendedAt: String { time(salt: 2, never: 2) }

  private func time(salt: UInt64, never: UInt64) -> String {
    let draw = SeededRandom.mixed(bits, salt)
    if draw % never == 0 {
      return draw >> 32 & 1 == 0 ? "0000-00-00 00:00:00" : "1970-01-01 00:00:00"
    }
    // 2015-01-01 and eleven years on.
    let text = CivilTime(Instant(seconds: 1_420_070_400 + Int64(draw >> 20 % 350_000_000))).rfc3339
    return String(text.dropLast()).split(separator: "T").joined(separator: " ")
  }

  // MARK: ids

  private static let alphabet = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
  private static let indexDigits = 4

  private static func isMirror(_ index: Int) -> Bool { index % 50 == 17 }

  /// 13 to 18 letters and digits, the first four of which encode the index.
  private static func plainID(_ index: Int, seed: UInt64) -> String {
    var out: [UInt8] = []
    var rest = index
    for place in 0..<indexDigits {
      // Shifted by the seed, so that ids do not begin with zeros.
      let shift = Int(SeededRandom.mixed(seed, UInt64(place)) % 62)
      out.append(alphabet[(rest % 62 + shift) % 62])
      rest /= 62
    }
    var random = SeededRandom(seed ^ 0x69_64, UInt64(index))
    for _ in 0..<(9 + random.below(6)) { out.append(random.pick(alphabet)) }
    return String(decoding: out, as: UTF8.self)
  }

  private static func mirrored(_ id: String) -> String {
    let bytes = id.utf8.map { byte in
      (65...90).contains(byte & 0xDF) ? byte ^ 0x20 : byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The index that an id encodes; it may be beyond the data set.
  static func index(id: String, seed: UInt64) -> Int? {
    if let index = plainIndex(id, seed: seed), !isMirror(index),
      plainID(index, seed: seed).utf8.elementsEqual(id.utf8)
    {
      return index
    }
    let other = mirrored(id)
    if let index = plainIndex(other, seed: seed), isMirror(index + 1),
      plainID(index, seed: seed).utf8.elementsEqual(other.utf8)
    {
      return index + 1
    }
    return nil
  }

  private static func plainIndex(_ id: String, seed: UInt64) -> Int? {
    let bytes = Array(id.utf8)
    guard (13...18).contains(bytes.count) else { return nil }
    var index = 0
    for place in (0..<indexDigits).reversed() {
      guard let digit = alphabet.firstIndex(of: bytes[place]) else { return nil }
      let shift = Int(SeededRandom.mixed(seed, UInt64(place)) % 62)
      index = index * 62 + (digit + 62 - shift) % 62
    }
    return index
  }
}
