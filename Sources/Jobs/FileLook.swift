internal import Glibc

/// Where a file lay when it was looked for, and how. One that was written, moved, replaced or closed to us since lies
/// otherwise: the kernel notes the time of each change of a file, and nobody can set that time on
/// Linux's own file systems.
public struct FileLook: Equatable, Sendable {
  /// The file itself, apart from its name. Times are nanoseconds since 1970.
  public struct Place: Equatable, Sendable {
    public var device: UInt64
    public var number: UInt64
    public var size: Int64
    public var written: Int64
    public var changed: Int64

    public init(device: UInt64, number: UInt64, size: Int64, written: Int64, changed: Int64) {
      self.device = device
      self.number = number
      self.size = size
      self.written = written
      self.changed = changed
    }
  }

  public let path: String
  /// Nil: nothing is there that we can read.
  public let place: Place?

  public init(_ path: String, _ place: Place?) {
    self.path = path
    self.place = place
  }

  public init(at path: String) {
    var facts = stat()
    guard access(path, R_OK) == 0, stat(path, &facts) == 0 else {
      self.init(path, nil)
      return
    }
    self.init(
      path,
      Place(
        device: UInt64(facts.st_dev), number: UInt64(facts.st_ino), size: Int64(facts.st_size),
        written: Self.nanoseconds(facts.st_mtim), changed: Self.nanoseconds(facts.st_ctim)))
  }

  /// So long after a change a second one could bear the same time: file systems count in steps of up to two seconds.
  private static let step: Int64 = 2_000_000_000

  /// Whether a later change would show.
  public func isSettled(at now: Int64) -> Bool {
    guard let place else { return true }
    return now - max(place.written, place.changed) > Self.step
  }

  public static var now: Int64 {
    var clock = timespec()
    clock_gettime(CLOCK_REALTIME, &clock)
    return nanoseconds(clock)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
