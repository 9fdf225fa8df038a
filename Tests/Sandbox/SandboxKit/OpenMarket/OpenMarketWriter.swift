internal import Base

/// Writes a product as the Open Market does.
struct OpenMarketWriter: Sendable {
  static let mediaSet = "market"

  let generation: OpenMarketGeneration
  let media: MediaLibrary
  let seed: UInt64

  /// The form in lists.
  func writeListed(_ product: OpenMarketProduct, to json: inout JSONWriter) {
    json.object { json in
      writeFields(product, isDetail: false, to: &json)
      // The only keys of an item that are not in snake case.
      if generation == .third {
        json.member("vendorName", product.vendorName)
        json.member("description", product.description)
      }
    }
  }

  /// The form of `/api/products/{id}`.
  func writeDetail(_ product: OpenMarketProduct, to json: inout JSONWriter) {
    json.object { json in
      writeFields(product, isDetail: true, to: &json)
      json.member("description", product.description)
      json.array("images") { json in
        for place in 0..<product.imageCount { image(place, of: product, to: &json) }
      }
      json.object("vendors") { json in
        json.member("id", product.vendorID)
        json.member("name", product.vendorName)
        if generation == .second {
          json.member("created_at", "2021-12-20T00:00:00.00")
          json.member("issued_at", "2021-12-20T00:00:00.00")
        }
      }
    }
  }

  private func writeFields(
    _ product: OpenMarketProduct, isDetail: Bool, to json: inout JSONWriter
  ) {
    json.member("id", product.id)
    json.member("vendor_id", product.vendorID)
    json.member("name", product.name)
    json.member("thumbnail", Self.thumbnail(of: product, media))
    json.member("currency", product.currency)
    price("price", product.price, to: &json)
    price("bargain_price", product.bargainPrice, to: &json)
    price("discounted_price", product.discountedPrice, to: &json)
    json.member("stock", product.stock)
    json.member("created_at", date(product.createdDay, product, isDetail))
    json.member("issued_at", date(product.issuedDay, product, isDetail))
  }

  private func date(_ day: Int64, _ product: OpenMarketProduct, _ isDetail: Bool) -> String {
    isDetail
      ? OpenMarketDates.detail(day, product.index, product.bits, generation)
      : OpenMarketDates.list(day, product.index, generation)
  }

  private func image(
    _ place: Int, of product: OpenMarketProduct, to json: inout JSONWriter
  ) {
    json.object { json in
      json.member("id", product.imageID(at: place))
      json.member("url", media.url(Self.mediaSet, Self.key(of: product, place, "origin")))
      json.member(
        "thumbnail_url",
        place == 0
          ? Self.thumbnail(of: product, media)
          : media.url(Self.mediaSet, Self.key(of: product, place, "thumb")))
      if generation == .second { json.member("succeed", true) }
      json.member("issued_at", OpenMarketDates.list(product.createdDay, product.index, generation))
    }
  }

  static func thumbnail(of product: OpenMarketProduct, _ media: MediaLibrary) -> String {
    media.url(mediaSet, key(of: product, 0, "thumb"))
  }

  /// `training-resources/{vendor}/{day}/{uuid}_thumb`; endings are rare and may be wrong.
  static func key(of product: OpenMarketProduct, _ place: Int, _ kind: String) -> String {
    let day = OpenMarketDates.date(product.createdDay).split(separator: "-").joined()
    let suffix = place == 0 ? "" : "_\(place)"
    return "training-resources/\(product.vendorID)/\(day)/\(product.imageID)\(suffix)_\(kind)"
      + product.ending
  }

  /// Whether an image with this key exists.
  static func isKey(_ key: String, seed: UInt64) -> Bool {
    guard let name = key.split(separator: "/").last, name.utf8.count >= 36 else { return false }
    let uuid = name.prefix(36)
    guard let index = Int(uuid.suffix(8), radix: 16) else { return false }
    let product = OpenMarketProduct(index, seed: seed)
    return (0..<product.imageCount).contains { place in
      ["thumb", "origin"].contains {
        Self.key(of: product, place, $0).utf8.elementsEqual(key.utf8)
      }
    }
  }

  private func price(_ name: String, _ value: Double, to json: inout JSONWriter) {
    json.key(name)
    json.number(Self.javaText(value))
  }

  /// A double as Java writes it: `20000.0`, `0.0`, and `6.0E7` from ten million on.
  static func javaText(_ value: Double) -> String {
    guard value >= 1.0e7 else { return value.description }
    var mantissa = value
    var exponent = 0
    while mantissa >= 10 {
      mantissa /= 10
      exponent += 1
    }
    return "\(mantissa)E\(exponent)"
  }
}
