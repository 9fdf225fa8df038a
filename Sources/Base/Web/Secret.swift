/// A key or token. It prints as `***`; only the code that sends it or writes its file may read the text.
public struct Secret: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The longest that is kept, and that a request carries.
  public static let bytesMax = 64_000

  private let text: String

  public init(_ text: String) { self.text = text }

  /// The only way to the text.
  public func reveal() -> String { text }

  public var description: String { "***" }
  public var debugDescription: String { "***" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A secret, its place in a request, and the origins that may see it.
public struct Credential: Sendable {
  public enum Place: Equatable, Sendable {
    /// `Authorization: Bearer <secret>` is `.header(name: "Authorization", prefix: "Bearer ")`.
    case header(name: String, prefix: String)
    case query(name: String)
    /// `Authorization: Basic …`: the secret is the password of `user`, or without one the user name.
    case basic(user: String?)
    /// Basic with the secret as the user name; the password is not secret.
    case userName(password: String)
  }

  /// One secret and its place.
  public struct Part: Equatable, Sendable {
    public var place: Place
    public var secret: Secret

    public init(_ place: Place, _ secret: Secret) {
      self.place = place
      self.secret = secret
    }

    /// For Basic: the encoded user and password.
    public var basicText: String? {
      let pair: String
      switch place {
      case .basic(let user?): pair = "\(user):\(secret.reveal())"
      case .basic(nil): pair = "\(secret.reveal()):"
      case .userName(let password): pair = "\(secret.reveal()):\(password)"
      case .header, .query: return nil
      }
      return Base64.encoded(Array(pair.utf8))
    }
  }

  public var place: Place
  public var secret: Secret
  /// Further secrets of the same requests, for the same origins.
  public var others: [Part] = []
  /// Origins that may see it: the job's own, and those of `--send-key-to`.
  public var origins: Set<Origin>
  /// Requests the access token that is its secret.
  public var grant: TokenGrant?
  /// It is an access token.
  public var isByToken = false

  public init(place: Place, secret: Secret, origins: Set<Origin>) {
    self.place = place
    self.secret = secret
    self.origins = origins
  }

  public var parts: [Part] { [Part(place, secret)] + others }
}

extension WebAddress {
  /// Without the query parameter of a credential, for storing and showing. Removed whatever its value, since servers
  /// echo it in their next links.
  public func removing(_ credential: Credential.Place?) -> WebAddress {
    guard case .query(let name) = credential else { return self }
    return removing(name)
  }

  public func removing(_ credentials: [Credential.Place]) -> WebAddress {
    credentials.reduce(self) { $0.removing($1) }
  }

  /// The same, and without parameters under other names in which a server echoed the secret: only their masks are left,
  /// and the request has the credential anyway. What the list's own query names stays: without a filter other records
  /// would come.
  public func removing(
    echoed credentials: [Credential.Place], besides own: [QueryItem]
  ) -> WebAddress {
    if credentials.isEmpty { return self }
    return removing(credentials).removing(where: { name, value in
      value == SecretScreen.mask
        && !own.contains { PercentEncoding.decoded(name, plusIsSpace: true) == Array($0.name.utf8) }
    })
  }

  private func removing(_ name: String) -> WebAddress {
    removing(where: { key, _ in
      PercentEncoding.decoded(key, plusIsSpace: true) == Array(name.utf8)
    })
  }

  private func removing(where isNoMore: (Substring, Substring) -> Bool) -> WebAddress {
    guard let query else { return self }
    let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter {
      let pair = $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return !isNoMore(pair[0], pair.count == 2 ? pair[1] : "")
    }
    var copy = self
    copy.query = kept.isEmpty ? nil : kept.joined(separator: "&")
    return copy
  }

  /// With a query parameter that replaces those of its name.
  public func setting(_ name: String, _ value: String) -> WebAddress {
    removing(name).adding(name, value)
  }

  /// With one more query parameter; the value is encoded.
  public func adding(_ name: String, _ value: String) -> WebAddress {
    var copy = self
    let pair = "\(PercentEncoding.encoded(name))=\(PercentEncoding.encoded(value))"
    copy.query = query.map { $0.isEmpty ? pair : "\($0)&\(pair)" } ?? pair
    return copy
  }
}
