internal import CLinux
internal import Glibc
internal import Model

/// One group on its way to durable names.
final class Settlement: Sendable {
  /// How often a name may be taken between our look and our rename.
  private static let triesMax = 8

  private let store: ContentStore
  private let state: Locked<State>

  private struct State {
    /// Let go of with the last word: a thread that has done its part may hold the settlement for
    /// an instant more, and no unfinished file is to stay for it.
    var group: [FinishedImage]
    /// Holds the shared lock: no collection removes what is being found again.
    var lock: Folder?
    var folders: [UInt8: Folder] = [:]
    /// The folders to sync once, in the end.
    var touched: [Folder] = []
    var settled: [SettledImage?]
    var error: MediaError?
  }

  init(of group: [FinishedImage], in store: ContentStore) {
    self.store = store
    state = Locked(State(group: group, settled: Array(repeating: nil, count: group.count)))
  }

  func run() async throws(MediaError) -> [SettledImage] {
    defer {
      state.withLock {
        $0.lock = nil
        $0.group = []
      }
    }
    await store.queue.run { self.attempt { () throws(MediaError) in try self.prepare() } }
    await each(state.withLock { $0.group.count }) { (settlement, index) throws(MediaError) in
      let settled = try settlement.place(settlement.state.withLock { $0.group[index] })
      settlement.state.withLock { $0.settled[index] = settled }
    }
    let touched = state.withLock { $0.touched }
    await each(touched.count) { (settlement, index) throws(MediaError) in
      try settlement.store.sync(touched[index].fd, touched[index].path)
    }
    await store.queue.run { self.attempt { () throws(MediaError) in try self.store.checkPlace() } }
    return try state.withLock { (state) throws(MediaError) -> [SettledImage] in
      if let error = state.error { throw error }
      return Self.inOrder(state.settled.compactMap { $0 })
    }
  }

  /// They were placed side by side: of equal bytes any may have come first to the folder. Which one
  /// is told as new is not to hang on that, or a replay would tell another story.
  private static func inOrder(_ settled: [SettledImage]) -> [SettledImage] {
    var settled = settled
    var firsts: [SHA256Digest: Int] = [:]
    for index in settled.indices {
      let digest = settled[index].image.digest
      guard let first = firsts[digest] else {
        firsts[digest] = index
        continue
      }
      if settled[first].placement == .known, settled[index].placement != .known {
        settled[first].placement = settled[index].placement
        settled[index].placement = .known
      }
    }
    return settled
  }

  /// Side by side; once one has failed, the others are left out.
  private func each(
    _ count: Int,
    _ body: @escaping @Sendable (Settlement, Int) throws(MediaError) -> Void
  ) async {
    guard state.withLock({ $0.error == nil }) else { return }
    await store.queue.forEach(count) { index in
      guard self.state.withLock({ $0.error == nil }) else { return }
      self.attempt { () throws(MediaError) in try body(self, index) }
    }
  }

  private func attempt(_ body: () throws(MediaError) -> Void) {
    do {
      try body()
    } catch {
      let error = store.placed(error)
      state.withLock { $0.error = $0.error ?? error }
    }
  }

  /// Takes the lock, opens the folders, and sends the bytes on their way to the disk, so that the
  /// first sync's journal commit covers all of them.
  private func prepare() throws(MediaError) {
    try store.checkWhole()
    try store.checkPlace()
    let group = state.withLock { $0.group }
    let lock = try store.media.again()
    guard flock(lock.fd, LOCK_SH) == 0 else { throw MediaError("lock", store.media.path) }
    var folders: [UInt8: Folder] = [:]
    var hasNewFolder = false
    for byte in Set(group.map(\.image.digest.folder)) {
      let (folder, isNew) = try store.media.makeFolder(StoredImage.folderName(byte))
      folders[byte] = folder
      hasNewFolder = hasNewFolder || isNew
    }
    for image in group {
      // Only a hint: the sync that follows tells what became of it.
      _ = clinux_start_writing(image.file.fd)
    }
    let syncsMedia = hasNewFolder || store.isFirstGroup()
    state.withLock { [folders] in
      $0.lock = lock
      $0.folders = folders
      $0.touched = Array(folders.values) + (syncsMedia ? [store.media] : [])
    }
  }

  private func place(_ finished: FinishedImage) throws(MediaError) -> SettledImage {
    let image = finished.image
    guard let folder = state.withLock({ $0.folders[image.digest.folder] }) else {
      throw MediaError(.missing, action: "open", path: image.path)
    }
    let name = image.fileName
    var placement = SettledImage.Placement.new
    var isSynced = false
    for _ in 0..<Self.triesMax {
      if try folder.entry(name) != nil {
        if try isSame(name, in: folder, as: finished.file) {
          finished.file.discard()
          return SettledImage(image: image, placement: placement == .new ? .known : placement)
        }
        try setAside(name, in: folder)
        placement = .mended
      }
      if !isSynced {
        try store.sync(finished.file.fd, finished.file.path)
        isSynced = true
      }
      store.fault.reach(.beforeMediaRename)
      let home = finished.file.home.folder
      if store.calls.rename(home.fd, finished.file.name, folder.fd, name) == 0 {
        finished.file.moved()
        store.fault.reach(.afterMediaRename)
        return SettledImage(image: image, placement: placement)
      }
      guard errno == EEXIST else { throw MediaError("rename to", folder.path(of: name)) }
    }
    throw MediaError(.io, action: "rename to", path: folder.path(of: name), code: EEXIST)
  }

  /// Compares the bytes, as git does, and does not trust the name: the copy that came just now is
  /// known to be right, the one on the disk may have rotted, and reading both from memory costs less
  /// than the sync that is saved. What is found again counts as touched from now on.
  private func isSame(
    _ name: String, in folder: Folder, as file: TemporaryFile
  ) throws(MediaError) -> Bool {
    let stored: FileReading
    do {
      stored = try FileReading.open(name, in: folder)
    } catch {
      // A link, a folder or a pipe lies there, not ours; or what no disk gives back any more.
      if error.kind == .unsafe || [ENXIO, EIO, EUCLEAN].contains(error.code) { return false }
      throw error
    }
    var own = stat()
    guard fstat(file.fd, &own) == 0 else { throw MediaError("look at", file.path) }
    guard own.st_size == stored.facts.st_size,
      sameBytes(stored.fd, file.fd, count: Int(own.st_size))
    else { return false }
    // Fails for a copy that belongs to somebody else, which no collection of ours removes either.
    _ = futimens(stored.fd, nil)
    return true
  }

  private func setAside(_ name: String, in folder: Folder) throws(MediaError) {
    let aside = try store.moveAside(name, from: folder)
    state.withLock { $0.touched += aside }
  }
}

/// False also when either cannot be read: then the stored one is no use.
private func sameBytes(_ left: Int32, _ right: Int32, count: Int) -> Bool {
  let piece = 64 << 10
  return withUnsafeTemporaryAllocation(byteCount: 2 * piece, alignment: 16) { buffer in
    guard let first = buffer.baseAddress else { return count == 0 }
    var at = 0
    while at < count {
      let wanted = min(piece, count - at)
      guard pread(left, first, wanted, at) == wanted,
        pread(right, first + piece, wanted, at) == wanted,
        memcmp(first, first + piece, wanted) == 0
      else { return false }
      at += wanted
    }
    return true
  }
}
