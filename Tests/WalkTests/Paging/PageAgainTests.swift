import Base
@testable import Walk
import Testing

/// Some APIs repeat the last page, or page 1, for pages after the end.
@Suite("A page that comes again behind the last one")
struct PageAgainTests {
  private static let pages = [Array(1...10), Array(11...20), Array(21...30), Array(31...40)]

  /// - Parameter again: the page that is returned after this many pages.
  private static func outcome(
    _ count: Int = 4, again: Int, last: Int = 10, memory: WalkMemory = WalkMemory(),
    total: Total.Trust? = nil, says: Int? = nil
  ) throws -> (run: WalkRun, certificate: Certificate) {
    var pages = Array(Self.pages.prefix(count))
    pages[count - 1] = Array(pages[count - 1].prefix(last))
    let stream = try FakeJob.stream(FakeJob.number, size: 10, total: total, isAsked: false)
    let (run, certificate, _) = try walk(stream, memory: memory) { step in
      let page = step.ordinal <= count ? pages[step.ordinal - 1] : pages[again - 1]
      return .page(ScriptPage(page, total: says))
    }
    return (run, certificate)
  }

  @Test(
    "is an end that is not shown, and no move: three walks over 40 hours prove it",
    arguments: [1, 4], [3, 10])
  func behind(again: Int, last: Int) throws {
    let (run, first) = try Self.outcome(again: again, last: last)
    #expect(first.claim == "unproven" && !first.hasMoved && first.distinctKeys == 30 + last)
    let what = again == 1 ? "are page 1 again" : "repeat it"
    #expect(first.why.hasPrefix("pages behind page 4 \(what)"), "\(first.why)")
    #expect(first.why.contains("for 40 hours prove it"))
    #expect(run.requests.count == 6)
    var memory = WalkMemory(pattern: first.pattern, hasSeenMore: true)
    #expect(first.pattern != nil)
    let second = try Self.outcome(again: again, last: last, memory: memory).certificate
    #expect(second.claim == "unproven")
    memory.isPatternOld = true
    let third = try Self.outcome(again: again, last: last, memory: memory).certificate
    #expect(third.claim == "complete" && third.proofs == [.twice], "\(third.why)")
    let other = try Self.outcome(3, again: 3, memory: memory).certificate
    #expect(other.claim == "unproven", "another list than before")
  }

  @Test("behind page 1 says that the API ignores the number, unless it was seen to heed it")
  func first() throws {
    let (_, certificate) = try Self.outcome(1, again: 1)
    #expect(certificate.claim == "incomplete (unread)")
    #expect(
      certificate.why.hasPrefix("page 2 is page 1 again: the API ignores \"page\" (pages.to)"),
      "\(certificate.why)")
    var memory = WalkMemory(pattern: certificate.pattern)
    memory.isPatternOld = true
    #expect(try Self.outcome(1, again: 1, memory: memory).certificate.verdict == .incomplete)
    memory = WalkMemory(hasSeenMore: true)
    #expect(try Self.outcome(1, again: 1, memory: memory).certificate.verdict == .unproven)
  }

  @Test("is such an end where pages overlap in other sizes, too; later walks do without these")
  func sized() throws {
    let stream = try FakeJob.stream(FakeJob.number, size: 25)
    var memory = WalkMemory(hasSeenMore: true)
    for night in 1...3 {
      var walker = Walker(try FakeJob.builder(stream), memory: memory)
      var run = WalkRun()
      try run.drive(&walker) { step in
        var (page, size) = (step.cursor.lastNumber, 25)
        if case .number(let number) = step.cursor { page = number }
        if case .sized(let number, let own) = step.cursor { (page, size) = (number, own) }
        let begin = min(page - 1, 56 / size) * size
        return .page(ScriptPage(begin..<min(57, begin + size)))
      }
      let certificate = try #require(run.certificate)
      #expect(certificate.claim == (night == 3 ? "complete" : "unproven"), "\(certificate.why)")
      #expect(certificate.distinctKeys == 57 && !certificate.hasMoved)
      #expect(night == 1 || run.requests.count == 5, "\(run.requests)")
      memory.pattern = certificate.pattern
      memory.isPatternOld = night == 2
      memory.sizesHold = walker.sizesHold ?? memory.sizesHold
    }
  }

  @Test("with a counted total beyond what came is short of it, and proven by one that is reached")
  func counted() throws {
    let short = try Self.outcome(again: 4, total: .counted, says: 60).certificate
    #expect(short.claim == "incomplete (count)", "\(short.why)")
    let whole = try Self.outcome(again: 4, total: .counted, says: 40).certificate
    #expect(whole.claim == "complete" && whole.rule == .countedTotal)
    let one = try Self.outcome(1, again: 1, total: .counted, says: 10).certificate
    #expect(one.claim == "unproven" && !one.hasMoved, "\(one.why)")
    #expect(one.why.contains("page 2 is page 1 again"), "\(one.why)")
  }

  @Test("is no end where the answers say that more follow")
  func more() throws {
    let stream = try FakeJob.stream(FakeJob.number, size: 10, more: true, isAsked: false)
    let (_, certificate, _) = try walk(stream) { step in
      .page(ScriptPage(Self.pages[min(step.ordinal, 4) - 1], more: true))
    }
    #expect(certificate.claim == "incomplete (count)", "\(certificate.why)")
  }

  @Test("is a move where another record is in it, or where the list goes on behind it")
  func moved() throws {
    let stream = try FakeJob.stream(FakeJob.number, size: 10, isAsked: false)
    for pages in [
      [Array(1...10), Array(11...20), Array(12...20) + [1], Array(12...20) + [1]],
      [Array(1...10), Array(11...20), Array(11...20), Array(21...30), []],
      [Array(1...10), Array(11...20), Array(11...20), []],
    ] {
      let (_, certificate, _) = try walk(stream) { step in
        .page(ScriptPage(step.purpose == .closingCheck ? pages[0] : pages[step.ordinal - 1]))
      }
      #expect(certificate.claim == "incomplete (moved)", "\(pages): \(certificate.why)")
    }
  }
}
