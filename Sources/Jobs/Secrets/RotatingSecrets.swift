internal import Glibc
internal import Model

/// Secrets that are spent by their use, on the disk: the successor takes the place of a key in the user's
/// folder, and lies beside one that came from a service's folder or a variable, which nobody can write.
struct RotatingSecrets: SecretKeeper {
  struct Kept: Sendable {
    let hole: String
    /// A file of that name in the folder.
    let name: String
    let bond: KeyBond
    /// What is spent first.
    let first: Secret
    /// The first lies elsewhere: a successor says which one it came after.
    let follows: String?
  }

  let folder: KeyFolder
  let all: [Kept]

  var place: String { all.map { "\(folder.path)/\($0.name)" }.joined(separator: ", ") }

  func takeTurn() throws(SecretKeepingProblem) -> (any SecretTurn)? {
    do throws(KeyFolder.Problem) { try folder.makeFolder() } catch {
      throw SecretKeepingProblem(error.description)
    }
    let path = "\(folder.path)/.\(all[0].name).lock"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw SecretKeepingProblem("cannot open \(path): \(SystemError.latest)")
    }
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      let failure = errno
      if failure == EINTR { continue }
      close(file)
      if failure == EWOULDBLOCK { return nil }
      throw SecretKeepingProblem("cannot lock \(path): \(SystemError.words(for: failure))")
    }
    return Turn(file: file, keeper: self)
  }

  /// As it is now: another process may have spent the one that this run found.
  fileprivate func current(_ kept: Kept) -> Secret {
    guard
      case .bytes(let bytes, _, _) = FileText.read(
        "\(folder.path)/\(kept.name)", bytesMax: SecretSource.fileBytesMax),
      // A file that a person has spoilt meanwhile is told of by the next run.
      let parts = try? KeyText.read(bytes), parts.follows == kept.follows
    else { return kept.first }
    return parts.secret
  }

  /// Tells secrets apart without telling them.
  static func digest(of secret: Secret) -> String {
    var digest = Digest64()
    digest.addField("a secret that rotates")
    digest.addField(secret.reveal())
    return String(digest.value, radix: 16)
  }
}

/// The lock, whose file says which secret was sent and has no successor yet.
private final class Turn: SecretTurn {
  private let file: Int32
  private let keeper: RotatingSecrets
  let secrets: [String: Secret]
  let wasCutOff: Bool

  init(file: Int32, keeper: RotatingSecrets) {
    self.file = file
    self.keeper = keeper
    let secrets = Dictionary(
      keeper.all.map { ($0.hole, keeper.current($0)) }, uniquingKeysWith: { one, _ in one })
    self.secrets = secrets
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = pread(file, &buffer, buffer.count, 0)
    let mark = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    wasCutOff = !mark.isEmpty && mark == Self.mark(keeper, secrets)
  }

  private static func mark(_ keeper: RotatingSecrets, _ secrets: [String: Secret]) -> String {
    "sent " + RotatingSecrets.digest(of: secrets[keeper.all[0].hole] ?? keeper.all[0].first)
  }

  func begin() throws(SecretKeepingProblem) { try note(Self.mark(keeper, secrets)) }

  func keep(_ successors: [String: Secret]) throws(SecretKeepingProblem) {
    for kept in keeper.all {
      guard let secret = successors[kept.hole] else { continue }
      do throws(KeyFolder.Problem) {
        try keeper.folder.keep(
          secret.reveal(), named: kept.name, for: kept.bond, follows: kept.follows)
      } catch {
        throw SecretKeepingProblem(error.description)
      }
    }
    try note("")
  }

  private func note(_ text: String) throws(SecretKeepingProblem) {
    let bytes = Array(text.utf8)
    guard ftruncate(file, 0) == 0, pwrite(file, bytes, bytes.count, 0) == bytes.count,
      fsync(file) == 0
    else {
      throw SecretKeepingProblem("cannot write in \(keeper.folder.path): \(SystemError.latest)")
    }
  }

  deinit {
    _ = flock(file, LOCK_UN)
    close(file)
  }
}
