internal import Base

/// Checks the SQL of a job file before it meets any row: each expression must compile as a
/// generated column of a scratch table, which rules out subqueries, aggregates and functions that
/// change from call to call, and may call only the listed functions.
enum ExpressionProof {
  /// Every problem of a job's expressions, each with its stream and column; empty: there are none.
  static func problems(in job: Job) -> [String] {
    job.streams.flatMap { problems(in: $0) }
  }

  static func problems(in stream: Stream) -> [String] {
    var found: [String] = []
    let names = stream.columns.map(\.name)
    for column in stream.columns {
      guard let expression = column.expression else { continue }
      let place = "stream \(stream.name), column \(column.name)"
      // The value itself hides a column named `value`.
      let known = ["value"] + names.filter { $0 != "value" }
      if let why = check(expression, columns: known) { found.append("\(place): \(why)") }
    }
    if let keep = stream.keep, let why = check(keep, columns: names) {
      found.append("stream \(stream.name), keep: \(why)")
    }
    return found
  }

  /// Nil if the expression is valid over columns of these names.
  static func check(_ expression: String, columns: [String]) -> String? {
    do throws(SQLiteError) {
      let scratch = try Connection("scratch", .memory)
      try Functions.define(on: scratch)
      let list = columns.map { SQLName.always(quoted: $0) }.joined(separator: ", ")
      // The line end closes a comment at the end of the expression.
      let sql =
        "CREATE TABLE scratch (\(list.isEmpty ? "nothing" : list), "
        + "trawl_result GENERATED ALWAYS AS (\(expression)\n))"
      try scratch.restrict(to: Set(ExpressionRules.allFunctions))
      do {
        try scratch.run(sql)
        // Compiling a reader compiles the expression with its functions.
        _ = try scratch.statement("SELECT trawl_result FROM scratch")
      } catch {
        guard let refused = scratch.refusedAction else { throw error }
        return "it calls \(refused), which is not on the list of functions; these are: "
          + ExpressionRules.allFunctions.sorted().joined(separator: ", ")
      }
      let names = try scratch.texts("SELECT name FROM pragma_table_xinfo('scratch')")
      return names.count == max(columns.count, 1) + 1 ? nil : "it is more than one expression"
    } catch {
      return error.message
    }
  }
}
