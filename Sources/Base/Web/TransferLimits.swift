/// Written maxima for one request.
public struct TransferLimits: Equatable, Sendable {
  /// Decoded bytes of a body.
  public var bodyBytesMax = 32_000_000
  /// All header fields of one hop together.
  public var headBytesMax = 256_000
  public var connectTimeout: Duration = .seconds(20)
  /// No byte for so long ends the transfer.
  public var stallTimeout: Duration = .seconds(30)
  public var totalTimeout: Duration = .seconds(120)
  /// What is left of the run's own time, from the call on; unlike `totalTimeout` it counts waiting
  /// for a free connection too. Nil: the run has no end.
  public var runTimeLeft: Duration?
  /// Redirects of one request; enforced where its hops are sent.
  public var hopsMax = RedirectChain.hopsMax

  public init() {}
}
