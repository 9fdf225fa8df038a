internal import CSQLite

/// A small database as bytes, to be stored in another one.
extension Connection {
  /// A snapshot of the file and its log, as the bytes of a file without a log.
  public func image() throws(SQLiteError) -> [UInt8] {
    var count: Int64 = 0
    guard let bytes = sqlite3_serialize(handle, "main", &count, 0) else {
      throw SQLiteError(SQLITE_NOMEM, on: handle)
    }
    defer { sqlite3_free(bytes) }
    var image = Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    // Bytes 18 and 19 say whether a log belongs to the file.
    if image.count >= 100 { (image[18], image[19]) = (1, 1) }
    return image
  }

  /// A database in memory with this content, for reading.
  public convenience init(image: [UInt8]) throws(SQLiteError) {
    try self.init(":memory:", .memory)
    guard let copy = sqlite3_malloc64(UInt64(image.count)) else {
      throw SQLiteError(SQLITE_NOMEM, on: handle)
    }
    image.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { copy.copyMemory(from: base, byteCount: bytes.count) }
    }
    // SQLite frees the copy, even if this call fails.
    try check(
      sqlite3_deserialize(
        handle, "main", copy.assumingMemoryBound(to: UInt8.self), Int64(image.count),
        Int64(image.count),
        UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY)))
  }
}
