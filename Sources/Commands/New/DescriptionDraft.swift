internal import Glibc
internal import Base
internal import Drafting
internal import Jobs

/// `trawl new openapi.json`: a job file from a description. A list chosen with --path is also requested, if the user
/// allows it.
struct DescriptionDraft: Sendable {
  let context: CommandContext
  let file: String

  func perform() async throws -> ExitStatus {
    let output = try context.fileToWrite(.output)
    let only = context.invocation.text(.path)
    let name = DraftNames.job(
      of: file, draft: output, known: context.environment.library.names)
    let target = output ?? "./\(name).json5"
    try JobDraftFile.checkIsFree(target)
    let description: APIDescription
    do {
      description = try APIDescription(
        try DescriptionFile.read(file), title: DraftNames.last(file), only: only)
    } catch let problem as DraftProblem {
      throw ExitReport(.failed, "nothing can be drafted: \(problem)")
    }
    if only != nil, let status = try await probed(description, name) { return status }
    try write(description, name, target)
    return description.listsLeft == 0 ? .complete : .less
  }

  /// Nil: nothing was requested, and only the description counts.
  private func probed(_ description: APIDescription, _ name: String) async throws -> ExitStatus? {
    guard let list = description.lists.first, let address = description.address(of: list) else {
      return nil
    }
    var wish = try ListWish(address, place: description.place, jobName: name, context.invocation)
    wish.fields = description.fields(of: list)
    do {
      return try await NewCommand(context: context).draft(from: wish, isOptional: true)
    } catch let report as ExitReport where report.status == .unreachable || report.status == .failed
    {
      report.tell(on: context.console)
      context.console.tell("the draft is made of the description alone")
      return nil
    }
  }

  private func write(_ description: APIDescription, _ name: String, _ target: String) throws {
    let text = description.draft(jobName: name, date: context.time.now().day)
    do { _ = try JobFile.read(Array(text.utf8), file: target) } catch {
      throw ExitReport(
        .failed,
        lines: ["no job file could be made of \(file):"] + error.problems.map(\.description))
    }
    try JobDraftFile.write(text, target)
    context.console.print("\(target)")
    context.console.tell("drafted: \(Wording.count(description.lists.count, "list"))")
    if description.listsLeft > 0 {
      context.console.tell(
        "\(Wording.count(description.listsLeft, "more path")) that list are left out: --path PATH drafts one"
      )
    }
    context.console.tell(
      "no description says how lists are paged; the comments say what to look for. Read them, then:"
    )
    JobDraftFile.tellNext(target, hasKey: description.place != nil, on: context.console)
  }
}

enum DescriptionFile {
  static let bytesMax = 16_000_000

  static func read(_ path: String) throws(ExitReport) -> [UInt8] {
    switch FileText.read(path, bytesMax: bytesMax) {
    case .bytes(let bytes, _, _):
      let first = bytes.first { $0 > 0x20 }
      if first == UInt8(ascii: "[") {
        throw ExitReport(
          .failed, "\(path) is a JSON list, and no OpenAPI description",
          "trawl new URL drafts a job from the address that answers with such a list")
      }
      guard first == UInt8(ascii: "{") else {
        throw ExitReport(
          .failed, "\(path) is not JSON",
          "trawl-translate \(path) reads YAML: it translates an Airbyte manifest, and writes an OpenAPI "
            + "description as JSON")
      }
      return bytes
    case .none: throw ExitReport(.usage, "\(path): there is no such file")
    case .unreadable(let why): throw ExitReport(.failed, "\(path) cannot be read: \(why)")
    }
  }

  /// An operand that is not an address.
  static func path(_ operand: String) -> String? {
    if operand.holds("://") { return nil }
    let endings = [".json", ".yaml", ".yml"]
    if endings.contains(where: operand.lowercased().hasSuffix) { return operand }
    var facts = stat()
    return stat(operand, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG ? operand : nil
  }
}
