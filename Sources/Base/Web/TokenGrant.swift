/// How a run requests its access tokens.
public struct TokenGrant: Sendable {
  public var request: TokenRequest
  /// Only the origin of this address sees the secrets.
  public var address: WebAddress
  /// By the holes that they fill.
  public var secrets: [String: Secret]
  /// Where a rotating secret is kept; nil: none rotates.
  public var keeper: (any SecretKeeper)?

  public init(_ request: TokenRequest, at address: WebAddress, secrets: [String: Secret]) {
    self.request = request
    self.address = address
    self.secrets = secrets
  }

  /// The secrets that do not rotate, which therefore identify a quota's account.
  public var lasting: [Secret] {
    request.secrets.filter { !request.rotates($0.hole) }.compactMap { secrets[$0.hole] }
  }
}

/// Keeps a secret that each use replaces by a successor.
public protocol SecretKeeper: Sendable {
  /// Where the successor is kept, for the user.
  var place: String { get }
  /// Nil: another process is using it. The turn ends with the object.
  func takeTurn() throws(SecretKeepingProblem) -> (any SecretTurn)?
}

/// The right to use a secret, which one process has at a time.
public protocol SecretTurn: AnyObject, Sendable {
  /// The current secret, and the hole that it fills.
  var secret: (hole: String, value: Secret) { get }
  /// It was sent before, with unknown result.
  var wasSent: Bool { get }
  /// Durably notes that it is about to be sent.
  func begin() throws(SecretKeepingProblem)
  /// Durably stores the successor before anything depends on it. Nil: the secret is still valid.
  func keep(_ successor: Secret?) throws(SecretKeepingProblem)
}

/// Why a secret cannot be kept, or used; never quotes it.
public struct SecretKeepingProblem: Error, Sendable, Equatable, CustomStringConvertible {
  public let description: String
  /// Its file is there, and cannot be written: a full disk, an I/O error.
  public let isInWriting: Bool

  public init(_ description: String, isInWriting: Bool = false) {
    (self.description, self.isInWriting) = (description, isInWriting)
  }
}
