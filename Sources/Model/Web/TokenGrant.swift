/// What a run requests its access tokens with.
public struct TokenGrant: Sendable {
  public var request: TokenRequest
  /// The origin of this address is the only one that sees the secrets.
  public var address: WebAddress
  /// By their holes.
  public var secrets: [String: Secret]
  /// Where secrets that rotate are kept; nil: none does.
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

  /// What stays the same when secrets rotate, so that a quota's account does.
  public var lasting: [Secret] {
    request.secrets.filter { !request.rotates($0.hole) }.compactMap { secrets[$0.hole] }
  }
}

extension TokenGrant: Equatable {
  /// Where they are kept is no part of what they are.
  public static func == (one: TokenGrant, other: TokenGrant) -> Bool {
    one.request == other.request && one.address == other.address && one.secrets == other.secrets
  }
}

/// Keeps secrets that are spent by their use: each is replaced by its successor.
public protocol SecretKeeper: Sendable {
  /// Where the successors are kept, for a person.
  var place: String { get }
  /// Nil: another process spends one just now. The turn ends with the value.
  func takeTurn() throws(SecretKeepingProblem) -> (any SecretTurn)?
}

/// The right to spend a secret, which one process has at a time.
public protocol SecretTurn: AnyObject, Sendable {
  /// Those that rotate, by their holes, as they are now.
  var secrets: [String: Secret] { get }
  /// A process spent this one before, and was stopped before it could keep the successor.
  var wasCutOff: Bool { get }
  /// Durable: it is about to be sent.
  func begin() throws(SecretKeepingProblem)
  /// Durable: the successors, before anything rests on them. None: the old ones stay.
  func keep(_ successors: [String: Secret]) throws(SecretKeepingProblem)
}

/// Why a secret cannot be kept; never quotes it.
public struct SecretKeepingProblem: Error, Sendable, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
