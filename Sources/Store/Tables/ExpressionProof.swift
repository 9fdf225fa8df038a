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
    do {
      let scratch = try Connection("scratch", .memory)
      try Functions.define(on: scratch)
      let list = columns.map { SQLName.always(quoted: $0) }.joined(separator: ", ")
      // The line end closes a comment at the end of the expression.
      let sql =
        "CREATE TABLE scratch (\(list.isEmpty ? "nothing" : list), "
        + "trawl_result GENERATED ALWAYS AS (\(expression)\n))"
      let result = try scratch.allowing(functions: Set(ExpressionRules.allFunctions)) {
        () throws(SQLiteError) in
        try scratch.run(sql)
        // Compiling a reader compiles the expression with its functions.
        _ = try scratch.statement("SELECT trawl_result FROM scratch")
      }
      if case .failure(let function) = result {
        return "it calls \(function.name)(), which is not on the list of functions; these are: "
          + ExpressionRules.allFunctions.sorted().joined(separator: ", ")
      }
      let count = try scratch.integer("SELECT count(*) FROM pragma_table_xinfo('scratch')")
      let expected = max(columns.count, 1) + 1
      return count == Int64(expected) ? nil : "it is more than one expression"
    } catch {
      return error.message
    }
  }
}
