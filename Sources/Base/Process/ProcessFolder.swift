internal import Glibc

/// The Swift runtime reads /proc. Without it, as in some chroots and containers, all arguments would silently be lost,
/// and a busy moment would end the process.
public enum ProcessFolder {
  /// The message and exit code to end with, before anything else is done; nil: /proc is there.
  public static var complaint: (sentence: String, status: Int32)? {
    if access("/proc/self/cmdline", R_OK) == 0 { return nil }
    return ("there is no /proc here, which the Swift runtime needs: mount -t proc proc /proc\n", 78)
  }
}
