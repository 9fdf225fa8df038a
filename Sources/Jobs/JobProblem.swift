internal import Base

/// A problem in a job file: where, what, and what would be right.
public struct JobProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// As named on the command line, or `built in: NAME`.
  public var file: String
  /// From 1.
  public var line: Int
  /// From 1, in characters.
  public var column: Int
  public var message: String

  init(_ file: String, _ position: JSON5Position, _ message: String) {
    self.file = file
    (line, column) = (position.line, position.column)
    // It may quote the file, which may contain anything.
    self.message = message.harmless(upTo: .max)
  }

  /// What is wrong and, if stated, what would be right.
  public var parts: (problem: String, cure: String?) {
    var isQuoted = false
    for (at, letter) in zip(message.indices, message) {
      if letter == "\"" { isQuoted.toggle() }
      guard letter == ";", !isQuoted, message[at...].hasPrefix("; ") else { continue }
      return (String(message[..<at]), String(message[at...].dropFirst(2)))
    }
    return (message, nil)
  }

  /// `jobs/x.json5:12:7: unknown key "page_sze"; did you mean "page_size"?`
  public var description: String { "\(file):\(line):\(column): \(message)" }
}

/// An invalid job file: all its problems, in the order of the file.
public struct JobFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Further ones are only counted, in a last problem.
  static let problemsMax = 100

  /// Never empty.
  public let problems: [JobProblem]

  init(_ all: [JobProblem]) {
    precondition(!all.isEmpty, "an error without a problem")
    var seen: Set<JobProblem> = []
    var sorted = all.filter { seen.insert($0).inserted }
    sorted.sort { ($0.line, $0.column, $0.message) < ($1.line, $1.column, $1.message) }
    if sorted.count > Self.problemsMax {
      let rest = sorted.count - Self.problemsMax
      sorted.removeLast(rest - 1)
      sorted[Self.problemsMax].message =
        "\(rest) more problems from here on; mend those above first"
    }
    problems = sorted
  }

  /// A line for each problem.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
