internal import Glibc
public import Base
internal import Transport

/// The right to write a folder, as long as its lease lives. Processes of one cache share it: the
/// first claims, any of them renews, the last gives it back. Calls block.
public final class Claim: Sendable {
  public struct Settings: Sendable {
    /// Its folder on this machine.
    public var cache: String
    /// The name that other workers see, without spaces.
    public var name: String
    public var lease: Duration
    public var time: Timekeeper
    /// Called between pieces, as a sign of progress.
    public var onWork: @Sendable () -> Void

    public init(
      cache: String, name: String, lease: Duration, time: Timekeeper,
      onWork: @escaping @Sendable () -> Void = {}
    ) {
      self.cache = cache
      self.name = name
      self.lease = lease
      self.time = time
      self.onWork = onWork
    }

    /// Database, ledger and reports of the writer.
    public var work: String { "\(cache)/work" }
    var databasePaths: [String] { Claim.databases.map { "\(work)/\($0)" } }
  }

  let folder: BucketFolder
  let settings: Settings
  /// This process took the claim, instead of joining another.
  public let isFirst: Bool
  /// Nil once it was left.
  private let users: Locked<FileLock?>
  let state: Locked<State>
  /// What was put last, by file.
  private let versions = Locked<[String: DatabaseVersion]>([:])

  struct State {
    var lease: Lease
    /// Why the claim is lost for good.
    var lost: BucketError?
    /// The cache's files are those that the head names, or continue from them.
    var isRestored: Bool
    /// Files that lost pieces in the bucket but are whole in this cache.
    var torn: Set<String> = []
    /// Something of the database that this cache had not put was replaced by what the head names.
    var hasDiscarded = false
    /// Where the files of the cache are now, if the folder was begun anew without them.
    var setAside: String?
  }

  private init(
    _ folder: BucketFolder, _ settings: Settings, _ users: FileLock, _ lease: Lease, isFirst: Bool
  ) {
    (self.folder, self.settings, self.isFirst) = (folder, settings, isFirst)
    self.users = Locked(users)
    state = Locked(State(lease: lease, isRestored: !isFirst))
  }

  // MARK: taking

  /// Claims the folder, or joins another process of this cache that has. Throws `.held` if the caller must wait.
  public static func take(
    _ folder: BucketFolder, _ settings: Settings
  ) throws(BucketError) -> Claim {
    try CacheFile.makeFolder(settings.work)
    try CacheFile.makeFolder("\(settings.cache)/notes")
    let ops = try Self.operation(settings)
    defer { withExtendedLifetime(ops) {} }
    let place = "\(settings.cache)/users.lock"
    if let users = try CacheFile.lock(place, waiting: .zero) {
      let last = Self.shared(settings)?.head
      let lease = try Self.claim(folder, settings)
      let claim = Claim(folder, settings, users, lease, isFirst: true)
      do throws(BucketError) {
        // Begun anew, or put back: each claim of a folder has a higher number than the one before.
        if let last, last.born != lease.head.born || last.epoch >= lease.head.epoch {
          try claim.setAside(behind: last.epoch)
        }
        try claim.write(lease)
        // A new folder's lease was set by this machine's clock: now the store's is known.
        if lease.head.epoch == 1 { try claim.renew(isAlone: true) }
      } catch {
        claim.abandon()
        throw error
      }
      return claim
    }
    guard let users = try CacheFile.lock(place, .shared, waiting: .zero),
      let lease = Self.shared(settings), settings.time.elapsed() < lease.deadline
    else { throw .held(by: "another process of this machine", until: nil) }
    return Claim(folder, settings, users, lease, isFirst: false)
  }

  /// The cache may have the last copy of what the folder was.
  private func setAside(behind epoch: Int) throws(BucketError) {
    guard CacheFile.isThere("\(settings.work)/\(Self.database)") else { return }
    // Not `work.…`: messages show that path as the bucket's.
    let path = "\(settings.cache)/before-\(epoch)-\(Self.nonce(settings).prefix(4))"
    try CacheFile.move(settings.work, to: path)
    try CacheFile.makeFolder(settings.work)
    state.withLock { $0.setAside = path }
  }

  public var setAside: String? { state.withLock { $0.setAside } }

  private static func claim(
    _ folder: BucketFolder, _ settings: Settings
  ) throws(BucketError) -> Lease {
    let owner = try owner(settings)
    let asked = settings.time.elapsed()
    let seen = try folder.load()
    let heard = settings.time.elapsed()
    if seen == nil {
      try folder.refuseHeadless(cache: settings.cache)
      // Tried once in a folder's life, before anything rests on it.
      let trial = try folder.tryStore(settings.time)
      if !trial.isSound { throw .unsound }
      if trial.ahead == nil { throw .noClock }
    }
    // Without a head there is no date yet: the first renewal brings one.
    let now = seen?.date ?? (seen == nil ? settings.time.now() : nil)
    guard let now else { throw .noClock }
    var former = seen?.head ?? Head()
    if seen == nil { former.born = nonce(settings) }
    guard let head = former.claimed(by: owner, at: now, for: settings.lease) else {
      throw .held(by: seen?.head.owner ?? "", until: seen?.head.until)
    }
    let lease = Lease(
      head: head, tag: "", date: now, heardAt: heard, delay: heard - asked,
      length: settings.lease, renewedAt: asked)
    let sent = settings.time.elapsed()
    let swapped: (head: Head, tag: String, date: Instant?)
    do throws(BucketError) {
      swapped = try folder.swap(head, from: seen?.tag, nonce: nonce(settings))
    } catch {
      // Another worker was quicker.
      guard case .fenced(let other) = error else { throw error }
      throw .held(by: other, until: nil)
    }
    let taken = lease.after(swapped, sent: sent, heard: settings.time.elapsed())
    guard swapped.date == nil, seen == nil else { return taken }
    throw .noClock
  }

  /// `host-1a2b3c4d`: unique to this cache, so that its processes recognise the claim of a dead one. A copy of the
  /// cache, as in a machine's image, gets another name: its inode or the machine's start differs.
  private static func owner(_ settings: Settings) throws(BucketError) -> String {
    let path = "\(settings.cache)/owner"
    func bond() -> [UInt8] {
      var facts = stat()
      lstat(path, &facts)
      return Array("\(facts.st_dev) \(facts.st_ino) \(MachineStart.id ?? "")".utf8)
    }
    if let known = FileBytes.first(200, of: path), known.count > 8,
      FileBytes.first(200, of: "\(path).bond") == bond()
    {
      return String(decoding: known, as: UTF8.self)
    }
    let owner = "\(settings.name)-\(nonce(settings).prefix(8))"
    try CacheFile.write(Array(owner.utf8), to: path)
    try CacheFile.write(bond(), to: "\(path).bond")
    return owner
  }

  static func nonce(_ settings: Settings) -> String { Hexadecimal.text(settings.time.random()) }

  private static func operation(_ settings: Settings) throws(BucketError) -> FileLock? {
    try CacheFile.lock("\(settings.cache)/ops.lock", waiting: nil)
  }

  private static func shared(_ settings: Settings) -> Lease? {
    FileBytes.first(.max, of: "\(settings.cache)/claim.json").flatMap {
      Lease(json: $0, length: settings.lease)
    }
  }

  /// Whether what is in the cache may be put.
  public var isRestored: Bool { state.withLock { $0.isRestored } }
  public var hasDiscarded: Bool { state.withLock { $0.hasDiscarded } }
  func noteDiscarded() { state.withLock { $0.hasDiscarded = true } }
  public var torn: Set<String> { state.withLock { $0.torn } }

  /// Whether a file was not written since this process put it.
  func isPut(_ name: String) -> Bool { versions.withLock { $0[name]?.isCurrent ?? false } }
  func notePut(_ made: [String: DatabaseVersion]) {
    versions.withLock { $0.merge(made) { _, new in new } }
  }

  /// From now on other processes of this cache may join.
  public func share() throws(BucketError) {
    _ = try lock(.shared)
  }

  private func lock(_ kind: FileLock.Kind) throws(BucketError) -> Bool {
    guard let users = users.withLock({ $0 }) else { return false }
    do throws(FileFailure) {
      return try FileLock.take(users.descriptor, kind)
    } catch {
      throw .disk(settings.cache, error.words)
    }
  }

  // MARK: while it is held

  public var epoch: Int { state.withLock { $0.lease.head.epoch } }
  public var head: Head { state.withLock { $0.lease.head } }
  /// How far the store's clock is ahead of this machine's; too little by up to a second and an answer's delay.
  public var clockAhead: Duration { storeTime - settings.time.now() }
  /// Never ahead of the store's own clock.
  var storeTime: Instant {
    let now = settings.time.elapsed()
    return state.withLock { $0.lease.storeTime(at: now) }
  }

  /// Whether a request may be sent now. A lease that has ended never lives again.
  public var isLive: Bool { lost == nil }

  /// Why it is not live any more.
  public var lost: BucketError? {
    let now = settings.time.elapsed()
    return state.withLock { state in
      if state.lost == nil, now >= state.lease.deadline {
        state.lost = .fenced(by: "")
      }
      return state.lost
    }
  }

  /// Renews the lease if that is due; to be called at least every tenth of its length.
  public func tick() throws(BucketError) {
    let now = settings.time.elapsed()
    guard isLive else { return }
    learn()
    guard state.withLock({ $0.lease.isDue(at: now) }) else { return }
    try renew()
  }

  func renew(isAlone: Bool = false) throws(BucketError) {
    try change(isAlone: isAlone) { head, now, lease in head.renewed(at: now, for: lease) }
  }

  /// Another process of this cache may have renewed it, or put.
  func learn() {
    guard let lease = Self.shared(settings) else { return }
    state.withLock { state in
      guard lease.head.epoch == state.lease.head.epoch, lease.renewedAt >= state.lease.renewedAt
      else { return }
      state.lease = lease
    }
  }

  /// Replaces the head by one made from it, and stores the new lease for other processes.
  func change(
    isAlone: Bool = false, alsoThen: () throws(BucketError) -> Void = {},
    _ next: (Head, Instant, Duration) -> Head
  ) throws(BucketError) {
    let ops = isAlone ? nil : try Self.operation(settings)
    defer { withExtendedLifetime(ops) {} }
    learn()
    var lease = state.withLock { $0.lease }
    while true {
      let sent = settings.time.elapsed()
      let head = next(lease.head, lease.storeTime(at: sent), settings.lease)
      let swapped: (head: Head, tag: String, date: Instant?)
      do throws(BucketError) {
        swapped = try folder.swap(head, from: lease.tag, nonce: Self.nonce(settings)) {
          settings.time.elapsed() < lease.deadline
        }
      } catch {
        // An earlier change of this claim, which failed here because its answer was lost.
        if case .fenced = error, let seen = try folder.load(), seen.tag != lease.tag,
          seen.head.owner == head.owner, seen.head.epoch == head.epoch,
          seen.head.seq >= lease.head.seq
        {
          (lease.head, lease.tag) = (seen.head, seen.tag)
          continue
        }
        switch error {
        case .fenced, .headless: state.withLock { $0.lost = error }
        default: break
        }
        throw error
      }
      let new = lease.after(swapped, sent: sent, heard: settings.time.elapsed())
      state.withLock { $0.lease = new }
      try alsoThen()
      return try write(new)
    }
  }

  private func write(_ lease: Lease) throws(BucketError) {
    try CacheFile.write(lease.json, to: "\(settings.cache)/claim.json")
  }

  // MARK: leaving

  /// Leaves the claim; the last process of this cache gives the folder back.
  /// - Parameters:
  ///   - isReachable: false: the store does not answer, and the lease ends by itself.
  ///   - isDamaged: the files of the cache are not believed: the next claim fetches them again.
  public func leave(isReachable: Bool = true, isDamaged: Bool = false) throws(BucketError) {
    defer { users.withLock { $0 = nil } }
    versions.withLock { $0 = [:] }
    if isDamaged { for name in Self.databases { CacheFile.remove(notes(of: name)) } }
    guard try lock(.exclusive) else { return }
    if isRestored, !isDamaged {
      try WorkMark(cache: settings.cache).write(of: settings.databasePaths)
    }
    guard isReachable, !isOfOther else { return }
    try change { head, _, _ in head.givenBack() }
  }

  /// The head is another one's, or gone.
  private var isOfOther: Bool {
    switch state.withLock({ $0.lost }) {
    case .fenced(let other): !other.isEmpty
    case .headless: true
    default: false
    }
  }

  /// As after a kill: others wait for the lease's end.
  private func abandon() { state.withLock { $0.lost = .fenced(by: "") } }
}
