/// The current boot of the machine.
public enum MachineStart {
  /// The kernel's boot ID.
  public static var id: String? {
    guard let bytes = FileBytes.first(64, of: "/proc/sys/kernel/random/boot_id"), bytes.count > 8
    else { return nil }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
