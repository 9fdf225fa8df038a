/// Finds a request's secret wherever it is repeated and however it is spelled, so that it is neither sent to another
/// origin nor shown, stored or recorded. Server cookies count as secrets.
public struct SecretScreen: Sendable {
  /// A shorter secret occurs in texts by chance, and masking would change data.
  public static let bytesMin = 6
  /// What replaces the secret.
  public static let mask = "***"

  private var search = SecretSearch()
  private let places: [Credential.Place]
  private let seen: SeenSecrets?

  /// - Parameters:
  ///   - seen: other secrets that the run has seen, including later ones.
  ///   - bytesMin: shorter secrets are ignored.
  public init(_ credential: Credential?, seen: SeenSecrets? = nil, bytesMin: Int = Self.bytesMin) {
    places = credential?.parts.map(\.place) ?? []
    self.seen = seen
    for text in credential?.texts ?? [] { note(text, bytesMin) }
  }

  /// For texts that are not in a request's credential.
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

  /// The body of an answer with all secrets masked, so that none reaches another server, a table, a report or a log.
  public func clean(_ bytes: [UInt8]) -> [UInt8] {
    let cleaned = search.masking(bytes, Self.mask)
    return seen?.search.masking(cleaned, Self.mask) ?? cleaned
  }

  public func clean(_ text: String) -> String {
    isHeld(by: text) ? String(decoding: clean(Array(text.utf8)), as: UTF8.self) : text
  }

  /// The fields as they may leave the transport: followed, stored and shown.
  public func clean(_ fields: HeaderFields) -> HeaderFields {
    HeaderFields(fields.all.map(clean))
  }

  public func clean(_ field: HeaderField) -> HeaderField {
    let isCookie =
      field.name.equalsIgnoringCase("Set-Cookie") || field.name.equalsIgnoringCase("Cookie")
    return HeaderField(field.name, isCookie ? Self.mask : clean(field.value))
  }

  /// A server's name has no capitals, whatever the secret in it has.
  public func clean(_ origin: Origin) -> Origin {
    guard [search, seen?.search].contains(where: { $0?.isHeld(byHost: origin.host) ?? false })
    else { return origin }
    return Origin(scheme: origin.scheme, host: Self.mask, port: origin.port)
  }

  /// An address for storing and showing: without the credential's parameter, and masked if the secret is in the path or
  /// another parameter. Its host is left: a redirect to one that holds the secret is not followed.
  public func clean(_ address: WebAddress) -> WebAddress {
    var copy = address.removing(places)
    let path = clean(copy.path, otherwise: Self.mask)
    copy.path = path.hasPrefix("/") ? path : "/" + path
    copy.query = copy.query.map { clean($0, otherwise: Self.mask) }
    return copy
  }

  /// Masked; replaced as a whole if it holds the secret even then.
  private func clean(_ text: String, otherwise: String) -> String {
    let cleaned = clean(text)
    return isHeld(by: cleaned) ? otherwise : cleaned
  }
}

/// All secrets that a run was given or received: any answer may repeat one.
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
  /// All texts that an answer may repeat.
  public var texts: [String] {
    parts.flatMap { [$0.basicText, $0.secret.reveal()].compactMap { $0 } }
      + (grant?.secrets.values.map { $0.reveal() } ?? [])
  }
}
