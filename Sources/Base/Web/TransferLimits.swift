/// The limits of one request.
public struct TransferLimits: Equatable, Sendable {
  /// Decoded bytes of a body.
  public var bodyBytesMax = 32_000_000
  public var connectTimeout: Duration = .seconds(20)
  /// The transfer ends if no byte arrives for this long.
  public var stallTimeout: Duration = .seconds(30)
  public var totalTimeout: Duration = .seconds(120)
  /// What is left of the run's own time; unlike `totalTimeout` it includes waiting for a free connection. Nil: no
  /// limit.
  public var runTimeLeft: Duration?
  /// Redirects of one request; enforced by the sender of the hops.
  public var hopsMax = 5

  public init() {}
}
