/// Finds a request's secret in whatever repeats it, so that it neither travels to another origin nor
/// is shown, stored or recorded, however it is spelled there. Cookies of the server are secrets too.
public struct SecretScreen: Sendable {
  /// A secret of a few letters occurs in any text by chance, and data is not to be changed by
  /// chance.
  public static let bytesMin = 6
  /// What replaces the secret.
  static let mask = "***"

  private var search = SecretSearch()
  private let places: [Credential.Place]
  private let seen: SeenSecrets?

  /// - Parameters:
  ///   - seen: what else the run has seen, also what comes from now on.
  ///   - bytesMin: a shorter secret is not looked for.
  public init(_ credential: Credential?, seen: SeenSecrets? = nil, bytesMin: Int = Self.bytesMin) {
    places = credential?.parts.map(\.place) ?? []
    self.seen = seen
    for text in credential?.texts ?? [] { note(text, bytesMin) }
  }

  /// Of texts that are in no request's credential.
  public init(texts: [String], seen: SeenSecrets? = nil) {
    places = []
    self.seen = seen
    for text in texts { note(text, Self.bytesMin) }
  }

  private mutating func note(_ text: String, _ bytesMin: Int) {
    guard text.utf8.count >= bytesMin, seen?.holds(text) != true else { return }
    search.add(Array(text.utf8), isInCodes: text.utf8.count >= Self.bytesMin)
  }

  public func isHeld(by text: String) -> Bool {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      search.range(in: bytes, from: 0) != nil || seen?.search.range(in: bytes, from: 0) != nil
    }
  }

  /// The body of an answer: a next address, a token or a text that repeats the secret loses it
  /// here, so that it reaches neither another server nor a table, report or line of ours.
  public func clean(_ bytes: [UInt8]) -> [UInt8] {
    let cleaned = search.masking(bytes, Self.mask)
    return seen?.search.masking(cleaned, Self.mask) ?? cleaned
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
  /// where the secret was in the path or another parameter.
  public func clean(_ address: WebAddress) -> WebAddress {
    var copy = address.removing(places)
    copy.path = clean(copy.path, otherwise: "/" + Self.mask)
    copy.query = copy.query.map { clean($0, otherwise: Self.mask) }
    return copy
  }

  /// Masked where it occurs; a text that holds it even then is replaced whole.
  private func clean(_ text: String, otherwise: String) -> String {
    let cleaned = clean(text)
    return isHeld(by: cleaned) ? otherwise : cleaned
  }
}

/// Every secret that a run has seen: those it was given, and those that it received. An answer to any of its
/// requests may repeat one.
public final class SeenSecrets: Sendable {
  private let held = Locked(SecretSearch())

  public init() {}

  public func note(_ texts: [String]) {
    held.withLock { search in
      for text in texts where text.utf8.count >= SecretScreen.bytesMin {
        search.add(Array(text.utf8), isInCodes: true)
      }
    }
  }

  var search: SecretSearch { held.withLock { $0 } }

  func holds(_ text: String) -> Bool { held.withLock { $0.holds(Array(text.utf8)) } }
}

extension Credential {
  /// All of it that may be repeated.
  public var texts: [String] {
    parts.flatMap { [$0.basicText, $0.secret.reveal()].compactMap { $0 } }
      + (grant?.secrets.values.map { $0.reveal() } ?? [])
  }
}
