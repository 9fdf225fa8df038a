internal import Glibc
public import Base

/// The user's folder for secrets, readable by the user alone.
public struct KeyFolder: Sendable {
  let path: String

  public init(path: String) { self.path = path }

  /// Why a key in this folder may not be its owner's; nil: only the owner can write to it.
  public static func openness(of path: String) -> String? {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & 0o022 != 0 else { return nil }
    let shown = String(facts.st_mode & 0o777, radix: 8)
    return
      "others can write in its folder (mode 0\(shown)); run: chmod 700 \(ShellWord.quoted(path))"
  }

  /// Whether only the user can access a file with this mode.
  public static func isPrivate(_ mode: UInt32) -> Bool { mode & 0o077 == 0 }

  /// Keeps a secret under its name together with who may see it, in place of an older one.
  /// Answers the file's path. A crash leaves the old file or the new one, never a half.
  /// - Parameter follows: of a successor: a digest of the secret that it came after.
  @discardableResult
  public func keep(
    _ text: String, named name: String, for bond: KeyBond, follows: String? = nil
  ) throws(SecretKeepingProblem) -> String {
    guard SecretName.isWellFormed(name) else {
      throw SecretKeepingProblem("\"\(name.shown)\" cannot be the name of a secret")
    }
    let secret = try Self.secret(Array(text.utf8))
    try makeFolder()
    let target = "\(path)/\(name)"
    do {
      let file = try AtomicFile(
        target, draft: draft(of: name), mode: 0o600, keepsMode: false, waiting: .seconds(10))
      try file.write(Self.bytes(secret, bond, follows))
      try file.place()
    } catch {
      guard error.action == .syncFolder else {
        throw failed("write", target, error.words, isInWriting: error.action != .open)
      }
      let end = "\(error.words); the key is in place, and a power cut may undo that"
      throw failed("flush", path, end, isInWriting: true)
    }
    return target
  }

  /// A person's line, without its end.
  public static func secret(_ line: [UInt8]) throws(SecretKeepingProblem) -> Secret {
    // A paste may bring the blanks around it, a file its `\r`: no key has any.
    let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0D].contains(byte) }
    let front = KeyText.trimmed(line).drop(while: isBlank)
    let end = front.lastIndex { !isBlank($0) }
    do { return try KeyText.secret(Array(end.map { front[...$0] } ?? [])) } catch {
      throw SecretKeepingProblem("the secret is refused: \(error)")
    }
  }

  private static func bytes(_ secret: Secret, _ bond: KeyBond, _ follows: String?) -> [UInt8] {
    Array(
      "\(secret.reveal())\norigin \(bond)\n\(follows.map { "follows \($0)\n" } ?? "")".utf8)
  }

  /// Key names never begin with a dot.
  private func draft(of name: String) -> String { "\(path)/.\(name)\(AtomicFile.ending)" }

  /// Puts in its place what a killed process had written whole, and not yet renamed.
  func settle(_ name: String, for bond: KeyBond, follows: String?) throws(SecretKeepingProblem) {
    let draft = draft(of: name)
    guard
      case .bytes(let bytes, _, let owner) = FileText.read(draft, bytesMax: 2 * Secret.bytesMax),
      owner == geteuid(),
      let parts = try? KeyText.read(bytes),  // else it was not written whole
      bytes == Self.bytes(parts.secret, bond, follows)
    else { return }
    guard rename(draft, "\(path)/\(name)") == 0 else { throw failed("rename", draft) }
    do { try AtomicFile.syncFolder(of: draft) } catch { throw failed("flush", path, error.words) }
  }

  /// Makes the folder and those above it; it is the user's alone, also if it was there before.
  func makeFolder() throws(SecretKeepingProblem) {
    guard path.hasPrefix("/") else {
      throw SecretKeepingProblem("the folder for keys is not an absolute path: \(path.shown)")
    }
    if let failed = FolderNames.make(path) { throw self.failed("make", failed) }
    guard chmod(path, 0o700) == 0 else { throw failed("protect", path) }
  }

  private func failed(
    _ verb: String, _ file: String, _ words: String = SystemError.latest, isInWriting: Bool = false
  ) -> SecretKeepingProblem {
    SecretKeepingProblem("cannot \(verb) \(file): \(words)", isInWriting: isInWriting)
  }
}
