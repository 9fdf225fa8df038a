import Base
import Crawl
import Jobs
import TestSupport
import Testing

/// An API that lists notes, the newest first. In a bad night its answers are false.
private final class Notes: Sendable {
  enum Bad: CaseIterable { case asNothing, asEmpty, cut }

  let gallery = Gallery()
  let bad = Locked<Bad?>(nil)
  private let notes = Locked<[Instant]>([])

  var count: Int { notes.withLock { $0.count } }

  init() {
    let begin = gallery.time.now
    notes.withLock { $0 = (0..<18).reversed().map { begin - .seconds(86_400 * $0 + 3_600) } }
  }

  var exchange: ScriptedExchange {
    ScriptedExchange { [self] request, _ in
      func time(_ name: String) -> Instant? { request[name].flatMap { Instant(rfc3339: $0) } }
      let (since, until) = (time("since") ?? .init(seconds: 0), time("until") ?? gallery.time.now)
      let all = notes.withLock { Array($0.enumerated()) }
      let found = all.reversed().filter { since <= $0.element && $0.element <= until }
      let (page, bad) = (max(1, request.number("page") ?? 1), bad.withLock { $0 })
      var shown = found.dropFirst((page - 1) * 5).prefix(5).map {
        #"{"id":\#($0.offset),"at":"\#($0.element)"}"#
      }
      var next: String? = page * 5 < found.count ? "\(page + 1)" : nil
      switch bad {
      case .asNothing where page == 1: shown[0] = "null"
      case .asEmpty where request["since"] != nil: shown = []
      case .cut where request["since"] != nil && page == 2:
        return .success(.json(request, "{}", status: 404))
      case .cut where page == 1: next = nil
      default: break
      }
      return .success(.json(request, listing(shown, next: next)))
    }
  }

  func night(_ job: Job, new: Int = 1) async throws {
    gallery.time.advance(by: .seconds(86_400))
    let now = gallery.time.now
    notes.withLock { $0 += (0..<new).reversed().map { now - .seconds(3_600 + 60 * Int64($0)) } }
    _ = try await gallery.run(job, exchange)
  }
}

@Suite("A list of which only what is new is read")
struct BadNightTests {
  private static let forms = [
    #"window: { from: "?since", to: "?until", on: "at", overlap: "1h" }, pages: { by: "number", to: "?page", size: 5 },"#,
    #"order: "at falling", pages: { by: "token", to: "?page", next: "next", size: 5 },"#,
  ]

  private static func job(_ form: String) throws -> Job {
    try JobFile.read(
      Array(
        """
        {
          name: "forge", base: "\(Gallery.base)",
          streams: {
            notes: {
              get: "/notes", \(form) records: "items", key: ["id"],
              columns: { id: "id", at: "at as time" },
            },
          },
        }
        """.utf8), file: "forge.json5")
  }

  @Test(
    "has all of it in the nights behind one in which the API answered falsely", arguments: forms,
    Notes.Bad.allCases)
  private func falseAnswer(form: String, bad: Notes.Bad) async throws {
    let notes = Notes()
    let job = try Self.job(form)
    for _ in 0..<3 { try await notes.night(job) }
    let trust = "SELECT verdict FROM trawl_trust"
    notes.bad.withLock { $0 = bad }
    try await notes.night(job, new: 12)
    notes.bad.withLock { $0 = nil }
    for _ in 0..<3 { try await notes.night(job) }
    #expect(try notes.gallery.rows("SELECT count(*) FROM forge_notes") == ["\(notes.count)"])
    #expect(try ["complete", "unproven"].contains(notes.gallery.rows(trust).joined()))
    #expect(try await notes.gallery.proves())
  }
}
