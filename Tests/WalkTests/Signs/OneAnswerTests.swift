import Base
import Testing

@testable import Walk

@Suite("A single answer among others")
struct OneAnswerTests {
  private static func stream(
    _ trust: Total.Trust? = nil, _ cap: Cap? = nil, isDeclared: Bool, batch: Int? = nil
  ) throws -> Base.Stream {
    var stream = try FakeJob.stream(
      .single, size: nil, total: trust, cap: cap, isOnePage: isDeclared)
    stream.parent = batch.map {
      ParentFeed(stream: "parents", column: "id", when: .new, batch: $0)
    }
    return stream
  }

  private static func claim(
    _ received: Int, total: Int? = nil, _ signs: [UnreadSign] = [], of stream: Base.Stream
  ) -> String {
    var counts = Counts()
    counts.new = received
    var page = PageSummary(
      purpose: .page, ordinal: 3, cursor: .start, next: nil, total: total, counts: counts,
      unseen: received)
    page.signs = signs
    let rules = WalkRules(stream)
    var answers = BatchAnswers(rules)
    answers.note(page)
    let claim = answers.certificate().claim
    // If the only doubt is that the job says nothing about pages, it is not requested again.
    #expect(
      claim == "complete" ? !rules.isDoubtful(page) : rules.isDoubtful(page) || signs.isEmpty)
    return claim
  }

  @Test("claims nothing behind a hundred requests in a row for what is not there")
  func cutOff() throws {
    var answers = BatchAnswers(WalkRules(try Self.stream(nil, nil, isDeclared: true, batch: 1)))
    answers.missed.absentInARow = 100
    (answers.missed.absent, answers.whyAbsent) = (100, "404")
    #expect(answers.certificate().claim == "absent")
    var page = PageSummary(purpose: .page, ordinal: 1, cursor: .start, next: nil)
    page.counts.new = 1
    answers.note(page)
    let certificate = answers.certificate()
    #expect(certificate.claim == "failed")
    #expect(certificate.why == "100 requests in a row: 404; the others are left for a later run")
  }

  @Test("claims what a list of this one page would claim")
  func same() throws {
    let signs =
      [[]] + UnreadSign.Kind.allCases.map { [UnreadSign("x", $0, "true", number: 25)] }
    for trust in [nil, Total.Trust.counted, .steady, .estimate] {
      for cap in [nil, Cap(at: 20, doubt: 19, expected: nil)] {
        let list = try Self.stream(trust, cap, isDeclared: true)
        let one = try Self.stream(trust, cap, isDeclared: true, batch: 1)
        for total in [nil, 0, 7, 20, 30, 500] {
          for received in [2, 7, 20, 500] {
            for signs in signs {
              let page = ScriptPage(0..<received, total: total).with(signs)
              let alone = try walk(list) { _ in .page(page) }.certificate
              let claim = Self.claim(received, total: total, signs, of: one)
              #expect(
                claim == alone.claim,
                "\(received) of \(total ?? -1), \(trust as Any), \(signs): \(alone.why)")
            }
          }
        }
      }
    }
  }

  @Test("of no more records than were requested has no page behind it, whatever it says of pages")
  func asked() throws {
    for kind in [UnreadSign.Kind.unclear, .cursor, .page] {
      for received in 1...9 {
        let stream = try Self.stream(isDeclared: true, batch: 5)
        let claim = Self.claim(received, [UnreadSign("x", kind, "9", number: 9)], of: stream)
        #expect(claim == (received > 5 ? "unproven" : "complete"))
      }
    }
  }

  @Test(
    "of more records than were requested is whole only if its job, or a counted total, says so")
  func more() throws {
    for batch in [1, 5, 20] {
      for isDeclared in [false, true] {
        for isCounted in [false, true] {
          let stream = try Self.stream(
            isCounted ? .counted : nil, isDeclared: isDeclared, batch: batch)
          for received in 1...120 {
            let isOpen = !isDeclared && !isCounted && received > batch
            let claim = Self.claim(received, total: isCounted ? received : nil, of: stream)
            #expect(claim == (isOpen ? "unproven" : "complete"), "\(received), \(batch)")
          }
        }
      }
    }
  }

  @Test(
    "is no record where its key comes from the request and it has nothing that the columns read",
    arguments: [
      (#"{"status":"down","message":"back soon"}"#, false), (#"{"ok":false}"#, false),
      (#"{"owner":{"error":"x"}}"#, false), (#"[{"error":"x"}]"#, false),
      ("{}", true), (#"{"stars":null,"ok":true}"#, true), (#"{"stars":1,"error":"x"}"#, true),
      (#"{"owner":null,"ok":true}"#, true), (#"{"owner":{},"ok":true}"#, true),
      (#"{"facts":[{"is":"old"}],"ok":true}"#, true), (#"{"tags":[],"ok":true}"#, true),
      (#"[{"error":"x"},{"stars":1}]"#, true), ("[]", true), (#"{"added":1,"ok":true}"#, true),
    ])
  func message(body: String, isRecord: Bool) throws {
    var stream = try Self.stream(isDeclared: true)
    stream.records = try JSONPath(".")
    let read = try ["stars", "owner.name", "facts[is=new].at"].map { try JSONPath($0) }
    stream.columns =
      [Column(name: "id", source: .parameter("id"))]
      + read.map { Column(name: $0.text, source: .paths([$0])) }
    let added = Column(name: "added", source: .paths([try JSONPath("added")]))
    stream.membership = Membership(table: "lists", columns: [added], keyNames: ["id"])
    stream.children = [try FakeJob.child("tags", at: "tags")]
    let trouble = PageReaderTests.trouble(try FakeJob.read(body, of: stream))
    #expect((trouble == nil) == isRecord && trouble?.isOfAnotherShape != false)
    // A record without its own key is rejected by itself.
    stream.columns[0].source = .paths([try JSONPath("id")])
    #expect(PageReaderTests.trouble(try FakeJob.read(body, of: stream)) == nil)
  }

  @Test(
    "is no record, nor a table of records, where all of it only says how the request went",
    arguments: [
      (".", #"{"error":{"code":429,"message":"Rate limit exceeded"}}"#, false),
      (".", #"{"success":false,"error":"x","data":null,"request_id":"7"}"#, false),
      (".", #"{"status":"error","message":"x"}"#, false),
      (".", #"{"status":"error","progress":7}"#, true),
      (".", #"{"status":"ok","message":"success"}"#, true),
      (".", #"{"success":12,"error":3}"#, true), (".", #"{"error":null}"#, true),
      ("*", #"{"error":{"code":429,"message":"Rate limit exceeded"}}"#, false),
      ("*", #"{"error":{"message":"x"},"btc":{"usd":1}}"#, true),
      ("*", #"{"error":{"count":3},"warning":{"count":9}}"#, true),
    ])
  func nothingElse(records: String, body: String, isRecord: Bool) throws {
    var stream = try Self.stream(isDeclared: true)
    stream.records = try JSONPath(records)
    stream.takesAll = true
    stream.columns = [Column(name: "id", source: records == "*" ? .memberName : .parameter("id"))]
    let trouble = PageReaderTests.trouble(try FakeJob.read(body, of: stream))
    #expect((trouble == nil) == isRecord && trouble?.isOfAnotherShape != false)
    // Unless the job says that it is.
    for name in records == "." ? ["error", "status"] : [] {
      stream.columns.append(Column(name: name, source: .paths([try JSONPath(name)])))
    }
    if records == "*" { stream.unread = [["error"]] }
    #expect(PageReaderTests.trouble(try FakeJob.read(body, of: stream)) == nil)
  }
}
