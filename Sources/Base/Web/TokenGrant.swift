/// What a run requests its access tokens with.
public struct TokenGrant: Sendable {
  public var request: TokenRequest
  /// The origin of this address is the only one that sees the secrets.
  public var address: WebAddress
  /// By their holes.
  public var secrets: [String: Secret]
  /// Where the secret that rotates is kept; nil: none does.
  public var keeper: (any SecretKeeper)?

  public init(
    _ request: TokenRequest, at address: WebAddress, secrets: [String: Secret],
    keeper: (any SecretKeeper)? = nil
  ) {
    self.request = request
    self.address = address
    self.secrets = secrets
    self.keeper = keeper
  }

  /// What stays the same when a secret rotates, so that a quota's account does.
  public var lasting: [Secret] {
    request.secrets.filter { !request.rotates($0.hole) }.compactMap { secrets[$0.hole] }
  }
}

extension TokenGrant: Equatable {
  /// Where they are kept is not part of what they are.
  public static func == (one: TokenGrant, other: TokenGrant) -> Bool {
    one.request == other.request && one.address == other.address && one.secrets == other.secrets
  }
}

/// Keeps a secret that is spent by its use: it is replaced by its successor.
public protocol SecretKeeper: Sendable {
  /// Where the successor is kept, for a person.
  var place: String { get }
  /// Nil: another process spends it just now. The turn ends with the value.
  func takeTurn() throws(SecretKeepingProblem) -> (any SecretTurn)?
}

/// The right to spend a secret, which one process has at a time.
public protocol SecretTurn: AnyObject, Sendable {
  /// The secret as it is now, and the hole that it fills.
  var secret: (hole: String, value: Secret) { get }
  /// It was sent before, and nothing is known of what the server made of it.
  var wasSent: Bool { get }
  /// Durable: it is about to be sent.
  func begin() throws(SecretKeepingProblem)
  /// Durable: the successor, before anything rests on it. Nil: the secret is as good as it was.
  func keep(_ successor: Secret?) throws(SecretKeepingProblem)
}

/// Why a secret cannot be kept; never quotes it.
public struct SecretKeepingProblem: Error, Sendable, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
