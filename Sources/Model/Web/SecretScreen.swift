internal import Glibc

/// Finds a request's secret in whatever repeats it, so that it neither travels to another origin nor
/// is shown, stored or recorded: as it is, percent-encoded, and with the escapes of JSON. Cookies of
/// the server are secrets too.
public struct SecretScreen: Sendable {
  /// A secret of a few letters stands in any text by chance, and data is not to be changed by
  /// chance.
  public static let bytesMin = 6
  /// What stands where the secret stood.
  public static let mask = "***"

  /// The longest first: one form may hold another. Empty: nothing is looked for.
  private let forms: [[UInt8]]
  private let secret: [UInt8]
  private let place: Credential.Place?

  /// - Parameter bytesMin: a shorter secret is not looked for.
  public init(_ credential: Credential?, bytesMin: Int = Self.bytesMin) {
    let text = credential?.secret.reveal() ?? ""
    secret = text.utf8.count >= max(1, bytesMin) ? Array(text.utf8) : []
    forms = secret.isEmpty ? [] : Self.forms(of: text)
    place = credential?.place
  }

  /// In one of the forms, or behind any other percent-encoding.
  public func isHeld(by text: String) -> Bool {
    let bytes = Array(text.utf8)
    return forms.contains { Self.place(of: $0, in: bytes, from: 0) != nil }
      || !secret.isEmpty
        && Self.place(of: secret, in: PercentEncoding.decoded(text), from: 0) != nil
  }

  /// The body of an answer: a next address, a token or a text that repeats the secret loses it
  /// here, so that it reaches neither another server nor a table, report or line of ours.
  public func clean(_ bytes: [UInt8]) -> [UInt8] {
    forms.reduce(bytes) { Self.replacing($1, in: $0) }
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
    var copy = address.removing(place)
    copy.path = clean(copy.path, otherwise: "/" + Self.mask)
    copy.query = copy.query.map { clean($0, otherwise: Self.mask) }
    return copy
  }

  /// Masked where it stands; what still holds it in some other encoding goes whole.
  private func clean(_ text: String, otherwise: String) -> String {
    let cleaned = clean(text)
    return isHeld(by: cleaned) ? otherwise : cleaned
  }

  private static func replacing(_ form: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    var start = 0
    while let place = place(of: form, in: bytes, from: start) {
      kept += bytes[start..<place] + mask.utf8
      start = place + form.count
    }
    return start == 0 ? bytes : kept + bytes[start...]
  }

  private static func place(of form: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { all in
      guard let base = all.baseAddress, let first = form.first else { return nil }
      var at = start
      while at + form.count <= all.count,
        let found = memchr(base + at, Int32(first), all.count - form.count + 1 - at)
      {
        let place = base.distance(to: UnsafeRawPointer(found))
        if memcmp(found, form, form.count) == 0 { return place }
        at = place + 1
      }
      return nil
    }
  }

  /// The ways in which JSON and URLs write the same text; most secrets have one only.
  private static func forms(of secret: String) -> [[UInt8]] {
    func escaped(_ marks: String) -> [UInt8] {
      secret.utf8.flatMap { marks.utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    }
    let encoded = Array(PercentEncoding.encoded(secret).utf8)
    let all = [
      Array(secret.utf8), encoded, withSmallDigits(encoded), escaped("\"\\"), escaped("\"\\/"),
    ]
    return Set(all).sorted { $0.count > $1.count }
  }

  /// `%2f` for `%2F`.
  private static func withSmallDigits(_ encoded: [UInt8]) -> [UInt8] {
    var out = encoded
    for index in encoded.indices where encoded[index] == UInt8(ascii: "%") {
      for digit in out[(index + 1)...].indices.prefix(2) where (65...70).contains(out[digit]) {
        out[digit] |= 0x20
      }
    }
    return out
  }
}
