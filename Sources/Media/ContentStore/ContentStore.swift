internal import CLinux
internal import Glibc
public import Base

/// The content store: `media/ab/<sha256>.<ext>` in the data folder, each byte sequence once. Safe
/// to use from any thread; several processes may share it. Calls without `async` block.
public final class ContentStore: Sendable {
  public enum Use: Sendable {
    /// Changes nothing on disk.
    case reading
    /// Creates its folders.
    case writing
  }

  static let folderName = "media"
  /// Syncs that wait at the same time share a commit of the file system's journal; one after
  /// another, each would wait for its own.
  static let threadsMax = 64

  let media: Folder
  /// The folder around it.
  let root: Folder
  let dataFolder: String
  let calls: FileCalls
  let fault: FaultPoint
  /// Where else images are kept; nil: nowhere.
  let keeper: (any ImageKeeper)?
  let queue: WorkQueue
  /// One sync of the file system is as good as one for each file and folder.
  private let canSyncAll: Bool
  private let state = Locked(State())

  private struct State {
    var temporary: TemporaryFolder?
    var filesMade = 0
    var hasSettled = false
    /// One sync of everything took so long that other programs must have much to write there.
    var isCrowded = false
    /// A failed fsync is final: the kernel may have dropped the bytes, and reports it only once.
    var broken: MediaError?
  }

  public convenience init(
    dataFolder: String, for use: Use, fault: FaultPoint = .none, keeper: (any ImageKeeper)? = nil
  ) throws(MediaError) {
    try self.init(
      dataFolder: dataFolder, for: use, fault: fault, calls: .system, keeper: keeper)
  }

  init(
    dataFolder: String, for use: Use, fault: FaultPoint, calls: FileCalls,
    canSyncAll: Bool? = nil, keeper: (any ImageKeeper)? = nil
  ) throws(MediaError) {
    root = try Folder(dataFolder: dataFolder)
    switch use {
    case .reading:
      guard let folder = try root.folder(Self.folderName) else {
        throw MediaError(kind: .missing, action: "open", path: Self.folderName, code: ENOENT)
      }
      media = folder
    case .writing: media = try root.makeFolder(Self.folderName).folder
    }
    self.dataFolder = dataFolder
    self.canSyncAll = canSyncAll ?? Self.syncsWhole(media.fd)
    self.calls = calls
    self.fault = fault
    self.keeper = keeper
    queue = WorkQueue(threadsMax: Self.threadsMax)
  }

  /// ext2 to ext4, XFS, Btrfs, F2FS and tmpfs. Others do not sync everything (FUSE), or report no
  /// failure.
  private static let soundKinds: Set<UInt32> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994,
  ]

  /// Whether one sync of a whole file system is as good as one for each file and folder on it.
  private static func syncsWhole(_ folder: Int32) -> Bool {
    soundKinds.contains(clinux_file_system(folder)) && clinux_sync_all_tells(folder) != 0
  }

  /// How many files and folders of a group should be open at a time. Small if the process may open
  /// few, since several jobs share that.
  public var openFilesMax: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 32 }
    return min(max(Int(clamping: limit.rlim_cur) / 24, 32), 512)
  }

  /// A sink for one image.
  public func download(limits: ImageLimits = ImageLimits()) -> ImageDownload {
    ImageDownload(into: self, limits: limits)
  }

  /// What a process without privileges may still write. Blocks.
  public func freeBytes() throws(MediaError) -> Int {
    var facts = statvfs()
    guard fstatvfs(media.fd, &facts) == 0 else { throw MediaError("measure", media.path) }
    return FreeSpace.bytes(facts.f_bavail, of: facts.f_frsize)
  }

  /// Removes what killed runs left in the temporary folder. Blocks.
  public func sweep() throws(MediaError) -> Int {
    try TemporaryFolder.sweep(in: media)
  }

  /// Runs blocking work on a thread of its own.
  public func perform<Outcome: Sendable>(
    _ work: @escaping @Sendable (ContentStore) throws(MediaError) -> Outcome
  ) async throws(MediaError) -> Outcome {
    let outcome = await queue.run { [self] in
      Result { () throws(MediaError) in try work(self) }
    }
    do { return try outcome.get() } catch { throw placed(error) }
  }

  /// A new file in this process's temporary folder, which is created with the first one.
  func temporaryFile() throws(MediaError) -> TemporaryFile {
    do throws(MediaError) {
      let (home, number) = try state.withLock {
        (state) throws(MediaError) -> (TemporaryFolder, Int) in
        if let broken = state.broken { throw broken }
        let home: TemporaryFolder
        if let made = state.temporary { home = made } else { home = try .make(in: media) }
        state.temporary = home
        state.filesMade += 1
        return (home, state.filesMade)
      }
      return try TemporaryFile(named: String(number), in: home, calls: calls)
    } catch {
      throw placed(error)
    }
  }

  /// Syncs a file or a folder. Its failure is remembered and ends all further writing.
  func sync(_ fd: Int32, _ path: @autoclosure () -> String) throws(MediaError) {
    try checkWhole()
    guard calls.sync(fd) != 0 else { return }
    let error = MediaError("fsync", path())
    state.withLock { $0.broken = $0.broken ?? error }
    throw error
  }

  /// Up to this many files are synced one by one: a sync of everything also waits for what others have to write.
  private static let syncedSinglyMax = 8
  /// The least `openFilesMax` with room for all folders: a 24th of 2,400.
  private static let roomForFolders = 100
  /// No group waits longer than that for what others write, except once.
  private static let syncAllTimeMax = Duration.seconds(2)

  /// Files that are synced together are closed before, or are as few as may be open; their folders
  /// are up to 256, for which a process with a low limit has no room.
  func syncsAll(of files: Int) -> Bool {
    canSyncAll && files > Self.syncedSinglyMax && openFilesMax >= Self.roomForFolders
      && state.withLock { !$0.isCrowded }
  }

  /// Syncs everything where the images are. A failure is just as final.
  func syncAll() throws(MediaError) {
    try checkWhole()
    let began = calls.elapsed()
    // The folder's own sync reports what some systems do not report here: that the file system has
    // failed.
    guard calls.syncAll(media.fd) == 0, calls.sync(media.fd) == 0 else {
      let error = MediaError("syncfs", media.path)
      state.withLock { $0.broken = $0.broken ?? error }
      throw error
    }
    if calls.elapsed() - began > Self.syncAllTimeMax { state.withLock { $0.isCrowded = true } }
  }

  /// The first group also syncs the data folder and `media` itself: the run that created folders in
  /// them may have been killed before it did. So a run without images waits for no disk here.
  func isFirstGroup() -> Bool {
    state.withLock { state in
      defer { state.hasSettled = true }
      return !state.hasSettled
    }
  }

  /// Throws if the folder was moved, removed or replaced: what is stored in it then is lost.
  public func checkPlace() throws(MediaError) {
    if let moved { throw moved }
  }

  private var moved: MediaError? {
    let mediaPath = "\(dataFolder)/\(Self.folderName)"
    guard FileIdentity(path: mediaPath) != FileIdentity(descriptor: media.fd) else { return nil }
    return MediaError(kind: .moved, action: "store images in", path: mediaPath)
  }

  /// Nothing can be created in a removed folder: then this is the error to report, not which file
  /// is missing.
  func placed(_ error: MediaError) -> MediaError {
    error.kind == .missing ? moved ?? error : error
  }

  func checkWhole() throws(MediaError) {
    if let broken = state.withLock({ $0.broken }) { throw broken }
  }
}
