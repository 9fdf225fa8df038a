public import Model

/// Values of parameters, as a job file, `--set` or a user's own settings give them.
extension Job {
  /// What is wrong with giving a parameter a value; nil when nothing is. The same rules hold for a
  /// default, for `--set` and for a user's own settings.
  public func problem(setting name: String, to value: String) -> String? {
    guard let parameter = parameter(name) else {
      return "the job \(self.name) has no parameter \"\(name.shown)\""
        + Suggestion.clauseOrList(for: name, in: parameters.map(\.name))
    }
    if value.utf8.count > Pattern.valueBytesMax {
      return "\(name): a value has at most \(Pattern.valueBytesMax) bytes"
    }
    if value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      return "\(name): a value holds no control characters"
    }
    switch GivenValue(value) {
    case .stored(let stream, let column): return storedProblem(name, stream, column)
    case .text(let text): return parameter.problem(with: text)
    }
  }

  private func storedProblem(_ name: String, _ stream: String, _ column: String?) -> String? {
    guard let source = self.stream(stream) else {
      return "\(name): there is no stream \"\(stream.shown)\" whose stored list @ could mean"
        + Suggestion.clauseOrList(for: stream, in: streams.map(\.name))
        + " (a text that begins with @ is written @@)"
    }
    guard let column, source.column(column) == nil else { return nil }
    return "\(name): the stream \(stream) has no column \"\(column.shown)\""
      + Suggestion.clauseOrList(for: column, in: source.columns.map(\.name))
  }
}

extension Parameter {
  /// What is wrong with a value, told with the job's own hint; nil when nothing is.
  public func problem(with value: String) -> String? {
    guard let pattern else { return nil }
    // A pattern that does not compile was refused with its file.
    guard let compiled = try? Pattern(pattern), !compiled.matches(value) else { return nil }
    let why = hint ?? "it must match \(pattern)"
    return "\(name): \"\(value.shown)\" cannot be used: \(why)"
  }
}
