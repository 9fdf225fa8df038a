/// How a job's images are kept.
public struct MediaSettings: Equatable, Sendable {
  /// Bytes of all files of the folder together; nil is no ceiling.
  public var limitBytes: Int64?
  public var fileBytesMax: Int
  /// Of one image, where the job does not say otherwise.
  public static let fileBytes = 20_000_000
  /// Host names that may resolve to addresses that the guard refuses.
  public var allow: [String]

  public init(limitBytes: Int64? = nil, fileBytesMax: Int = Self.fileBytes, allow: [String] = []) {
    self.limitBytes = limitBytes
    self.fileBytesMax = fileBytesMax
    self.allow = allow
  }
}
