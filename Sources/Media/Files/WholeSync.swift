internal import CLinux

/// Whether one sync of a whole file system is as good as one of each file and folder on it.
enum WholeSync {
  /// ext2 to ext4, XFS, Btrfs, F2FS and tmpfs. Others sync less than all (FUSE), or tell of no failure.
  private static let kinds: Set<UInt32> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994,
  ]

  static func isSound(on folder: Int32) -> Bool {
    kinds.contains(clinux_file_system(folder)) && clinux_sync_all_tells(folder) != 0
  }
}
