import Base
import Crawl
import TestSupport
import Testing

/// An API that lists notes, the newest first. In a bad night its answers are false.
private final class BadNotes: Sendable {
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
    .answering { [self] request, _ in
      let all = notes.withLock { notes in notes.indices.map { (id: $0, at: notes[$0]) } }
      let found = Notes.found(request, of: all.reversed())
      let (page, bad) = (max(1, request.number("page") ?? 1), bad.withLock { $0 })
      var shown = Notes.page(request, of: found)
      var next: String? = page * 5 < found.count ? "\(page + 1)" : nil
      switch bad {
      case .asNothing where page == 1: shown[0] = "null"
      case .asEmpty: shown = []
      case .cut where request["since"] != nil && page == 2:
        return .json(request, "{}", status: 404)
      case .cut where page == 1: next = nil
      default: break
      }
      return .json(request, listing(shown, next: next))
    }
  }

  func night(_ job: Job, new: Int = 1) async throws {
    gallery.time.advance(by: .day)
    let now = gallery.time.now
    notes.withLock { $0 += (0..<new).reversed().map { now - .seconds(3_600 + 60 * Int64($0)) } }
    _ = try await gallery.run(job, exchange)
  }
}

@Suite("A list of which only what is new is read")
struct BadNightTests {
  private static let forms = [
    #"window: { from: "?since", to: "?until", on: "at", overlap: "1h" }, \#(Notes.numbered)"#,
    #"order: "at falling", pages: { by: "token", to: "?page", next: "next", size: 5 },"#,
  ]

  @Test(
    "has all of it in the nights behind one in which the API answered falsely", arguments: forms,
    BadNotes.Bad.allCases)
  private func falseAnswer(form: String, bad: BadNotes.Bad) async throws {
    let notes = BadNotes()
    let job = try Notes.job(form)
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
