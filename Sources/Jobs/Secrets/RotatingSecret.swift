internal import Glibc
public import Base

/// A secret that is used up, on disk: its successor replaces a key in the user's folder, and is stored beside one from
/// a service's read-only folder or a variable.
struct RotatingSecret: SecretKeeper {
  let folder: KeyFolder
  let hole: String
  /// Its file in the folder.
  let name: String
  let bond: KeyBond
  /// The one to use first.
  let first: Secret
  /// Set if the first secret is elsewhere: a digest of it, which the successor's file has too.
  let follows: String?

  var place: String { "\(folder.path)/\(name)" }

  func takeTurn() throws(SecretKeepingProblem) -> (any SecretTurn)? {
    try folder.makeFolder()
    let path = "\(folder.path)/.\(name).lock"
    let lock: FileLock?
    do throws(FileFailure) { lock = try FileLock(path, mode: 0o600) } catch {
      let verb = error.action == .open ? "open" : "lock"
      throw SecretKeepingProblem("cannot \(verb) \(path): \(error.words)")
    }
    guard let lock else { return nil }
    let turn = Turn(lock: lock, keeper: self)
    guard turn.wasSent else { return turn }
    // The process that sent it may have been killed before the successor got its name.
    try folder.settle(name, for: bond, follows: follows)
    return Turn(lock: lock, keeper: self)
  }

  /// The current one: another process may have used up the one that this run found.
  fileprivate var current: Secret {
    guard
      case .bytes(let bytes, _, _) = FileText.read(place, bytesMax: SecretSource.fileBytesMax),
      // The next run reports a file that has been damaged meanwhile.
      let parts = try? KeyText.read(bytes), parts.follows == follows
    else { return first }
    return parts.secret
  }

  /// Distinguishes secrets without showing them.
  static func digest(of secret: Secret) -> String {
    var digest = Digest64()
    digest.addField("a secret that rotates")
    digest.addField(secret.reveal())
    return String(digest.value, radix: 16)
  }
}

extension KeyFolder {
  /// Replaces a rotating secret, as a run stores a successor. False: a run is using it, whose successor would replace
  /// the new one.
  public func keep(
    next secret: Secret, named name: String, for bond: KeyBond
  ) throws(SecretKeepingProblem) -> Bool {
    let keeper = RotatingSecret(
      folder: self, hole: "", name: name, bond: bond, first: secret, follows: nil)
    guard let turn = try keeper.takeTurn() else { return false }
    try turn.keep(secret)
    return true
  }
}

/// Holds the lock, whose file names the secret that was sent and has no successor yet.
private final class Turn: SecretTurn {
  private let lock: FileLock
  private let keeper: RotatingSecret
  let secret: (hole: String, value: Secret)
  let wasSent: Bool

  init(lock: FileLock, keeper: RotatingSecret) {
    self.lock = lock
    self.keeper = keeper
    let value = keeper.current
    secret = (keeper.hole, value)
    var buffer = [UInt8](repeating: 0, count: Self.markBytesMax)
    pread(lock.descriptor, &buffer, buffer.count, 0)
    wasSent = buffer.prefix { $0 != 0 }.elementsEqual(Self.mark(value).utf8)
  }

  private static let markBytesMax = 64
  /// What the lock's file takes until the successor comes.
  private static let room = 12_288

  private static func mark(_ secret: Secret) -> String {
    "sent " + RotatingSecret.digest(of: secret)
  }

  /// Reserves room for the successor, too: a secret that was sent is spent, however full the disk is then.
  func begin() throws(SecretKeepingProblem) {
    let (file, bytes) = (lock.descriptor, Array("\(Self.mark(secret.value))\0".utf8))
    let code = posix_fallocate(file, 0, Self.room)
    // Some file systems reserve nothing, and a signal may interrupt it: then only the mark is sure of its room.
    guard [0, EINTR, EINVAL, EOPNOTSUPP].contains(code) else {
      throw failed(SystemError.words(for: code))
    }
    guard pwrite(file, bytes, bytes.count, 0) == bytes.count, fsync(file) == 0 else {
      throw failed()
    }
  }

  func keep(_ successor: Secret?) throws(SecretKeepingProblem) {
    if let successor {
      // Gives it its room; the mark stays until it is in place.
      ftruncate(lock.descriptor, Self.markBytesMax)
      try keeper.folder.keep(
        successor.reveal(), named: keeper.name, for: keeper.bond, follows: keeper.follows)
    }
    guard ftruncate(lock.descriptor, 0) == 0, fsync(lock.descriptor) == 0 else { throw failed() }
  }

  private func failed(_ words: String = SystemError.latest) -> SecretKeepingProblem {
    SecretKeepingProblem("cannot write in \(keeper.folder.path): \(words)", isInWriting: true)
  }
}
