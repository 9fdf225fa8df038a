import Base
@testable import Commands
import Crawl
@testable import Jobs
import Store
import TestSupport
@testable import Walk
import Glibc
import Testing

/// `make recorded DIR=...`: what the shipped jobs make of answers that somebody recorded. Without
/// a folder there is nothing to look at, and nothing runs.
@Suite("Recorded answers", .enabled(if: getenv("TRAWL_RECORDED") != nil))
struct RecordedTests {
  private let folder = getenv("TRAWL_RECORDED").map { String(cString: $0) } ?? ""

  @Test("are read by the shipped jobs, every reject and unmapped path told")
  func everyAnswer() async throws {
    let library = JobLibrary(userFolder: nil, systemFolder: nil)
    var seen = 0
    for api in FolderNames.all(of: folder).sorted() {
      guard let job = try? library.job(api) else { continue }  // another folder or file
      for file in FolderNames.all(of: "\(folder)/\(api)").sorted()
      where file.hasSuffix(".json") {
        let bytes = try #require(Golden.bytes("\(folder)/\(api)/\(file)"), "\(file) cannot be read")
        for recorded in try RecordedAnswer.all(in: bytes, name: "\(api)/\(file)", job: job) {
          seen += 1
          print(try await Self.line(recorded, job).joined(separator: "\n"))
        }
      }
    }
    #expect(seen > 0, "\(folder) holds no <api>/<file>.json")
  }

  private static func line(_ recorded: RecordedAnswer, _ job: Job) async throws -> [String] {
    let body = AnswerBody(recorded.answer)
    if let decision = Judge(job).decide(recorded.answer, body) {
      return ["\(recorded.name): \(recorded.answer.status), \(decision)"]
    }
    let streams = streams(for: recorded, job)
    guard !streams.isEmpty else {
      return ["\(recorded.name): \(recorded.path ?? "") is asked by no stream"]
    }
    var best: Outcome?
    var trouble = ""
    for stream in streams {
      switch PageReader(job: job, stream: stream).read(recorded.answer, body) {
      case .page(let page):
        let outcome = try await outcome(of: page, stream, job)
        if outcome.isBetter(than: best) { best = outcome }
      case .notModified: return ["\(recorded.name): 304, the stored page stands"]
      case .later: return ["\(recorded.name): 202, the same request later"]
      case .trouble(let why): trouble = why.sentence
      }
    }
    guard let best else { return ["\(recorded.name): no page: \(trouble)"] }
    return best.lines(recorded.name)
  }

  /// Those whose path was asked; of a plain body any may be meant.
  private static func streams(for recorded: RecordedAnswer, _ job: Job) -> [Base.Stream] {
    guard let path = recorded.path else { return job.streams }
    let asked = path.split(separator: "/")
    return job.streams.filter { stream in
      let base = job.base.path.split(separator: "/")
      let own = stream.path.parts.map { part in
        if case .text(let text) = part { text } else { "*" }
      }.joined().split(separator: "/")
      let way = base + own
      return way.count == asked.count && zip(way, asked).allSatisfy { $0 == "*" || $0 == $1 }
    }
  }

  struct Outcome {
    var stream: String
    var counts: Counts
    var rejects: [RejectSample]
    var unmapped: [String]

    func isBetter(than other: Outcome?) -> Bool {
      guard let other else { return true }
      let (mine, theirs) = (counts.new, other.counts.new)
      return (mine, -rejects.count, -unmapped.count)
        > (theirs, -other.rejects.count, -other.unmapped.count)
    }

    func lines(_ name: String) -> [String] {
      var lines = [
        "\(name): \(stream), \(counts.received) received, \(counts.new) rows, "
          + "\(counts.repeated) repeated, \(counts.dropped) dropped, \(counts.rejected) rejected, "
          + "\(unmapped.count) unmapped paths"
      ]
      lines += rejects.map { "    \($0.path): \($0.reason)  \($0.raw.prefix(120))" }
      if !unmapped.isEmpty { lines.append("    unmapped: \(unmapped.joined(separator: " "))") }
      return lines
    }
  }

  /// Stores the page in a folder of its own, as if every stream might bring new records.
  private static func outcome(
    of page: Page, _ stream: Base.Stream, _ job: Job
  ) async throws -> Outcome {
    var job = job
    for index in job.streams.indices { job.streams[index].ownsTable = true }
    let scratch = ScratchFolder()
    let store = try await RecordStore.open(
      try DataFolder(creating: scratch.path),
      RecordStore.Settings(time: VirtualTime().timekeeper))
    _ = try await store.adopt(job, origin: job.base.origin)
    let run = try await store.beginRun(job: job.name, command: "recorded", arguments: [])
    var names = stream.holes
    if let feed = stream.parent { names += feed.given }
    let values = Set(names).sorted().map { ParameterValue($0, "1") }
    let prints = Fingerprints(request: 1, mapping: 1)
    let unit = try await store.openUnit(
      Unit(stream: stream.name, values: values), of: job.name, prints: prints, run: run,
      carrying: values + [ParameterValue("host", job.base.origin.host)])
    let receipt = try await store.commit(
      page, step: Step(purpose: .page, ordinal: 1, cursor: .start, address: job.base),
      of: unit.id)
    let rejects = try await store.rejects(of: stream.name, in: job.name, limit: 1_000)
    await store.close()
    return Outcome(
      stream: stream.name, counts: receipt.summary.counts, rejects: rejects,
      unmapped: UnmappedFields(of: page.records, stream: stream).fields.map(\.path))
  }
}
