internal import CLinux
internal import Glibc
internal import Base

/// One group on its way to durable names. Its steps run one after another on a thread of its own.
final class Settlement: Sendable {
  /// How often a name may be taken between the check and the rename.
  private static let triesMax = 8

  private let store: ContentStore
  /// One sync of the file system replaces those of each file and folder.
  private let syncsAll: Bool
  private let state: Locked<State>

  private struct State {
    /// Cleared with the result: a thread that has done its part may hold the settlement a moment
    /// longer, and that should keep no unfinished file.
    var group: [FinishedImage]
    /// Holds the shared lock: no collection removes a file that is being found again.
    var lock: FileLock?
    var folders: [UInt8: Folder] = [:]
    /// Written, but without their names so far; with their indices in the group.
    var unnamed: [(index: Int, file: TemporaryFile)] = []
    /// Folders to sync at the end, besides those of the images.
    var touched: [Folder] = []
    var settled: [SettledImage?]
  }

  init(of group: [FinishedImage], in store: ContentStore, syncsAll: Bool) {
    self.store = store
    self.syncsAll = syncsAll
    state = Locked(State(group: group, settled: Array(repeating: nil, count: group.count)))
  }

  func run() async throws(MediaError) -> [SettledImage] {
    defer {
      state.withLock {
        $0.lock = nil
        $0.group = []
        // At once: a thread that synced may hold them a little longer.
        for (_, file) in $0.unnamed { file.discard() }
        $0.unnamed = []
      }
    }
    try await step { (settlement, state) throws(MediaError) in try settlement.write(&state) }
    if !syncsAll {
      let files = state.withLock { $0.unnamed.map { $0.file } }
      try await syncEach(files.count) { (files[$0].fd, files[$0].path) }
    }
    try await step { (settlement, state) throws(MediaError) in try settlement.name(&state) }
    if !syncsAll {
      let folders = state.withLock { Array($0.folders.values) + $0.touched }
      try await syncEach(folders.count) { (folders[$0].fd, folders[$0].path) }
    }
    try await step { (settlement, _) throws(MediaError) in try settlement.store.checkPlace() }
    return state.withLock { $0.settled.compactMap { $0 } }
  }

  private func step(
    _ body: @escaping @Sendable (Settlement, inout State) throws(MediaError) -> Void
  ) async throws(MediaError) {
    try await store.perform { _ throws(MediaError) in
      try self.state.withLock { (state) throws(MediaError) in try body(self, &state) }
    }
  }

  /// In parallel.
  private func syncEach(
    _ count: Int, _ place: @escaping @Sendable (Int) -> (fd: Int32, path: String)
  ) async throws(MediaError) {
    do throws(MediaError) {
      try await store.queue.forEach(count) { (index) throws(MediaError) in
        try self.store.sync(place(index).fd, place(index).path)
      }
    } catch {
      throw store.placed(error)
    }
  }

  // MARK: writing

  /// Takes the lock, opens the folders, and writes what is not stored yet; durable if everything is
  /// synced at once.
  private func write(_ state: inout State) throws(MediaError) {
    try store.checkWhole()
    try store.checkPlace()
    state.lock = try store.media.lock(.shared)
    let isFirst = store.isFirstGroup()
    // Separately: `media` may be on another file system.
    if isFirst { try store.sync(store.root.fd, store.dataFolder) }
    var hasNewFolder = false
    var digests: Set<SHA256Digest> = []
    for (index, finished) in state.group.enumerated() {
      let image = finished.image
      guard digests.insert(image.digest).inserted else {
        // The first of them gets the name, and nothing is reported before it has it.
        state.settled[index] = SettledImage(image: image, placement: .known)
        continue
      }
      let folder: Folder
      if let open = state.folders[image.digest.folder] {
        folder = open
      } else {
        let made = try store.media.makeFolder(image.folderName)
        (folder, hasNewFolder) = (made.folder, hasNewFolder || made.isNew)
        state.folders[image.digest.folder] = folder
      }
      if try folder.entry(image.fileName) != nil, try isStored(image, in: folder) {
        state.settled[index] = SettledImage(image: image, placement: .known)
        continue
      }
      state.unnamed.append((index: index, file: try written(finished)))
    }
    if hasNewFolder || isFirst { state.touched.append(store.media) }
    if syncsAll, !state.unnamed.isEmpty { try store.syncAll() }
  }

  /// The bytes in a file, already on their way to the disk if each is synced separately: so the
  /// journal commit of the first sync covers all of them.
  private func written(_ finished: FinishedImage) throws(MediaError) -> TemporaryFile {
    let file: TemporaryFile
    switch finished.content {
    case .file(let own): file = own
    case .memory(let bytes):
      file = try store.temporaryFile()
      try file.write(bytes)
      if syncsAll { file.close() }
    }
    // Only a hint: the following sync reports the result.
    if !syncsAll { _ = clinux_start_writing(file.fd) }
    return file
  }

  /// Whether a file of the image's name has its bytes: it may be damaged. A file that is found again counts as touched
  /// now.
  private func isStored(_ image: StoredImage, in folder: Folder) throws(MediaError) -> Bool {
    var stored: FileReading
    do {
      stored = try FileReading.open(image.fileName, in: folder)
    } catch {
      // A link, a folder or a pipe has this name, not ours; or the disk cannot read the file any
      // more.
      if error.kind == .unsafe || [ENXIO, EIO, EUCLEAN].contains(error.code) { return false }
      throw error
    }
    // One that cannot be read is useless.
    guard stored.byteCount == image.byteCount, (try? stored.digest()) == image.digest else {
      return false
    }
    // Fails for a copy that belongs to another user, which no collection of ours removes either.
    _ = futimens(stored.fd, nil)
    return true
  }

  // MARK: naming

  private func name(_ state: inout State) throws(MediaError) {
    for (index, file) in state.unnamed {
      let finished = state.group[index]
      guard let folder = state.folders[finished.image.digest.folder] else {
        throw MediaError(kind: .missing, action: "open", path: finished.image.path)
      }
      state.settled[index] = SettledImage(
        image: finished.image,
        placement: try rename(file, of: finished, into: folder, &state.touched))
    }
    if syncsAll { try store.syncAll() }
  }

  private func rename(
    _ file: TemporaryFile, of finished: FinishedImage, into folder: Folder,
    _ touched: inout [Folder]
  ) throws(MediaError) -> SettledImage.Placement {
    let name = finished.image.fileName
    var placement = SettledImage.Placement.new
    for _ in 0..<Self.triesMax {
      store.fault.reach(.beforeMediaRename)
      if store.calls.rename(file.home.folder.fd, file.name, folder.fd, name) == 0 {
        file.moved()
        store.fault.reach(.afterMediaRename)
        return placement
      }
      guard errno == EEXIST else { throw MediaError("rename to", folder.path(of: name)) }
      // A damaged copy, or another process was faster.
      if try isStored(finished.image, in: folder) { return placement == .new ? .known : placement }
      touched += try store.moveAside(name, from: folder)
      placement = .mended
    }
    throw MediaError(kind: .io, action: "rename to", path: folder.path(of: name), code: EEXIST)
  }
}
