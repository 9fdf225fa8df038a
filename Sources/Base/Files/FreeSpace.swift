/// The room on a disk.
public enum FreeSpace {
  /// What a process without privileges may still write; some file systems claim more than can be counted.
  public static func bytes(_ blocks: some BinaryInteger, of size: some BinaryInteger) -> Int {
    let (bytes, overflows) = Int(clamping: blocks)
      .multipliedReportingOverflow(by: Int(clamping: size))
    return overflows ? .max : bytes
  }
}
