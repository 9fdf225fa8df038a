internal import Glibc

/// The names in a folder, without `.` and `..`; none where it is not there or cannot be read.
public enum FolderNames {
  public static func all(of folder: String, most: Int = .max) -> [String] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while names.count < most, let entry = readdir(listing) {
      // An entry is as long as its name: the whole field may reach beyond what was read.
      let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
      let raw = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
      let name = String(cString: raw)
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Those that end so, without the end, in order.
  public static func all(of folder: String, ending end: String) -> [String] {
    all(of: folder).filter { $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }.sorted()
  }
}
