internal import Base
internal import Jobs

/// One thing that was checked, and the result.
struct Finding: Sendable, Equatable {
  enum Level: String, Sendable {
    case fine = "ok"
    /// Worth knowing, not wrong.
    case note
    case problem
  }

  var level: Level
  var subject: String
  var text: String
  /// What to do, if anything.
  var cure: String?
  /// The exit status for a problem.
  var status: ExitStatus = .complete
  /// If it is a mistake in a job file.
  var mistake: JobProblem?

  static func fine(_ subject: String, _ text: String) -> Finding {
    Finding(level: .fine, subject: subject, text: text)
  }

  static func note(_ subject: String, _ text: String, cure: String? = nil) -> Finding {
    Finding(level: .note, subject: subject, text: text, cure: cure)
  }

  static func problem(
    _ subject: String, _ text: String, cure: String? = nil, _ status: ExitStatus = .found
  ) -> Finding {
    Finding(level: .problem, subject: subject, text: text, cure: cure, status: status)
  }

  func json(of place: String) -> JSONObject {
    var object: JSONObject = [
      "checked": place, "subject": subject, "level": level.rawValue, "text": text,
      "cure": mistake?.parts.cure ?? cure,
    ]
    if let mistake {
      object.members += [
        ("problem", mistake.parts.problem), ("file", mistake.file), ("line", mistake.line),
        ("column", mistake.column),
      ]
    }
    return object
  }
}

/// Findings under their heading, each cure below its finding; printed as they are found.
struct FindingList {
  private let context: CommandContext
  /// The job, or `this machine`.
  private let place: String
  private(set) var status = ExitStatus.complete
  var hasProblem: Bool { status != .complete }

  /// The widths of the longest mark and the longest usual subject.
  private static let widths = ["problem".utf8.count, "job file".utf8.count]

  init(_ place: String, _ context: CommandContext) {
    (self.place, self.context) = (place, context)
    if !context.invocation.has(.json) { context.console.print("\(place, .bold)") }
  }

  mutating func show(_ found: [Finding]) {
    let findings = found.map { finding in
      var finding = finding
      finding.text = context.console.advice(finding.text)
      finding.cure = finding.cure.map(context.console.advice)
      return finding
    }
    status = ExitStatus.worst(of: [status] + findings.map(\.status))
    if context.invocation.has(.json) {
      for finding in findings { context.console.printJSON(finding.json(of: place)) }
      return
    }
    var rows = AlignedRows(widthsMin: Self.widths)
    for finding in findings {
      rows.add([
        Self.mark(finding.level), ConsoleText(finding.subject), ConsoleText(finding.text),
      ])
      if let cure = finding.cure {
        rows.add([ConsoleText(), ConsoleText(), ConsoleText("→ \(cure)")])
      }
    }
    // Whole lines: advice is never truncated.
    context.console.printWhole(rows)
  }

  private static func mark(_ level: Finding.Level) -> ConsoleText {
    switch level {
    case .fine: ConsoleText("ok", .green)
    case .note: ConsoleText("note", .yellow)
    case .problem: ConsoleText("problem", .red)
    }
  }
}
