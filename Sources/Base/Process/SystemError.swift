internal import Glibc

/// The system's own words for a failed call: "No such file or directory".
public enum SystemError {
  /// For the last failed call. Read it before any other call.
  public static var latest: String { words(for: errno) }

  public static func words(for code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0
      else { return "error \(code)" }
      return String(cString: start)
    }
  }
}
