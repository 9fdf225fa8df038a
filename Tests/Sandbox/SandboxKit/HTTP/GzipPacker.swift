internal import CZlib

/// Compresses as real servers do.
public enum GzipPacker {
  /// Less than one packet is not worth it.
  static let bytesMin = 1400

  /// A gzip file, or a zlib stream. The lowest level, since loopback is fast; 0 only stores.
  public static func packed(
    _ bytes: [UInt8], level: Int32 = 1, isFramedByZlib: Bool = false
  ) -> [UInt8] {
    var stream = z_stream()
    // 15 window bits, plus 16 for the gzip format.
    let started = deflateInit2_(
      &stream, level, Z_DEFLATED, isFramedByZlib ? 15 : 15 + 16, 8, Z_DEFAULT_STRATEGY,
      ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(started == Z_OK, "zlib has no memory")
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
    precondition(result == Z_STREAM_END, "the bound of zlib is none")
    return Array(output[..<count])
  }

  /// The checksum of PNG and gzip.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(bytes.count)))
  }
}
