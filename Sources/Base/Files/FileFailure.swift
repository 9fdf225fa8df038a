internal import Glibc

/// A failed system call on a file. The caller knows which file it was and what helps.
public struct FileFailure: Error, Sendable, Equatable {
  public enum Action: Sendable, Equatable {
    case open, lock, write, place, syncFolder
    /// Another process is writing the file.
    case wait
  }

  public let action: Action
  /// The errno.
  public let code: Int32

  init(_ action: Action, _ code: Int32 = errno) {
    self.action = action
    self.code = code
  }

  /// The system's own words, or that another process is writing.
  public var words: String {
    action == .wait ? "another process is writing it just now" : SystemError.words(for: code)
  }
}
