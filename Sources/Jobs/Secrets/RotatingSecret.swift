internal import Glibc
public import Base

/// A secret that is spent by its use, on the disk: the successor takes the place of a key in the
/// user's folder, and lies beside one from a service's read-only folder or a variable.
struct RotatingSecret: SecretKeeper {
  let folder: KeyFolder
  let hole: String
  /// A file of that name in the folder.
  let name: String
  let bond: KeyBond
  /// What is spent first.
  let first: Secret
  /// The first lies elsewhere: a successor says which one it came after.
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

  /// As it is now: another process may have spent the one that this run found.
  fileprivate var current: Secret {
    guard
      case .bytes(let bytes, _, _) = FileText.read(place, bytesMax: SecretSource.fileBytesMax),
      // The next run reports a file that a person has spoilt meanwhile.
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
  /// Keeps what takes the place of a secret that rotates, as a run keeps its successor. False: a run spends it
  /// just now, whose successor would take its place.
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

/// The lock, whose file says which secret was sent and has no successor yet.
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
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = pread(lock.descriptor, &buffer, buffer.count, 0)
    let mark = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    wasSent = mark == Self.mark(value)
  }

  private static func mark(_ secret: Secret) -> String {
    "sent " + RotatingSecret.digest(of: secret)
  }

  func begin() throws(SecretKeepingProblem) { try note(Self.mark(secret.value)) }

  func keep(_ successor: Secret?) throws(SecretKeepingProblem) {
    if let successor {
      try keeper.folder.keep(
        successor.reveal(), named: keeper.name, for: keeper.bond, follows: keeper.follows)
    }
    try note("")
  }

  private func note(_ text: String) throws(SecretKeepingProblem) {
    let (file, bytes) = (lock.descriptor, Array(text.utf8))
    guard ftruncate(file, 0) == 0, pwrite(file, bytes, bytes.count, 0) == bytes.count,
      fsync(file) == 0
    else {
      throw SecretKeepingProblem("cannot write in \(keeper.folder.path): \(SystemError.latest)")
    }
  }
}
