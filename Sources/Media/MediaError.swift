internal import Glibc
public import Base

/// An error of the disk or the folder. What was acknowledged before stays true.
public struct MediaError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: String, Sendable, CaseIterable {
    /// No space, no quota, or a file size limit.
    case full
    case readOnly
    case denied
    /// A link or something else is in the place of a folder or file of ours.
    case unsafe
    case missing
    /// The open folder is no longer the one at its path.
    case moved
    case tooManyOpenFiles
    /// libcrypto refuses SHA-256, so nothing can be named.
    case noDigest
    /// The second place for images refused.
    case away
    /// Anything else; also every failed fsync, except for lack of space.
    case io
  }

  public var kind: Kind
  /// The call that failed: `write`, `fsync`.
  public var action: String
  /// Relative to the data folder.
  var path: String
  /// The errno, 0 without one.
  var code: Int32 = 0
  /// Replaces the errno's message.
  var words: String?
  /// What it makes of a run, where it is not one of files.
  public var outcome: RunOutcome.Kind?

  public var description: String {
    let reason = words ?? (code == 0 ? nil : SystemError.words(for: code))
    return "cannot \(action) \(path)\(reason.map { ": \($0)" } ?? ""); \(cure)"
  }

  private var cure: String {
    switch kind {
    case .full: "free some space and run again, what is stored stays"
    case .readOnly: "make the file system writable and run again"
    case .denied: "give the folder and all in it to the user who runs this"
    case .unsafe: "remove the link or file that is there; only plain folders and files are used"
    case .missing: "make sure that nothing else cleans up this folder, and run again"
    case .moved:
      "it was moved, removed or replaced while it was open: put it back, and let nothing else tidy "
        + "the data folder; the next run fetches what is missing"
    case .tooManyOpenFiles: "raise the limit of open files (ulimit -n) and run again"
    case .noDigest: "allow SHA-256 in the configuration of OpenSSL"
    case .away: "run again; what is stored stays"
    case .io: "look at the disk and the kernel's log, then verify the media before the next run"
    }
  }

  private static func kind(of code: Int32) -> Kind {
    switch code {
    case ENOSPC, EDQUOT, EFBIG: .full
    case EROFS: .readOnly
    case EACCES, EPERM: .denied
    case ELOOP, ENOTDIR, EXDEV, EISDIR: .unsafe
    case ENOENT: .missing
    case EMFILE, ENFILE: .tooManyOpenFiles
    default: .io
    }
  }
}

extension MediaError {
  /// From the errno of the call just made.
  init(_ action: String, _ path: String, code: Int32 = errno) {
    self.init(kind: Self.kind(of: code), action: action, path: path, code: code)
  }
}
