public import Base

/// Collects a body.
public final class GatheringSink: BodySink {
  private let gathered = Locked<[UInt8]>([])

  public init() {}

  public var bytes: [UInt8] { gathered.withLock { $0 } }

  public func begin(_ fields: HeaderFields) { gathered.withLock { $0 = [] } }

  public func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let piece = Array(bytes)
    gathered.withLock { $0 += piece }
    return true
  }
}
