/// Finds a request's secret in whatever repeats it, so that it neither travels to another origin nor
/// is shown, stored or recorded, however it is spelled there. Cookies of the server are secrets too.
public struct SecretScreen: Sendable {
  /// A secret of a few letters stands in any text by chance, and data is not to be changed by
  /// chance.
  public static let bytesMin = 6
  /// What stands where the secret stood.
  static let mask = "***"

  private let secrets: [SecretSpelling]
  private let places: [Credential.Place]

  /// - Parameter bytesMin: a shorter secret is not looked for.
  public init(_ credential: Credential?, bytesMin: Int = Self.bytesMin) {
    let parts = credential?.parts ?? []
    let texts =
      parts.flatMap { [$0.basicText, $0.secret.reveal()].compactMap { $0 } }
      + (credential?.unsent.map { $0.reveal() } ?? [])
    secrets = texts.compactMap { text in
      let bytes = Array(text.utf8)
      return bytes.count >= bytesMin ? SecretSpelling(bytes) : nil
    }
    places = parts.map(\.place)
  }

  /// Of a text that is in no request's credential.
  public init(text: String) {
    let bytes = Array(text.utf8)
    secrets = [bytes.count >= Self.bytesMin ? SecretSpelling(bytes) : nil].compactMap { $0 }
    places = []
  }

  public func isHeld(by text: String) -> Bool {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      secrets.contains { $0.range(in: bytes, from: 0) != nil }
    }
  }

  /// The body of an answer: a next address, a token or a text that repeats the secret loses it
  /// here, so that it reaches neither another server nor a table, report or line of ours.
  public func clean(_ bytes: [UInt8]) -> [UInt8] {
    secrets.reduce(bytes) { Self.clean($0, of: $1) }
  }

  private static func clean(_ bytes: [UInt8], of secret: SecretSpelling) -> [UInt8] {
    bytes.withUnsafeBufferPointer { all in
      guard var found = secret.range(in: all, from: 0) else { return bytes }
      var kept: [UInt8] = []
      var start = 0
      while true {
        kept += all[start..<found.lowerBound]
        kept += mask.utf8
        start = found.upperBound
        guard let next = secret.range(in: all, from: start) else { break }
        found = next
      }
      return kept + all[start...]
    }
  }

  public func clean(_ text: String) -> String {
    isHeld(by: text) ? String(decoding: clean(Array(text.utf8)), as: UTF8.self) : text
  }

  /// The fields as everything behind the transport may see, follow and store them.
  public func clean(_ fields: HeaderFields) -> HeaderFields {
    HeaderFields(fields.all.map(clean))
  }

  public func clean(_ field: HeaderField) -> HeaderField {
    let isCookie =
      field.name.equalsIgnoringCase("Set-Cookie") || field.name.equalsIgnoringCase("Cookie")
    return HeaderField(field.name, isCookie ? Self.mask : clean(field.value))
  }

  /// An address for storing and showing: without the credential's parameter, and with the mask
  /// where the secret stood in the path or another parameter.
  public func clean(_ address: WebAddress) -> WebAddress {
    var copy = address.removing(places)
    copy.path = clean(copy.path, otherwise: "/" + Self.mask)
    copy.query = copy.query.map { clean($0, otherwise: Self.mask) }
    return copy
  }

  /// Masked where it stands; what holds it still, by what the mask brought together, goes whole.
  private func clean(_ text: String, otherwise: String) -> String {
    let cleaned = clean(text)
    return isHeld(by: cleaned) ? otherwise : cleaned
  }
}
