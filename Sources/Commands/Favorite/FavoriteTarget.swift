internal import Base
internal import Jobs
internal import Store

/// The table that the favorites of a command line belong to.
struct FavoriteTarget {
  var table: KeyedTable
  /// Whether the job has a stream that asks for favorites by their key; nil where it is not known.
  var isFetched: Bool?

  private init(table: KeyedTable, isFetched: Bool?) {
    self.table = table
    self.isFetched = isFetched
  }

  /// A job's name or file stands for its first table that shows records; any other word is the
  /// name of a table that is here, or that a known job will make.
  init(_ word: String, here: [KeyedTable], _ environment: Environment) throws(ExitReport) {
    let library = environment.library
    if JobLibrary.isPath(word) || library.names.contains(where: { Self.same($0, word) }) {
      let job = try JobSelection.load(word, environment)
      self.init(Self.main(job), of: job, here: here)
      return
    }
    for name in library.names {
      // A job that cannot be read is told when it is run.
      guard let job = try? library.job(name) else { continue }
      let prefix = "\(job.tablePrefix)_"
      if let stream = job.streams.first(where: { Self.same(prefix + $0.table, word) }) {
        self.init(stream, of: job, here: here)
        return
      }
    }
    if let table = here.first(where: { Self.same($0.name, word) }) {
      self.init(table: table, isFetched: nil)
      return
    }
    if let stream = Self.stream(filling: word, library) {
      throw ExitReport(
        .usage,
        "\(word) holds what belongs to the records of \(stream): name that table, and their keys")
    }
    let known = library.names + here.map(\.name)
    throw ExitReport(
      .usage,
      "there is no job and no table \"\(word)\"" + Suggestion.clause(for: word, in: known),
      "jobs: \(library.names.joined(separator: ", "))")
  }

  private init(_ stream: Base.Stream, of job: Job, here: [KeyedTable]) {
    let name = "\(job.tablePrefix)_\(stream.table)"
    let stored = here.first { Self.same($0.name, name) && Self.same($0.job, job.name) }
    table =
      stored
      ?? KeyedTable(
        name: name, job: job.name,
        key: stream.key.map { column in (column, stream.column(column)?.kind == .integer) },
        origin: job.base.origin.description)
    isFetched = job.streams.contains {
      $0.table == stream.table && $0.parent?.stream == ParentFeed.favorites
    }
  }

  /// The table of records that a list, or a nested one, belongs to.
  private static func stream(filling word: String, _ library: JobLibrary) -> String? {
    for name in library.names {
      guard let job = try? library.job(name) else { continue }  // told when it is run
      let prefix = "\(job.tablePrefix)_"
      for stream in job.streams {
        let parts = [stream.membership?.table].compactMap { $0 } + stream.children.map(\.table)
        if parts.contains(where: { same(prefix + $0, word) }) { return prefix + stream.table }
      }
    }
    return nil
  }

  private static func main(_ job: Job) -> Base.Stream {
    job.streams.first { $0.parent?.stream == ParentFeed.favorites }
      ?? job.streams.first { !$0.roles.isEmpty } ?? job.streams[0]
  }

  private static func same(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }
}
