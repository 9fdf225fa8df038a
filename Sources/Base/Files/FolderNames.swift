internal import Glibc

/// The names in a folder, without `.` and `..`; none if it is missing or cannot be read.
public enum FolderNames {
  public static func all(of folder: String, most: Int = .max) -> [String] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while names.count < most, let entry = readdir(listing) {
      // An entry is only as long as its name: reading the whole field may go beyond the buffer.
      let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
      let raw = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
      let name = String(cString: raw)
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// A path without links; nil if nothing is there, as `errno` says.
  public static func resolved(_ path: String) -> String? {
    guard let whole = realpath(path, nil) else { return nil }
    defer { free(whole) }
    return String(cString: whole)
  }

  /// The names with this suffix, without it, in order.
  public static func all(of folder: String, ending end: String) -> [String] {
    all(of: folder).filter { $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }.sorted()
  }

  /// Creates a folder and its missing parents, for their owner alone.
  /// - Returns: the folder that could not be created, with `errno`; nil: all exist.
  public static func make(_ path: String) -> String? {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/\(part)"
      let isThere = access(made, F_OK) == 0 || mkdir(made, 0o700) == 0 || errno == EEXIST
      if !isThere { return made }
    }
    return nil
  }

  /// Removes a folder of ours, a few levels deep. Links are removed, never followed.
  public static func removeAll(_ path: String, depthMax: Int = 8) {
    for name in all(of: path)
    where unlink("\(path)/\(name)") != 0 && errno == EISDIR && depthMax > 1 {
      removeAll("\(path)/\(name)", depthMax: depthMax - 1)
    }
    rmdir(path)
  }
}
