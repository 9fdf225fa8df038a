internal import Glibc
public import Base

/// Where a file lay when it was looked for, and how. One that was closed to us since counts as gone.
public struct FileLook: Equatable, Sendable {
  public let path: String
  /// Nil: nothing is there that we can read.
  public let place: FilePlace?

  public init(_ path: String, _ place: FilePlace?) {
    self.path = path
    self.place = place
  }

  public init(at path: String) {
    self.init(path, access(path, R_OK) == 0 ? FilePlace(path: path) : nil)
  }

  /// So long after a change a second one could bear the same time: file systems count in steps of up to two seconds.
  private static let step: Int64 = 2_000_000_000

  /// Whether a later change would show.
  public func isSettled(at now: Int64) -> Bool {
    guard let place else { return true }
    return now - max(place.written, place.changed) > Self.step
  }
}
