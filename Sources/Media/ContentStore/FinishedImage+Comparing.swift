internal import Glibc

extension FinishedImage {
  /// Compares the bytes, as git does, and does not trust the name: the copy that just arrived is
  /// known to be right, the one on disk may be damaged, and comparing it with memory costs less
  /// than the sync that is saved. A file that is found again counts as touched now.
  func isSame(as name: String, in folder: Folder) throws(MediaError) -> Bool {
    let stored: FileReading
    do {
      stored = try FileReading.open(name, in: folder)
    } catch {
      // A link, a folder or a pipe has this name, not ours; or the disk cannot read the file any
      // more.
      if error.kind == .unsafe || [ENXIO, EIO, EUCLEAN].contains(error.code) { return false }
      throw error
    }
    guard stored.byteCount == image.byteCount, isSame(as: stored.fd) else { return false }
    // Fails for a copy that belongs to another user, which no collection of ours removes either.
    _ = futimens(stored.fd, nil)
    return true
  }

  private func isSame(as stored: Int32) -> Bool {
    switch content {
    case .memory(let bytes):
      bytes.withUnsafeBytes { all in
        sameBytes(stored, count: all.count) { at, _, _ in all.baseAddress.map { $0 + at } }
      }
    case .file(let file):
      sameBytes(stored, count: image.byteCount) { at, wanted, buffer in
        pread(file.fd, buffer, wanted, at) == wanted ? UnsafeRawPointer(buffer) : nil
      }
    }
  }
}

/// Also false if either cannot be read: then the stored one is useless.
/// - Parameter piece: our own bytes at an offset; they may be put into the buffer.
private func sameBytes(
  _ stored: Int32, count: Int,
  _ piece: (_ at: Int, _ wanted: Int, UnsafeMutableRawPointer) -> UnsafeRawPointer?
) -> Bool {
  let most = 64 << 10
  return withUnsafeTemporaryAllocation(byteCount: 2 * most, alignment: 16) { buffer in
    guard let first = buffer.baseAddress else { return count == 0 }
    var at = 0
    while at < count {
      let wanted = min(most, count - at)
      guard pread(stored, first, wanted, at) == wanted, let own = piece(at, wanted, first + most),
        memcmp(first, own, wanted) == 0
      else { return false }
      at += wanted
    }
    return true
  }
}
