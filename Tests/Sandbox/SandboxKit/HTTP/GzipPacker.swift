internal import CZlib

/// Compresses answers as the real servers do, for clients that accept it.
enum GzipPacker {
  /// Less than one packet is not worth it.
  static let bytesMin = 1400

  /// Nil when zlib has no memory: the answer then goes out as it is.
  static func packed(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // 15 bits of window, and 16 for the frame of gzip; the lowest level, since loopback is fast.
    let started = deflateInit2_(
      &stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard started == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let (result, count) = input.withUnsafeMutableBufferPointer { from in
      output.withUnsafeMutableBufferPointer { to in
        stream.next_in = from.baseAddress
        stream.avail_in = UInt32(from.count)
        stream.next_out = to.baseAddress
        stream.avail_out = UInt32(to.count)
        return (deflate(&stream, Z_FINISH), to.count - Int(stream.avail_out))
      }
    }
    guard result == Z_STREAM_END else { return nil }
    return Array(output[..<count])
  }
}
