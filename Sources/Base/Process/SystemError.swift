internal import Glibc

/// The system's own words for why a call failed: "No such file or directory".
public enum SystemError {
  /// Of the call that failed just now. Read it before anything else is called.
  public static var latest: String { words(for: errno) }

  public static func words(for code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0
      else { return "error \(code)" }
      return String(cString: start)
    }
  }
}
