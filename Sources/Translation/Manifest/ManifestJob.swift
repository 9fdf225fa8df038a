internal import Base
internal import Drafting
internal import Jobs

/// A job file translated from an Airbyte manifest; comments say in place what could not be translated.
struct ManifestJob {
  let translator: ManifestTranslator
  let title: String
  let date: String
  let base: ManifestBase
  private(set) var streams: [ManifestStream] = []
  /// What the manifest says but the job does not.
  private(set) var missing: [(stream: String, line: Int, reason: String)]
  private(set) var text = ""
  /// The lines of each stream.
  private var ranges: [(title: String, lines: Range<Int>)] = []
  private var shared: [(name: String, value: String)] = []

  /// The file has a placeholder for the address of the user's own server.
  var needsBase: Bool { !base.placeholders.isEmpty }
  var isWhole: Bool { missing.isEmpty && !streams.isEmpty }

  private static let attemptsMax = 40

  /// - Parameter title: the name of the file.
  static func of(
    _ root: YAMLNode, jobName: String, title: String, date: String
  ) throws(DraftProblem) -> ManifestJob {
    guard root["streams"]?.entries != nil || root["dynamic_streams"]?.entries != nil else {
      throw DraftProblem("\(title):1: not a declarative manifest: it has no list \"streams\"")
    }
    var refused: [String: String] = [:]
    var reserved: Set<String> = []
    var authRefusal: String?
    for _ in 0..<attemptsMax {
      var translator = ManifestTranslator(
        root, jobName: jobName, reserved: reserved, refused: refused)
      translator.translate()
      if let authRefusal { translator.auth.refuse(authRefusal) }
      // One name cannot be both a parameter and a parent's column.
      let names = Set(translator.settings.parameters.map(\.name))
      if !names.isDisjoint(with: translator.fedNames), !translator.fedNames.isSubset(of: reserved) {
        reserved.formUnion(translator.fedNames)
        continue
      }
      let job = ManifestJob(translator, title: title, date: date)
      guard !job.streams.isEmpty else { return job }
      do {
        _ = try JobFile.read(Array(job.text.utf8), file: title)
        return job
      } catch {
        if job.blame(error.problems, &refused) { continue }
        guard authRefusal == nil, !translator.auth.entries.isEmpty else {
          throw DraftProblem(
            "the translation is not a job file: \(error.problems.first?.description ?? "")")
        }
        authRefusal = error.problems.first?.message ?? ""
      }
    }
    throw DraftProblem("\(title): no job file could be made of it")
  }

  /// Leaves out the streams that the check rejects, each with its reason.
  private func blame(_ problems: [JobProblem], _ refused: inout [String: String]) -> Bool {
    var hasNew = false
    for problem in problems {
      guard let stream = ranges.first(where: { $0.lines.contains(problem.line) }),
        refused[stream.title] == nil
      else { continue }
      refused[stream.title] = "refused: \(problem.message)"
      hasNew = true
    }
    return hasNew
  }

  private init(_ translator: ManifestTranslator, title: String, date: String) {
    self.translator = translator
    self.title = title
    self.date = date
    base = ManifestBase(translator.streams, translator.settings)
    missing = translator.leftOut
    choose()
    shareHeaders()
    for stream in streams {
      for loss in stream.losses { missing.append((stream.title, stream.line, loss)) }
    }
    if let loss = translator.auth.loss { missing.append(("auth", translator.auth.line, loss)) }
    var body = DraftLines()
    write(&body)
    text = body.text
  }

  /// Keeps the streams of one origin whose parents are among them.
  private mutating func choose() {
    var rest = translator.streams
    for stream in rest where !base.isHere(stream) {
      missing.append((stream.title, stream.line, "another origin: a job of its own"))
    }
    rest.removeAll { !base.isHere($0) }
    while let at = rest.firstIndex(where: { stream in
      stream.feed.map { feed in !rest.contains { $0.name == feed.stream } } ?? false
    }) {
      missing.append((rest[at].title, rest[at].line, "its parent has another origin"))
      rest.remove(at: at)
    }
    streams = rest
  }

  /// A header field that all streams send becomes the job's. A key is always the job's.
  private mutating func shareHeaders() {
    for field in streams.first?.headers ?? [] {
      guard streams.allSatisfy({ $0.headers.contains { $0 == field } }) else { continue }
      shared.append(field)
      for at in streams.indices { streams[at].headers.removeAll { $0 == field } }
    }
    let secrets = streams.reduce(into: Set<String>()) { $0.formUnion($1.secrets) }
    for at in streams.indices {
      for name in secrets.subtracting(streams[at].secrets).sorted() {
        streams[at].lose(.request, "auth: the key in \(name.shown) is sent here too")
      }
    }
  }

  // MARK: text

  private mutating func write(_ out: inout DraftLines) {
    head(&out)
    var inner = DraftLines()
    top(&inner)
    var lines = DraftLines()
    var starts: [(title: String, from: Int, to: Int)] = []
    for stream in streams {
      let from = lines.count
      write(stream, &lines)
      starts.append((stream.title, from, lines.count))
    }
    let parameters = parametersText(used: inner.text + lines.text + base.base)
    out.line("{")
    out.line("  name: \(JobText.quoted(translator.jobName)),")
    out.line(
      "  about: \(JobText.quoted("\(translator.jobName), translated from \(title)".harmless(upTo: 200))),"
    )
    if !base.placeholders.isEmpty {
      out.comment("Mind: where your own server lives is for you to say here.", 2)
    }
    out.line("  base: \(JobText.quoted(base.base)),")
    out.append(parameters)
    out.append(inner)
    out.line("  streams: {")
    let offset = out.count
    out.append(lines)
    out.line("  },")
    out.line("}")
    ranges = starts.map { ($0.title, ($0.from + offset + 1)..<($0.to + offset + 1)) }
  }

  private func head(_ out: inout DraftLines) {
    out.comment(
      "Translated by trawl-translate from \(title) on \(date):"
        + " \(Wording.count(streams.count, "stream")), \(missing.isEmpty ? "whole" : "not wholly translated: see below").",
      0)
    out.comment(
      "No manifest says where an API ends every list (cap), what its total counts (total), in which order"
        + " records come (order), or whether the end of a window is inside. Until a person has said it, nothing"
        + " shows that a list is whole: kind: \"search\" keeps each of them unproven. Take that line away where"
        + " you know.", 0)
    guard !missing.isEmpty else { return }
    out.line("//")
    out.comment("What is not here:", 0)
    for one in missing { out.comment("- \(one.stream.shown) (line \(one.line)): \(one.reason)", 0) }
  }

  private func top(_ out: inout DraftLines) {
    out.texts("headers", shared.map { ($0.name, [$0.value]) }, 2)
    for remark in translator.auth.remarks { out.comment(remark, 2) }
    if let loss = translator.auth.loss { out.comment("Not translated: \(loss).", 2) }
    let entries = translator.auth.entries
    if entries.count == 1 { out.line("  auth: \(entries[0]),") }
    if entries.count > 1 {
      out.line("  auth: [")
      for entry in entries { out.line("    \(entry),") }
      out.line("  ],")
    }
    out.courtesy("The limits of your plan belong here; one request a second is polite.")
  }

  private func parametersText(used: String) -> DraftLines {
    var out = DraftLines()
    let all = translator.settings.parameters.filter {
      used.holds("{\($0.name)}") || used.holds("{\($0.name)?}")
    }
    guard !all.isEmpty else { return out }
    let needed = streams.reduce(into: Set<String>()) { $0.formUnion($1.settingHoles) }
    out.line("  params: {")
    for one in all {
      var values = one.values
      if values == [""], needed.contains(one.name) || used.holds("{\(one.name)}") { values = nil }
      let given = values.map { "default: \(JobText.texts($0)), " }
      out.line(
        "    \(one.name): { \(given ?? "")about: \(JobText.quoted(one.about.isEmpty ? one.name : one.about)) },"
      )
    }
    out.line("  },")
    return out
  }
}
