internal import Model

/// Takes a secret out of whatever a recording keeps, in the forms in which servers echo it: as it
/// is, percent-encoded, and with the escapes of JSON. Cookies of the server go too.
struct SecretScreen: Sendable {
  private let forms: [[UInt8]]
  private let place: Credential.Place?
  static let mask = Array("***".utf8)

  init(_ credential: Credential?) {
    place = credential?.place
    let secret = credential?.secret.reveal() ?? ""
    var forms: [[UInt8]] = []
    if !secret.isEmpty {
      let encoded = PercentEncoding.encoded(secret)
      let escaped = secret.utf8.flatMap { byte -> [UInt8] in
        "\"\\/".utf8.contains(byte) ? [UInt8(ascii: "\\"), byte] : [byte]
      }
      forms = [Array(secret.utf8), Array(encoded.utf8), Self.lowered(encoded), escaped]
    }
    // The longest first: one form may hold another.
    self.forms = forms.sorted { $0.count > $1.count }
  }

  /// Escapes with small letters: `%2f`.
  private static func lowered(_ encoded: String) -> [UInt8] {
    var bytes = Array(encoded.utf8)
    for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
      for digit in index + 1..<min(index + 3, bytes.count) where (65...70).contains(bytes[digit]) {
        bytes[digit] |= 32
      }
    }
    return bytes
  }

  func clean(_ bytes: [UInt8]) -> [UInt8] {
    forms.reduce(bytes) { Self.replacing($1, in: $0) }
  }

  func clean(_ text: String) -> String {
    forms.isEmpty ? text : String(decoding: clean(Array(text.utf8)), as: UTF8.self)
  }

  func clean(_ address: WebAddress) -> String { clean(address.removing(place).description) }

  func clean(_ field: HeaderField) -> HeaderField {
    let isCookie =
      field.name.equalsIgnoringCase("Set-Cookie") || field.name.equalsIgnoringCase("Cookie")
    return HeaderField(field.name, isCookie ? "***" : clean(field.value))
  }

  /// Linear in the text but for false starts, of which each costs at most the secret's length.
  private static func replacing(_ form: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    guard let first = form.first, bytes.count >= form.count else { return bytes }
    var cleaned: [UInt8] = []
    var kept = 0
    var index = 0
    while index <= bytes.count - form.count {
      if bytes[index] == first, bytes[index..<index + form.count].elementsEqual(form) {
        cleaned += bytes[kept..<index]
        cleaned += mask
        index += form.count
        kept = index
      } else {
        index += 1
      }
    }
    return kept == 0 ? bytes : cleaned + bytes[kept...]
  }
}
