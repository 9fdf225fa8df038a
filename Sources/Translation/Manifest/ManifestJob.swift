internal import Jobs

/// A job file translated from an Airbyte manifest, and what it lacks.
struct ManifestJob {
  struct Problem: Error, Sendable, CustomStringConvertible {
    let description: String
  }

  private var written: ManifestJobText
  var text: String { written.text }
  /// Streams of the job.
  var translated: Int { written.streams.count }
  /// What the manifest says but the job does not.
  var missing: [(stream: String, line: Int, reason: String)] { written.missing }
  /// The file has a placeholder for the address of the user's own server.
  var needsBase: Bool { !written.base.placeholders.isEmpty }
  var secrets: Bool { !written.translator.auth.entries.isEmpty }

  var isWhole: Bool { missing.isEmpty && translated > 0 }

  private static let attemptsMax = 40

  /// - Parameter title: the name of the file.
  init(
    _ root: YAMLNode, jobName: String, title: String, date: String
  ) throws(Problem) {
    guard root["streams"]?.entries != nil || root["dynamic_streams"]?.entries != nil else {
      throw Problem(
        description:
          "\(title):1: not a declarative manifest: it has no list \"streams\"")
    }
    var refused: [String: String] = [:]
    var reserved: Set<String> = []
    var authRefusal: String?
    for _ in 0..<Self.attemptsMax {
      var translator = ManifestTranslator(root, jobName: jobName, reserved: reserved)
      translator.translate(without: refused)
      if let authRefusal { translator.auth.refuse(authRefusal) }
      // One name cannot be both a parameter and a parent's column.
      let names = Set(translator.settings.parameters.map(\.name))
      if !names.isDisjoint(with: translator.fedNames), !translator.fedNames.isSubset(of: reserved) {
        reserved.formUnion(translator.fedNames)
        continue
      }
      written = ManifestJobText(translator, title: title, date: date)
      guard translated > 0 else { return }
      do {
        _ = try JobFile.read(Array(text.utf8), file: title)
        return
      } catch {
        if blame(error.problems, &refused) { continue }
        guard authRefusal == nil, !translator.auth.entries.isEmpty else {
          throw Problem(
            description: "the translation is not a job file: "
              + (error.problems.first?.description ?? ""))
        }
        authRefusal = error.problems.first?.message ?? ""
      }
    }
    throw Problem(description: "\(title): no job file could be made of it")
  }

  /// Leaves out the streams that the check rejects, each with its reason.
  private func blame(_ problems: [JobProblem], _ refused: inout [String: String]) -> Bool {
    var hasNew = false
    for problem in problems {
      guard let stream = written.ranges.first(where: { $0.lines.contains(problem.line) }),
        refused[stream.title] == nil
      else { continue }
      refused[stream.title] = "refused: \(problem.message)"
      hasNew = true
    }
    return hasNew
  }
}
