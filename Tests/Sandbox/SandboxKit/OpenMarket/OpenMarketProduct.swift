internal import Base

/// The server was rewritten several times; two versions are imitated.
enum OpenMarketGeneration: Sendable, Equatable {
  /// `page_no`, `has_next`: early 2022.
  case second
  /// `pageNo`, `hasNext`: late 2022.
  case third
}

/// One synthetic product: everything is a function of the seed and the index.
struct OpenMarketProduct: Sendable {
  let index: Int
  let id: Int
  let bits: UInt64

  static let vendors = 9

  /// Ids rise with the index and have gaps, as after deletions.
  init(_ index: Int, seed: UInt64) {
    self.index = index
    bits = SeededRandom.mixed(seed ^ 0x6D_6B74, UInt64(index))
    id = 20 + index * 3 + Int(bits % 3)
  }

  /// The index that an id encodes; it may be beyond the data set.
  static func index(id: Int, seed: UInt64) -> Int? {
    guard id >= 20, id < 1 << 40 else { return nil }
    let index = (id - 20) / 3
    return OpenMarketProduct(index, seed: seed).id == id ? index : nil
  }

  var vendorID: Int { 1 + Int(bits >> 4 % UInt64(Self.vendors)) }
  var vendorName: String { Self.vendorName(vendorID) }

  static func vendorName(_ id: Int) -> String { "vendor\(id)" + (id == 4 ? " 판매자" : "") }

  var name: String { Self.names[Int(bits >> 12 & 0xFF) % Self.names.count] + " \(index)" }

  var description: String {
    let texts = [
      "", "한글 설명입니다.", "two\nlines", " blanks at both ends ", "ㅋㅋㅋ", "emoji 🎸🇰🇷",
      "\"quotes\" & <b>tags</b>", String(repeating: "long ", count: 80),
    ]
    return texts[Int(bits >> 20 & 0xFF) % texts.count]
  }

  private static let names = [
    "기타", "guitar", "MacBook", "맥북 프로", "ㅁㄴㅇㄹ", "사과 & 배", "1+1=2", "A/S 가능", "c# 책",
    "100% 면 티셔츠", "🎮 게임기", "camera",
  ]

  var currency: String { bits >> 28 & 7 == 0 ? "USD" : "KRW" }

  /// Whole for won, with cents for dollars; one in twelve is ten million or more.
  var price: Double {
    if currency == "USD" { return Double(bits >> 32 % 100_000) / 100 }
    if index % 12 == 5 { return Double(1 + bits >> 32 % 9) * 1.0e7 }
    return Double(bits >> 32 % 2_000) * 500
  }

  var discountedPrice: Double { bits >> 44 & 3 == 0 ? price / 4 : 0 }
  var bargainPrice: Double { price - discountedPrice }

  var stock: Int { index % 40 == 7 ? 1_000_000_000_000 : Int(bits >> 46 & 0x3FF) }

  /// The days of its creation and last change, in the server's calendar.
  var createdDay: Int64 { 18_990 + Int64(index) / 5 }
  var issuedDay: Int64 { createdDay + Int64(bits >> 56 & 3) }

  /// The name of its image, the only link to the product.
  var imageID: String { Self.uuid(index, bits) }

  /// `0badcafe-1234-4567-89ab-` and twelve digits: the last eight are the index.
  static func uuid(_ index: Int, _ bits: UInt64) -> String {
    let word = Hexadecimal.text(bits)
    let tail = Hexadecimal.text(UInt64(index)).suffix(8)
    return "\(word.prefix(8))-\(word.dropFirst(8).prefix(4))-4\(word.suffix(3))-8abc-cafe\(tail)"
  }

  /// Most have no ending, and those that have one may be wrong.
  var ending: String { ["", "", "", ".jpg", ".png"][index % 5] }

  /// One to four; the first is the one in lists.
  var imageCount: Int { 1 + Int(bits >> 58 & 3) }

  func imageID(at place: Int) -> Int { id * 10 + place }
}
