internal import Base
internal import Jobs
internal import Store

/// `trawl backup --readers FILE`, and `publish` of a job: a copy for other programs, and what Datasette
/// shows of it beside it.
struct ReadersFile: Sendable {
  let context: CommandContext
  let folder: DataFolder
  let path: String

  func write() throws -> ReadersCopy {
    let library = context.environment.library
    let jobs = try ReadersCopy.jobs(of: folder, context.storeSettings).compactMap { name in
      // One whose file is not found, or cannot be read, is shown with what the database knows of it.
      try? library.job(name)
    }
    let copy = try ReadersCopy.write(
      of: folder, at: path, jobs: jobs, context.stoppableSettings)
    try ReportFolder.replace(
      Self.metadataPath(of: path),
      with: DatasetteMetadata(copy: copy, jobs: jobs, database: Self.stem(of: path)).document,
      rights: ReadersCopy.rights)
    return copy
  }

  /// `readers` of `/srv/readers.db`: what Datasette calls the database.
  private static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return name
    }
    return String(name[..<dot])
  }

  static func metadataPath(of path: String) -> String {
    let name = "\(stem(of: path)).metadata.json"
    return path.utf8.contains(UInt8(ascii: "/"))
      ? "\(AtomicFile.folder(of: path))/\(name)" : name
  }
}
