internal import Glibc

/// The permissions of new files: the owner writes and a group may read, unless the process was started with a umask
/// that denies groups everything (077).
public enum FileRights {
  /// The umask: permissions that no file of the process gets.
  public static let mask: UInt32 = {
    // It can only be read by setting it; for that instant it is the strictest.
    let mask = umask(0o077)
    _ = umask(mask)
    return mask
  }()

  public static var isPrivate: Bool { mask & 0o070 == 0o070 }
  public static var file: UInt32 { isPrivate ? 0o600 : 0o640 }
  /// New files inherit the group (setgid).
  public static var folder: UInt32 { isPrivate ? 0o700 : 0o2750 }
}
