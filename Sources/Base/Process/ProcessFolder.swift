internal import Glibc

/// The Swift runtime reads /proc: where a chroot or a container has none, every argument would be lost
/// without a word, and a busy moment would end the process.
public enum ProcessFolder {
  /// What to say, and with which exit code, before anything else is done.
  public static var complaint: (sentence: String, status: Int32)? {
    if access("/proc/self/cmdline", R_OK) == 0 { return nil }
    return ("there is no /proc here, which the Swift runtime needs: mount -t proc proc /proc\n", 78)
  }
}
