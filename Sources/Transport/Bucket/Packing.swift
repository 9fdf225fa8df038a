internal import CZlib

/// Packs bytes with zlib's fastest level at once. The reader must know the unpacked size.
public enum Packing {
  public static func packed(_ bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(UInt(bytes.count))
    return [UInt8](unsafeUninitializedCapacity: Int(count)) { out, filled in
      let code = compress2(out.baseAddress, &count, bytes, UInt(bytes.count), 1)
      precondition(code == Z_OK, "zlib packs what there is room for")
      filled = Int(count)
    }
  }

  /// Nil: the bytes are damaged, or have another size.
  public static func unpacked(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
    var found = UInt(count)
    var code = Z_OK
    let out = bytes.withUnsafeBufferPointer { packed in
      [UInt8](unsafeUninitializedCapacity: count) { out, filled in
        code = uncompress(out.baseAddress, &found, packed.baseAddress, UInt(packed.count))
        filled = code == Z_OK ? Int(found) : 0
      }
    }
    return code == Z_OK && found == UInt(count) ? out : nil
  }
}
