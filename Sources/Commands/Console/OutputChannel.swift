internal import Glibc

/// A buffered descriptor in one of three states: open, closed by its reader (no error: `trawl search … | head`), failed
/// (disk full).
struct OutputChannel: Sendable {
  enum State: Equatable, Sendable {
    case open
    case closed
    case failed(errno: Int32)
  }

  private let descriptor: Int32
  private(set) var state = State.open
  private var buffer: [UInt8] = []
  /// Flushed from this size on.
  private static let bufferBytesMax = 1 << 16

  init(descriptor: Int32) { self.descriptor = descriptor }

  mutating func append(_ bytes: some Sequence<UInt8>) {
    // After its reader has gone, keep nothing.
    guard state == .open else { return }
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferBytesMax { flush() }
  }

  mutating func flush() {
    guard !buffer.isEmpty else { return }
    if state == .open {
      state = buffer.withUnsafeBytes { Self.write($0, to: descriptor) }
    }
    buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * Self.bufferBytesMax)
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> State {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = Glibc.write(descriptor, part.baseAddress, part.count)
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      // A write of zero bytes has no errno; it counts as a fault.
      switch count == 0 ? EIO : errno {
      case EINTR: continue
      // Another process made the shared descriptor non-blocking.
      case EAGAIN: waitUntilWritable(descriptor)
      case EPIPE: return .closed
      case let code: return .failed(errno: code)
      }
    }
    return .open
  }

  private static func waitUntilWritable(_ descriptor: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // The result does not matter: the next write shows what happened.
    _ = poll(&entry, 1, 1000)
  }
}
