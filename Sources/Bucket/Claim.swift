internal import Glibc
public import Base
internal import Transport

/// The right to write a folder, as long as its lease lives. Processes of one cache share it: the
/// first claims, any of them renews, the last gives it back. Calls block.
public final class Claim: Sendable {
  public struct Settings: Sendable {
    /// The folder of this machine for it.
    public var cache: String
    /// What another one sees, without spaces.
    public var name: String
    public var lease: Duration
    public var time: Timekeeper
    /// Hears that it goes on, between pieces.
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
  }

  let folder: BucketFolder
  let settings: Settings
  /// No other process of this cache has it.
  public let isFirst: Bool
  /// Nil once it was left.
  private let users: Locked<FileLock?>
  private let state: Locked<State>
  /// What was put last, by file.
  private let versions = Locked<[String: DatabaseVersion]>([:])

  private struct State {
    var lease: Lease
    /// Nothing makes it live again.
    var lost: BucketError?
    /// The files of the cache are what the head names, or go on from there.
    var isRestored: Bool
    /// Files of which the bucket has lost pieces, and this cache has all.
    var torn: Set<String> = []
  }

  private init(
    _ folder: BucketFolder, _ settings: Settings, _ users: FileLock, _ lease: Lease, isFirst: Bool
  ) {
    (self.folder, self.settings, self.isFirst) = (folder, settings, isFirst)
    self.users = Locked(users)
    state = Locked(State(lease: lease, isRestored: !isFirst))
  }

  // MARK: taking

  /// Claims the folder and brings the cache to what the head names, or joins another process of this cache that
  /// has. Throws `.held` where it must be waited for.
  public static func take(
    _ folder: BucketFolder, _ settings: Settings
  ) throws(BucketError) -> Claim {
    try CacheFile.makeFolder(settings.work)
    try CacheFile.makeFolder("\(settings.cache)/notes")
    let ops = try Self.operation(settings)
    defer { withExtendedLifetime(ops) {} }
    let place = "\(settings.cache)/users.lock"
    if let users = try CacheFile.lock(place, waiting: .zero) {
      let lease = try Self.claim(folder, settings)
      let claim = Claim(folder, settings, users, lease, isFirst: true)
      do throws(BucketError) {
        try claim.write(lease)
        if lease.head.epoch == 1 { try claim.begin() }
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

  /// A new folder's lease ended by this machine's clock: now the store's is known.
  private func begin() throws(BucketError) {
    try change(isAlone: true) { head, now, lease in head.renewed(at: now, for: lease) }
  }

  private static func claim(
    _ folder: BucketFolder, _ settings: Settings
  ) throws(BucketError) -> Lease {
    let owner = try owner(settings)
    let asked = settings.time.elapsed()
    let seen = try folder.load()
    let heard = settings.time.elapsed()
    // Tried once in a folder's life, before anything rests on it.
    if seen == nil, try !folder.tryStore(settings.time).isSound { throw .unsound }
    // Where there is no head yet nothing has a date: the first renewal brings one.
    let now = seen?.date ?? (seen == nil ? settings.time.now() : nil)
    guard let now else { throw .noClock }
    guard let head = (seen?.head ?? Head()).claimed(by: owner, at: now, for: settings.lease) else {
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
      // Another one was quicker.
      guard case .fenced(let other) = error else { throw error }
      throw .held(by: other, until: nil)
    }
    let taken = lease.after(swapped, sent: sent, heard: settings.time.elapsed())
    guard swapped.date == nil, seen == nil else { return taken }
    throw .noClock
  }

  /// `host-1a2b3c4d`: of this cache alone, so that a process of it knows what a dead one of it had. A copy of the cache,
  /// as an image of a machine makes it, is another one: it has not the same inode since the same start of a machine.
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

  /// What lies in the cache may be put.
  public var isRestored: Bool { state.withLock { $0.isRestored } }
  func noteRestored() { state.withLock { $0.isRestored = true } }
  public internal(set) var torn: Set<String> {
    get { state.withLock { $0.torn } }
    set { state.withLock { $0.torn = newValue } }
  }

  /// It was not written since this process put it.
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
  /// How far the store's clock is ahead of this machine's; up to a second less, and the way of an answer.
  public var clockAhead: Duration { storeTime - settings.time.now() }
  /// Never ahead of the store's own clock.
  var storeTime: Instant {
    let now = settings.time.elapsed()
    return state.withLock { $0.lease.storeTime(at: now) }
  }

  /// Whether a request may be sent now. A lease that has ended never lives again.
  public var isLive: Bool {
    let now = settings.time.elapsed()
    return state.withLock { state in
      if state.lost == nil, now >= state.lease.deadline {
        state.lost = .fenced(by: "")
      }
      return state.lost == nil
    }
  }

  /// Renews the lease where that is due; often enough is a tenth of it.
  public func tick() throws(BucketError) {
    let now = settings.time.elapsed()
    guard isLive else { return }
    // Another process may have renewed it.
    if let shared = Self.shared(settings) { learn(shared) }
    guard state.withLock({ $0.lease.isDue(at: now) }) else { return }
    _ = try change { head, now, lease in head.renewed(at: now, for: lease) }
  }

  private func learn(_ lease: Lease) {
    state.withLock { state in
      guard lease.head.epoch == state.lease.head.epoch, lease.renewedAt >= state.lease.renewedAt
      else { return }
      state.lease = lease
    }
  }

  /// Swaps the head for the one that is made of it, and writes down what came of it.
  @discardableResult
  func change(
    isAlone: Bool = false,
    alsoThen: (Head) throws(BucketError) -> Void = { _ in },
    _ next: (Head, Instant, Duration) -> Head
  ) throws(BucketError) -> Head {
    let ops = isAlone ? nil : try Self.operation(settings)
    defer { withExtendedLifetime(ops) {} }
    if let shared = Self.shared(settings) { learn(shared) }
    let lease = state.withLock { $0.lease }
    let sent = settings.time.elapsed()
    let head = next(lease.head, lease.storeTime(at: sent), settings.lease)
    let swapped: (head: Head, tag: String, date: Instant?)
    do throws(BucketError) {
      swapped = try folder.swap(head, from: lease.tag, nonce: Self.nonce(settings)) {
        settings.time.elapsed() < lease.deadline
      }
    } catch {
      if case .fenced = error { state.withLock { $0.lost = error } }
      throw error
    }
    let new = lease.after(swapped, sent: sent, heard: settings.time.elapsed())
    state.withLock { $0.lease = new }
    try alsoThen(swapped.head)
    try write(new)
    return swapped.head
  }

  private func write(_ lease: Lease) throws(BucketError) {
    try CacheFile.write(lease.json, to: "\(settings.cache)/claim.json")
  }

  // MARK: leaving

  /// The last process of this cache gives the folder back.
  /// - Parameters:
  ///   - isReachable: false: the store does not answer, and the lease ends by itself.
  ///   - isDamaged: the files of the cache are not believed: the next claim fetches them again.
  public func leave(isReachable: Bool = true, isDamaged: Bool = false) throws(BucketError) {
    defer { users.withLock { $0 = nil } }
    versions.withLock { $0 = [:] }
    let files = [Self.ledger, Self.database]
    if isDamaged { for name in files { CacheFile.remove(notes(of: name)) } }
    guard try lock(.exclusive) else { return }
    if isRestored, !isDamaged {
      try WorkMark(cache: settings.cache).write(of: files.map { "\(settings.work)/\($0)" })
    }
    guard isReachable, !isFenced else { return }
    try change { head, _, _ in head.givenBack() }
  }

  private var isFenced: Bool {
    state.withLock { if case .fenced(let other) = $0.lost { !other.isEmpty } else { false } }
  }

  /// As after a kill: others wait for the lease's end.
  private func abandon() { state.withLock { $0.lost = .fenced(by: "") } }
}
