internal import CZlib

/// Unpacks a gzip body piece by piece and knows whether its end arrived, with the right checksum and length. libcurl's
/// own unpacking reports a truncated body as complete.
final class GzipDecoder {
  private let stream: UnsafeMutablePointer<z_stream>
  private let room: UnsafeMutableRawBufferPointer
  /// Between members: none has begun, or the last one is proven.
  private var isBetweenMembers = true
  private(set) var membersProven = 0

  /// Nil when there is no memory for the window.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    room = .allocate(byteCount: 64 << 10, alignment: 16)
    guard czlib_start_gunzip(stream) == Z_OK else {
      stream.deallocate()
      room.deallocate()
      return nil
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    room.deallocate()
  }

  /// Every member that began has ended, and there is at least one.
  var isWhole: Bool { isBetweenMembers && membersProven > 0 }

  /// Passes unpacked bytes to `take`, at most 64 KiB at a time, while it goes on.
  func feed(
    _ bytes: UnsafeRawBufferPointer,
    _ take: (UnsafeRawBufferPointer) -> BodyReceiver.Verdict
  ) -> BodyReceiver.Verdict {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return .goesOn }
    // zlib does not write through this pointer; its type only lacks the const.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: base.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(bytes.count)
    defer { stream.pointee.next_in = nil }
    // Each turn consumes input or produces output, which bounds the number of turns.
    while true {
      if isBetweenMembers {
        if stream.pointee.avail_in == 0 { return .goesOn }
        guard inflateReset(stream) == Z_OK else { return .damaged }
        isBetweenMembers = false
      }
      stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(room.count)
      let result = inflate(stream, Z_NO_FLUSH)
      let count = room.count - Int(stream.pointee.avail_out)
      let verdict = count > 0 ? take(UnsafeRawBufferPointer(rebasing: room[..<count])) : .goesOn
      guard verdict == .goesOn else { return verdict }
      switch result {
      case Z_STREAM_END:
        isBetweenMembers = true
        membersProven += 1
      case Z_OK where stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0:
        return .goesOn
      case Z_OK:
        continue
      case Z_BUF_ERROR where stream.pointee.avail_in == 0:
        return .goesOn
      default:
        return .damaged
      }
    }
  }
}
