internal import Glibc
internal import Base
internal import Drafting
internal import Jobs

/// `trawl-translate FILE`: writes a job file from an Airbyte manifest, or the JSON of an OpenAPI
/// description in YAML. It sends no request.
public struct TranslateCommand {
  private let file: String
  private let output: String?
  private let day: String

  private static let shownMax = 20

  /// - Parameter day: today's date, for the head of the job file.
  public static func perform(_ words: [String], day: String) -> Outcome {
    switch words {
    case ["--help"], ["-h"]: return Outcome(status: 0, output: TranslateHelp.text)
    case ["--manual-page"]: return Outcome(status: 0, output: TranslateHelp.manual)
    default: break
    }
    var files: [String] = []
    var output: String?
    var left = words[...]
    while let word = left.popFirst() {
      switch word {
      case "-o", "--output":
        guard let name = left.popFirst(), !name.isEmpty else {
          return Outcome(status: Outcome.usage, notes: ["\(word) needs a value: -o FILE"])
        }
        output = name
      case _ where word.hasPrefix("-"):
        return Outcome(
          status: Outcome.usage,
          notes: ["unknown argument \"\(word)\"; --help lists what there is"])
      default: files.append(word)
      }
    }
    guard files.count == 1 else {
      return Outcome(
        status: Outcome.usage, notes: ["name one manifest: trawl-translate FILE [-o FILE]"])
    }
    do throws(Outcome) {
      return try TranslateCommand(file: files[0], output: output, day: day).translated()
    } catch { return error }
  }

  private func translated() throws(Outcome) -> Outcome {
    let bytes: [UInt8]
    switch FileText.read(file, bytesMax: YAMLReader.bytesMax) {
    case .bytes(let found, _, _): bytes = found
    case .none: throw Outcome(status: Outcome.usage, notes: ["\(file): there is no such file"])
    case .unreadable(let why):
      throw Outcome(status: Outcome.failed, notes: ["\(file) cannot be read: \(why)"])
    }
    let title = DraftNames.last(file)
    let root: YAMLNode
    do { root = try YAMLReader.read(bytes) } catch {
      throw Outcome(status: Outcome.failed, notes: ["\(title):\(error.line): \(error.sentence)"])
    }
    return try root["openapi"] == nil ? job(root, title) : description(root, title)
  }

  private func description(_ root: YAMLNode, _ title: String) throws(Outcome) -> Outcome {
    let stem = String(title.prefix { $0 != "." })
    let target = output ?? "./\(stem).json"
    try write(root.json, target)
    return Outcome(
      status: 0, output: "\(target)\n",
      notes: ["the description as JSON; then: trawl new \(ShellWord.quoted(target))"])
  }

  private func job(_ root: YAMLNode, _ title: String) throws(Outcome) -> Outcome {
    let known = JobLibrary { name in getenv(name).map { String(cString: $0) } }.names
    let name = DraftNames.job(of: file, draft: output, known: known)
    let target = output ?? "./\(name).json5"
    let job: ManifestJob
    do { job = try ManifestJob.of(root, jobName: name, title: title, date: day) } catch {
      throw Outcome(status: Outcome.failed, notes: ["nothing can be translated: \(error)"])
    }
    guard !job.streams.isEmpty else {
      throw Outcome(
        status: Outcome.failed,
        notes: ["no stream of \(file) can be translated; nothing was written"] + missing(job))
    }
    try write(job.text, target)
    let streams = Wording.count(job.streams.count, "stream")
    var notes =
      job.isWhole
      ? ["translated whole: \(streams)"]
      : ["translated in part: \(streams). What is missing:"] + missing(job)
    if job.needsBase { notes.append("your own server's address belongs in its line \"base\"") }
    if job.translator.auth.needsPlace {
      notes.append("the address of your own server's tokens belongs in \"post\" of its \"auth\"")
    }
    notes.append(
      "each list is unproven until you have taken \"kind\" away: no manifest says where an API ends a list"
    )
    let path = target.utf8.contains(UInt8(ascii: "/")) ? target : "./\(target)"
    notes.append("read its comments, then:")
    let first = job.translator.auth.entries.isEmpty ? [] : ["key"]
    notes += (first + ["check", "try"]).map { "  trawl \($0) \(ShellWord.quoted(path))" }
    return Outcome(
      status: job.isWhole ? 0 : Outcome.less, output: "\(target)\n", notes: notes)
  }

  private func missing(_ job: ManifestJob) -> [String] {
    var lines = job.missing.prefix(Self.shownMax).map {
      "  \($0.stream.shown) (line \($0.line)): \($0.reason)"
    }
    if job.missing.count > Self.shownMax {
      lines.append("  and \(job.missing.count - Self.shownMax) more, in the file's head")
    }
    return lines
  }

  /// Never overwrites an existing file.
  private func write(_ text: String, _ target: String) throws(Outcome) {
    var facts = stat()
    guard stat(target, &facts) != 0 else {
      throw Outcome(
        status: Outcome.cannotCreate,
        notes: ["\(target) is there already, and is left as it is", "name another file: -o FILE"])
    }
    do {
      let file = try AtomicFile(target, mode: 0o666 & ~FileRights.mask)
      try file.write(Array(text.utf8))
      try file.place()
    } catch {
      throw Outcome(status: Outcome.cannotCreate, notes: ["\(target) cannot be written: \(error)"])
    }
  }
}
