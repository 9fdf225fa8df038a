internal import Base
internal import Store

/// Runs tool calls, each with a time limit, and reports errors to the caller.
struct ToolCalls: Sendable {
  let context: CommandContext
  let location: DataLocation

  static let timeMax = Duration.seconds(10)
  /// For the values of one answer.
  private static let bytesMax = 400_000

  /// A tool's error is an answer: the model reads it and asks better.
  func call(_ tool: Tool, _ arguments: JSONValue?) async throws -> JSONObject {
    let end = context.time.elapsed() + Self.timeMax
    let isOver = { @Sendable in
      context.interruption?.isAsked ?? false || context.time.elapsed() > end
    }
    do {
      try tool.check(arguments)
      let answer = try await tool.perform(
        ToolCall(
          context: context, location: location, tool: tool, arguments: arguments, isOver: isOver))
      let values = answer.object.bytes
      guard values.count <= Self.bytesMax else {
        return Self.problem(
          [
            "the answer would have \(Wording.bytes(values.count)): ask for one job or table, or for fewer"
          ])
      }
      let text = String(decoding: TerminalJSON.escaped(values), as: UTF8.self)
      return [
        "resultType": "complete", "content": [Self.text(answer.sentences), Self.text([text])],
        "structuredContent": answer.object, "isError": false,
      ]
    } catch let problem as QueryProblem {
      let place = problem.place.map { " (line \($0.line), behind: \($0.before.suffix(60)))" } ?? ""
      return Self.problem([problem.sentence + place])
    } catch {
      if isOver() {
        return Self.problem(
          ["stopped after \(Self.timeMax.inSeconds) s without an answer: ask for less"])
      }
      guard let ending = ExitReport(error) else { throw error }
      return Self.problem(ending.lines)
    }
  }

  private static func problem(_ lines: [String]) -> JSONObject {
    ["resultType": "complete", "content": [text(lines)], "isError": true]
  }

  /// Removes characters that could hide text or imitate our own lines.
  private static func text(_ lines: [String]) -> JSONObject {
    let clean = lines.map { $0.harmless(upTo: .max) }
    return ["type": "text", "text": clean.joined(separator: "\n")]
  }
}

/// A call: its arguments, and what it may read.
struct ToolCall: Sendable {
  let context: CommandContext
  let location: DataLocation
  fileprivate let tool: Tool
  /// Checked against the tool's declaration.
  fileprivate let arguments: JSONValue?
  /// Its time is over, or a signal came.
  let isOver: @Sendable () -> Bool

  var now: Instant { context.time.now() }

  private func argument(_ name: String) -> JSONValue? {
    arguments?[name].flatMap { $0.isNull ? nil : $0 }
  }

  func text(_ name: String) -> String? {
    argument(name).flatMap { $0.string ?? $0.integer.map { "\($0)" } }
  }

  func words(_ name: String) -> [String] { argument(name)?.elements.compactMap(\.string) ?? [] }

  func count(_ name: String) -> Int {
    if let given = argument(name)?.integer { return Int(given) }
    guard case .count(_, let usual)? = tool.arguments.first(where: { $0.name == name })?.kind else {
      return 0
    }
    return usual
  }

  private var settings: RecordStore.Settings {
    var settings = context.storeSettings
    settings.isStopped = isOver
    return settings
  }

  private func folder() throws -> DataFolder {
    try DataFolder(
      withDatabase: location.folder, or: " yet: a person makes it with trawl run JOB")
  }

  func using<Result>(_ body: (RecordStore) async throws -> Result) async throws -> Result {
    let store = try await RecordStore.openForReading(folder(), settings)
    return try await context.use(store) { try await body(store) }
  }

  func query() throws -> ReadingQuery {
    try ReadingQuery(folder(), settings, cache: 2_000, stoppingWhen: isOver)
  }

  /// Refuses unknown jobs.
  func job(_ store: RecordStore) async throws -> String? {
    guard let job = text("job") else { return nil }
    try await store.require(job)
    return job
  }

  func words(of trust: ReadTrust) -> TrustWords { TrustWords(trust: trust, now: now) }
}
