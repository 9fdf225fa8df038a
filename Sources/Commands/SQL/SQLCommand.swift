internal import Base
internal import Store

/// `trawl sql QUERY`: rows of the database, for people or programs. Read-only.
struct SQLCommand: Sendable {
  let context: CommandContext

  private static let queryBytesMax = 1_000_000

  func perform() async throws -> ExitStatus {
    let wish = try wish()
    let form = try RowForm(context)
    let output = try context.fileToWrite(.output)
    let location = try context.locationForReading()
    let folder = try DataFolder(
      withDatabase: location.folder, or: " yet: trawl run JOB makes it")
    return try show(wish, form, folder, output)
  }

  private enum Wish {
    /// The number of rows of each job's tables.
    case tables
    case query(String)
    case changes(of: String, after: FollowCursor?)
  }

  private func wish() throws(ExitReport) -> Wish {
    let invocation = context.invocation
    let operand = invocation.operands.first
    let word = invocation.text(.after)
    guard invocation.has(.changes) else {
      guard word == nil else {
        throw ExitReport(
          .usage, "--after goes with --changes: trawl sql --changes TABLE --after CURSOR")
      }
      return if let operand { .query(try query(operand)) } else { .tables }
    }
    guard let table = operand else {
      throw ExitReport(.usage, "--changes needs a table: trawl sql --changes TABLE")
    }
    let cursor = word.flatMap { FollowCursor($0) }
    if let word, cursor == nil {
      throw ExitReport(
        .usage,
        "--after \(word) is not a cursor: the last row of trawl sql --changes \(table) has it")
    }
    return .changes(of: table, after: cursor)
  }

  /// Stays on one thread for all rows; a command may block it.
  private func show(
    _ wish: Wish, _ form: RowForm, _ folder: DataFolder, _ output: String?
  ) throws -> ExitStatus {
    let query = try ReadingQuery(folder, context.storeSettings) {
      [interruption = context.interruption] in interruption?.isAsked ?? false
    }
    let file = try output.map { try ResultFile($0) }
    let console = context.console
    let isWhole =
      switch wish {
      case .tables: false
      case .query(let sql): ReadingQuery.isName(query: sql)
      case .changes: true
      }
    var rows = RowWriting(
      form, columns: console.columns, isUTF8: context.environment.isUTF8, leavesOut: isWhole
    ) { bytes in
      if let file { try file.append(bytes) } else { console.printData(bytes) }
    }
    var status = ExitStatus.complete
    do {
      let take = { (row: [SQLValue]) throws -> Bool in
        try rows.add(row)
        return !console.isOutputClosed
      }
      switch wish {
      case .tables:
        rows.begin(["job", "table", "rows"])
        for one in try query.tablesOfJobs() {
          try rows.add([.text(one.job), .text(one.table), .integer(Int64(one.rows))])
        }
      case .query(let sql):
        try query.run(sql, columns: { rows.begin($0) }, take: take)
      case .changes(let table, let cursor):
        let following = try query.follow(
          table, after: cursor, columns: { rows.begin($0) }, take: take)
        if following.isAnother {
          console.tell(
            "\(table) was made anew since that cursor: all of its records follow, for a new copy")
          status = .found
        }
      }
      try rows.end()
      try file?.keep()
    } catch let problem as QueryProblem {
      throw Self.report(problem)
    } catch is CancellationError {
      // The process ends by the signal; a truncated result is not a result.
      console.tell("stopped: no more rows are read")
      return .complete
    }
    if let remark = rows.remark { console.tell("\(remark, .dim)") }
    return status
  }

  private func query(_ word: String) throws(ExitReport) -> String {
    var text = word
    if word == "-" {
      guard let bytes = FileBytes.first(Self.queryBytesMax + 1, from: 0) else {
        throw ExitReport(.usage, "stdin cannot be read: \(SystemError.latest)")
      }
      text = String(decoding: bytes, as: UTF8.self)
    }
    guard text.utf8.count <= Self.queryBytesMax else {
      throw ExitReport(.usage, "a query has at most \(Wording.bytes(Self.queryBytesMax))")
    }
    guard text.utf8.contains(where: { $0 > 32 }) else {
      throw ExitReport(.usage, "the query is empty")
    }
    if text.utf8.first(where: { $0 > 32 }) == UInt8(ascii: ".") {
      throw ExitReport(
        .usage, "a query is SQL, and no command of sqlite3", "all tables are listed by: trawl sql")
    }
    return text
  }

  /// The line with a mark below the error.
  private static func report(_ problem: QueryProblem) -> ExitReport {
    guard let place = problem.place else { return ExitReport(.usage, problem.sentence) }
    let before = ForeignText.cleaned(place.before)
    let shown = ForeignText.cleaned(place.text)
    let mark = String(repeating: " ", count: DisplayWidth.of(before)) + "^"
    let line = place.line > 1 ? " (line \(place.line))" : ""
    return ExitReport(.usage, problem.sentence + line, "  \(shown)", "  \(mark)")
  }
}
