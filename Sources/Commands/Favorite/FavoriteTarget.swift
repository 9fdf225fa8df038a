internal import Base
internal import Jobs
internal import Store

/// The table of a command line's favorites.
struct FavoriteTarget {
  var table: KeyedTable
  /// Whether the job is known to have a stream that requests favorites by key.
  var isFetched = false
}

extension FavoriteTarget {
  /// A job's name or file means its first table that shows records; other words are names of tables, existing or of
  /// known jobs.
  init(_ word: String, here: [KeyedTable], _ environment: Environment) throws(ExitReport) {
    let library = environment.library
    if JobLibrary.isPath(word) || library.names.contains(where: { Self.same($0, word) }) {
      let job = try JobSelection.load(word, environment)
      self.init(Self.main(job), of: job, here: here)
      return
    }
    for name in library.names {
      // An unreadable job is reported when it is run.
      guard let job = try? library.job(name) else { continue }
      let prefix = "\(job.tablePrefix)_"
      if let stream = job.streams.first(where: { Self.same(prefix + $0.table, word) }) {
        self.init(stream, of: job, here: here)
        return
      }
    }
    let own = here.filter { Self.same($0.job, word) }
    let named = here.first { Self.same($0.name, word) }
    if let table = named ?? (own.count == 1 ? own[0] : nil) {
      self.init(table: table)
      return
    }
    if own.count > 1 {
      throw ExitReport(
        .usage, "the job \(word) has several tables",
        "name one of them: \(own.map(\.name).joined(separator: ", "))")
    }
    if let stream = Self.stream(filling: word, library) {
      throw ExitReport(
        .usage,
        "\(word) holds what belongs to the records of \(stream): name that table, and their keys")
    }
    let jobs = library.names + Set(here.map(\.job)).subtracting(library.names).sorted()
    let known = jobs + here.map(\.name)
    throw ExitReport(
      .usage,
      "there is no job and no table of records \"\(word)\""
        + Suggestion.clause(for: word, in: known),
      "jobs: \(jobs.joined(separator: ", "))")
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

  /// The table of records to which a list, or a nested one, belongs.
  private static func stream(filling word: String, _ library: JobLibrary) -> String? {
    for name in library.names {
      guard let job = try? library.job(name) else { continue }  // reported when it is run
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

extension KeyedTable {
  /// Without duplicates.
  func keys(typed words: ArraySlice<String>) throws(ExitReport) -> [[SQLValue]] {
    try words.map { word throws(ExitReport) in try key(typed: word) }.eachOnce
  }

  /// The values of a typed key: the value itself, or a JSON list of several. The host may be omitted: it is the job's
  /// own.
  func key(typed word: String) throws(ExitReport) -> [SQLValue] {
    if word.isEmpty { throw ExitReport(.usage, "a key of \(name) is empty") }
    let parts = try parts(of: word)
    var values: [SQLValue] = []
    for (column, part) in zip(key, parts) {
      guard column.isInteger else {
        values.append(.text(part))
        continue
      }
      guard let number = Int64(part) else {
        throw ExitReport(
          .usage, "\"\(word)\" is not a key of \(name): \(column.name) is a whole number")
      }
      values.append(.integer(number))
    }
    return values
  }

  private func parts(of word: String) throws(ExitReport) -> [String] {
    let list = Self.list(word)
    if key.count == 1 {
      // What no argument can be, and so what is typed like a key of several columns: an empty text, and one with NUL.
      return list.flatMap { $0.count == 1 && ($0[0].isEmpty || $0[0].utf8.contains(0)) ? $0 : nil }
        ?? [word]
    }
    if let list, list.count == key.count { return list }
    // A single value is the API's key; ours has the host before it.
    if key.count == 2, key[0].name == "host", list == nil, let origin,
      let host = try? WebAddress(origin).origin.host  // ours
    {
      return [host, word]
    }
    let names = key.map(\.name)
    throw ExitReport(
      .usage, "\"\(word)\" is not a key of \(name), which has \(names.count) columns",
      "write \(names.joined(separator: ", ")) as a JSON list: '[\"a\", 1]'")
  }

  /// A key of several columns as typed: a JSON list of texts and whole numbers.
  private static func list(_ text: String) -> [String]? {
    // Not JSON means no list: the caller explains what is expected.
    guard let root = JSONValue(text: text), root.isArray else { return nil }
    let parts = root.elements.map { $0.string ?? $0.integer.map(String.init) }
    return parts.contains(nil) ? nil : parts.compactMap(\.self)
  }
}
