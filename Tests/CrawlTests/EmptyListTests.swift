import Base
import Crawl
import TestSupport
import Testing

@Suite("An empty answer to a list that held records")
struct EmptyListTests {
  /// A list of words that a parent's record counts, at rest until a test changes it.
  final class Words: Sendable {
    struct State: Sendable {
      var count = 0
      /// The count in the parent's record; nil: it has none.
      var told: Int?
      /// An answer instead of the list.
      var answer: (status: Int, body: String)?
    }

    let gallery = Gallery()
    let state = Locked(State())

    func exchange() -> ScriptedExchange {
      .answering { [state] request, _ in
        let now = state.withLock { $0 }
        if request.lastPart == "books" {
          let words = now.told.map(String.init) ?? "null"
          return .json(request, listing([#"{"id":"b","words":\#(words)}"#]))
        }
        if let answer = now.answer {
          return .json(request, answer.body, status: answer.status)
        }
        // As many as requested, as in a list that knows its size.
        let size = request.number("size") ?? 1000
        let items = (0..<min(size, now.count)).map { #"{"id":"w\#($0)"}"# }
        return .json(request, size < now.count ? listing(items, next: "x") : listing(items))
      }
    }

    func job(expects: Bool, _ change: (inout Base.Stream, inout Job) -> Void = { _, _ in }) throws
      -> Job
    {
      let books = try Base.Stream(whole: "books", "/books", "id, words integer")
      var words = try Base.Stream("words", "/words/{id}", "id")
      words.parent = ParentFeed(stream: "books", column: "id", when: .all, batch: 1)
      words.size = PageSize(parameter: "size", value: 1000)
      words.membership = Membership("found", of: "id", as: "book", key: "word")
      words.marksVanished = true
      if expects { words.expectation = Expectation(stream: "books", column: "words") }
      var job = try Job("shop", books, words)
      change(&words, &job)
      job.streams[1] = words
      return job
    }

    struct Ended {
      var certificate: Certificate
      var isNew: Bool
      var kinds: Set<RunOutcome.Kind>
      var present: Int
      var needsPerson: Bool

      var claim: String { certificate.claim }
    }

    func run(
      _ job: Job, after pause: Duration = .zero, _ change: (inout CrawlOptions) -> Void = { _ in }
    ) async throws -> Ended {
      gallery.time.advance(by: pause)
      let left = try await gallery.run(job, exchange(), change)
      let unit = try #require(left.facts.units.last { $0.stream == "words" })
      let present = try gallery.rows("SELECT count(*) FROM shop_found WHERE vanished_at IS NULL")
      return Ended(
        certificate: unit.certificate, isNew: unit.isNewShortfall, kinds: left.facts.outcome.kinds,
        present: Int(present[0]) ?? -1, needsPerson: left.facts.needsPerson)
    }
  }

  @Test(
    "is incomplete, told once, and marks nobody; two days later it is believed, and its rows are gone"
  )
  func lasting() async throws {
    let words = Words()
    let job = try words.job(expects: false)
    words.state.withLock { $0.count = 3 }
    #expect(try await words.run(job).claim == "complete")
    words.state.withLock { $0.count = 0 }
    for round in 1...3 {
      let ended = try await words.run(job, after: .seconds(3600))
      #expect(ended.claim == "incomplete (empty)", "\(round): \(ended.certificate.why)")
      #expect(ended.isNew == (round == 1) && ended.present == 3)
      #expect(ended.kinds.contains(.lessThanDeclared) == (round == 1), "\(ended.kinds)")
    }
    // Three in a few hours or a day mean that the API is down; two days later, that the list was emptied.
    for isBelieved in [false, true, true] {
      let ended = try await words.run(job, after: .day)
      #expect(ended.claim == (isBelieved ? "complete" : "incomplete (empty)"))
      #expect(ended.present == (isBelieved ? 0 : 3), "\(ended.certificate.why)")
      #expect(!ended.isNew && !ended.kinds.contains(.lessThanDeclared))
    }
    #expect(
      try words.gallery.rows("SELECT rows FROM trawl_lists WHERE stream = 'words'") == ["0"])
  }

  @Test("is forgotten where the records are back, and counted anew")
  func back() async throws {
    let words = Words()
    let job = try words.job(expects: false)
    for (count, claim) in [(3, "complete"), (0, "incomplete (empty)"), (3, "complete")] {
      words.state.withLock { $0.count = count }
      #expect(try await words.run(job, after: .day).claim == claim)
    }
    words.state.withLock { $0.count = 0 }
    for isNew in [true, false] {
      let ended = try await words.run(job, after: .day)
      #expect(ended.claim == "incomplete (empty)" && ended.isNew == isNew)
    }
  }

  @Test("is believed at once from a person who reads the list anew, or takes its rows for gone")
  func persons() async throws {
    for accepts in [false, true] {
      let words = Words()
      let job = try words.job(expects: false)
      words.state.withLock { $0.count = 3 }
      _ = try await words.run(job)
      words.state.withLock { $0.count = 0 }
      let less = try await words.run(job) { if accepts { $0.acceptedVanish = 2 } }
      #expect(less.claim == "incomplete (empty)" && less.present == 3)
      let ended = try await words.run(job) {
        if accepts { $0.acceptedVanish = 3 } else { $0.isRefill = true }
      }
      let claim = accepts ? "complete" : "incomplete (count)"
      #expect(ended.claim == claim, "\(ended.certificate.why)")
      #expect(ended.present == (accepts ? 0 : 3))
      guard accepts else { continue }
      // And stays so until a record comes.
      for (count, claim) in [(0, "complete"), (0, "complete"), (3, "complete"), (0, less.claim)] {
        words.state.withLock { $0.count = count }
        #expect(try await words.run(job).claim == claim, "\(count)")
        #expect(try await words.gallery.proves())
      }
    }
  }

  @Test("that counts none is believed, but not that its rows are gone")
  func counted() async throws {
    let words = Words()
    let total = Total(paths: [try JSONPath("total")], trust: .counted)
    let job = try words.job(expects: false) { stream, _ in stream.total = total }
    words.state.withLock { $0.answer = (200, #"{"items":[{"id":"w1"}],"total":1}"#) }
    #expect(try await words.run(job).claim == "complete")
    words.state.withLock { $0.answer = (200, #"{"items":[],"total":0}"#) }
    for isNew in [true, false] {
      let ended = try await words.run(job)
      #expect(ended.claim == "incomplete (count)" && ended.isNew == isNew)
      #expect(ended.present == 1, "nobody is marked without a person's word")
      #expect(!ended.needsPerson && !ended.certificate.why.contains("too many"))
      #expect(ended.certificate.why.contains("none came, and the list held 1 record"))
    }
    let other = Words()
    #expect(try await other.run(other.job(expects: false)).certificate.verdict.isWhole)
  }

  @Test(
    "and one with far fewer than its parent counts are incomplete; hidden ones are normal",
    arguments: [
      (9876, 0, false), (10, 0, false), (9, 0, false), (0, 0, true), (823, 812, true),
      (50, 24, false), (50, 25, true), (49, 1, true), (10, 1, true), (3, 700, true),
    ])
  func expected(told: Int, came: Int, isBelieved: Bool) async throws {
    let words = Words()
    words.state.withLock { ($0.told, $0.count) = (told, came) }
    let ended = try await words.run(words.job(expects: true))
    #expect(ended.certificate.verdict.isWhole == isBelieved, "\(ended.certificate.why)")
    if !isBelieved {
      #expect(ended.claim == "incomplete (empty)" && ended.isNew)
      #expect(ended.certificate.why.contains("books.words says"), "\(ended.certificate.why)")
    }
  }

  @Test(
    "marks those who left where its parent counts none, too; many only in the third night: one failure empties both",
    arguments: [(3, 1), (60, 3)])
  func expectedNone(held: Int, nights: Int) async throws {
    let words = Words()
    let job = try words.job(expects: true)
    words.state.withLock { ($0.told, $0.count) = (held, held) }
    #expect(try await words.run(job).claim == "complete")
    words.state.withLock { ($0.told, $0.count) = (0, 0) }
    for night in 1...nights {
      let ended = try await words.run(job, after: .day)
      let isLast = night == nights
      #expect(ended.certificate.verdict.isWhole == isLast, "\(ended.certificate.why)")
      #expect(ended.present == (isLast ? 0 : held) && ended.isNew == (!isLast && night == 1))
      #expect(ended.isNew || ended.kinds == [.asDeclared], "\(ended.kinds)")
    }
  }

  @Test("stays incomplete as long as its parent counts ten or more; a few may all be hidden")
  func expectedForLong() async throws {
    for (told, isBelieved) in [(10, false), (9, true)] {
      let words = Words()
      words.state.withLock { $0.told = told }
      let job = try words.job(expects: true)
      for round in 1...5 {
        let ended = try await words.run(job)
        #expect(ended.certificate.verdict.isWhole == (isBelieved && round > 2), "\(round)")
        #expect(ended.isNew == (round == 1))
        words.gallery.time.advance(by: .day)
      }
    }
  }

  @Test("an error in the place of page 1 is no end: the list is absent")
  func errorFirst() async throws {
    let words = Words()
    let job = try words.job(expects: false) { _, job in
      job.errors = [ErrorRule(statuses: [404...404], action: .end)]
    }
    words.state.withLock { $0.count = 3 }
    #expect(try await words.run(job).claim == "complete")
    words.state.withLock { $0.answer = (404, "{}") }
    let ended = try await words.run(job)
    #expect(ended.claim == "absent" && ended.present == 3, "\(ended.certificate.why)")
  }
}
