internal import Glibc

/// The rights of what is made: the owner writes and a group may read, unless the process was
/// started with everything taken from groups (umask 077).
public enum FileRights {
  /// The umask: rights that no file of the process gets.
  public static let mask: UInt32 = {
    // It cannot be read without being set; for that instant it is the strictest.
    let mask = umask(0o077)
    _ = umask(mask)
    return mask
  }()

  public static var isPrivate: Bool { mask & 0o070 == 0o070 }
  public static var file: UInt32 { isPrivate ? 0o600 : 0o640 }
  /// The group is inherited.
  public static var folder: UInt32 { isPrivate ? 0o700 : 0o2750 }
}
