/// How a job's images are kept.
public struct MediaSettings: Equatable, Sendable {
  /// The most bytes of all files of the folder together; nil: no limit.
  public var limitBytes: Int64?
  public var fileBytesMax: Int
  /// The limit of one image, unless the job sets another.
  public static let fileBytes = 20_000_000
  /// The most that a job may set.
  public static let fileBytesMost = 1_000_000_000
  /// Host names that may resolve to addresses the guard would refuse.
  public var allow: [String]

  public init(limitBytes: Int64? = nil, fileBytesMax: Int = Self.fileBytes, allow: [String] = []) {
    self.limitBytes = limitBytes
    self.fileBytesMax = fileBytesMax
    self.allow = allow
  }
}
