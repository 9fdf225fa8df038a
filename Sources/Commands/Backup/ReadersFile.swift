internal import Base
internal import Store

/// What Datasette shows of a readers' copy: titles, descriptions, labels and facets, from the job files and the
/// database's columns.
struct DatasetteMetadata {
  let copy: ReadersCopy
  let jobs: [Job]
  let database: String

  private static let title = "Trawl: "
  static let beginning = "{\n  \"title\": \"\(title)"

  var document: [UInt8] {
    var writer = JSONWriter(pretty: true)
    writer.object { out in
      out.member("title", Self.title + sources.joined(separator: ", "))
      out.object("databases") { out in
        out.object(database) { out in
          out.object("tables") { out in
            for table in copy.tables { out.object(table.name) { describe(table, &$0) } }
          }
        }
      }
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  private var sources: [String] { copy.tables.map(\.job).filter { !$0.isEmpty }.eachOnce }

  private func describe(_ table: ReadersCopy.Table, _ out: inout JSONWriter) {
    let job = jobs.first { $0.name == table.job }
    let streams = job?.streams.filter { $0.table == own(table) } ?? []
    let terms = table.kind == "records" ? job?.terms : nil
    out.member(
      "description",
      ([description(of: table, job)] + [terms].compactMap { $0 }).joined(separator: ". "))
    if let label = streams.lazy.compactMap({ $0.roles["title"] }).first {
      out.member("label_column", label)
    }
    if let newest = Self.newest(table) { out.member("sort_desc", newest) }
    let facets = facets(of: table, job?.streams.compactMap(\.membership) ?? [])
    if !facets.isEmpty { out.array("facets") { for facet in facets { $0.string(facet) } } }
    let told = table.columns.filter { !$0.source.isEmpty }
    guard !told.isEmpty else { return }
    out.object("columns") { out in
      for column in told { out.member(column.name, column.source) }
    }
  }

  /// The table's name without the job's prefix.
  private func own(_ table: ReadersCopy.Table) -> String {
    String(table.name.dropFirst(Job.tablePrefix(of: table.job).count + 1))
  }

  private func description(of table: ReadersCopy.Table, _ job: Job?) -> String {
    let name = own(table)
    switch table.kind {
    case "records":
      let about = job?.streams.filter { $0.table == name && !$0.about.isEmpty }.map(\.about) ?? []
      return about.isEmpty ? "records of \(table.job)" : about.joined(separator: "; ")
    case "list":
      let about =
        job?.streams.filter { $0.membership?.table == name && !$0.about.isEmpty }.map(\.about) ?? []
      return "which list returned which record: "
        + (about.isEmpty ? table.job : about.joined(separator: "; "))
    case "child": return "nested lists in the records of \(table.job)"
    case "history": return "earlier values of columns that change all the time"
    default: return "the records of all jobs that have a title, a link or a picture"
    }
  }

  private static func newest(_ table: ReadersCopy.Table) -> String? {
    let names = table.columns.map(\.name)
    return ["published_at", "first_seen_at", "at"].first(where: names.contains)
  }

  /// Columns with few values: parameters of lists, booleans, and the job.
  private func facets(of table: ReadersCopy.Table, _ lists: [Membership]) -> [String] {
    switch table.kind {
    case ReadersCopy.items: ["source"]
    case "list": lists.first { $0.table == own(table) }?.columns.map(\.name) ?? []
    default: table.columns.filter { $0.type == "BOOLEAN" }.map(\.name)
    }
  }
}

/// `trawl backup --readers FILE`, and `publish` of a job: a copy for other programs, and Datasette's metadata beside
/// it.
struct ReadersFile: Sendable {
  let context: CommandContext
  let folder: DataFolder
  let path: String

  func write() async throws -> ReadersCopy {
    let metadata = Self.metadataPath(of: path)
    try ReportFolder.refuseForeign(metadata, unless: DatasetteMetadata.beginning)
    let store = try await RecordStore.openForReading(folder, context.storeSettings)
    // A job whose file is missing or unreadable is described by the database alone.
    let jobs = try await context.use(store) {
      try await KnownFiles.jobs(of: store, context.environment)
    }
    let copy = try ReadersCopy.write(
      of: folder, at: path, jobs: jobs, context.stoppableSettings)
    try ReportFolder.replace(
      metadata,
      with: DatasetteMetadata(copy: copy, jobs: jobs, database: Self.stem(of: path)).document,
      rights: ReadersCopy.rights)
    return copy
  }

  /// `readers` of `/srv/readers.db`: Datasette's name of the database.
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
