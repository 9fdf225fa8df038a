import Base
@testable import Walk
import Testing

@Suite("A total that may be the length of the page")
struct OwnLengthTests {
  /// A page of five that gives its own length as the total.
  private static func page(_ step: Step, of count: Int) -> ScriptPage {
    var page = PositionServer(count: count).page(step, size: 5)
    page.total = page.keys.count
    return page
  }

  @Test("ends no list behind a full first page")
  func pages() throws {
    for pager in [FakeJob.number, FakeJob.offset] {
      for count in 1...40 {
        let stream = try FakeJob.stream(pager, size: 5, total: .counted, overlaps: true)
        let lying = try walk(stream) { .page(Self.page($0, of: count)) }.certificate
        // The total of an empty page contradicts it, too.
        if count != 5 {
          #expect((lying.verdict == .complete) == (count < 5), "\(count): \(lying.why)")
        }
        let (run, whole, _) = try walk(
          stream, of: PositionServer(count: count, total: count), size: 5)
        #expect(whole.verdict == .complete, "\(count): \(whole.why)")
        if count < 5 { #expect(run.requests.count == 1) }
        if count == 5 { #expect(run.requests.count <= 3) }
      }
    }
  }

  @Test("ends no list behind as many as APIs give, until an answer has counted more than its own")
  func usual() throws {
    for pager in [FakeJob.number, FakeJob.offset] {
      let stream = try FakeJob.stream(pager, size: nil, total: .counted, overlaps: true)
      for (count, isOwn) in [(10, false), (57, false), (57, true)] {
        var memory = WalkMemory()
        for night in 1...2 {
          var walker = Walker(try FakeJob.builder(stream), memory: memory)
          var run = WalkRun()
          try run.drive(&walker) { step in
            var page = PositionServer(count: count, total: count).page(step, size: 10)
            if isOwn { page.total = page.keys.count }
            return .page(page)
          }
          let certificate = try #require(run.certificate)
          #expect(certificate.distinctKeys == count)
          #expect(certificate.verdict == (isOwn ? .unproven : .complete), "\(certificate.why)")
          if count == 10 { #expect((run.requests.count == 1) == (night == 2)) }
          memory.hasSeenMore = walker.signOfMore ?? memory.hasSeenMore
        }
      }
    }
  }

  @Test("is that of the list where the next page is refused, if the API knows its number")
  func refused() throws {
    for (status, size, hasSeenMore, claim) in [
      (404, nil, nil, "complete"), (400, nil, nil, "complete"), (404, 10, nil, "complete"),
      (400, 10, true, "complete"), (400, 10, nil, "failed"),
    ] as [(Int, Int?, Bool?, String)] {
      let stream = try FakeJob.stream(FakeJob.number, size: size, total: .counted)
      let memory = WalkMemory(hasSeenMore: hasSeenMore)
      let certificate = try walk(stream, memory: memory) { step in
        step.ordinal == 1
          ? .page(ScriptPage(1...10, total: 10))
          : .trouble(.init(status == 404 ? .absent : .refused, "HTTP \(status)", status: status))
      }.certificate
      #expect(certificate.claim == claim, "\(status), \(size ?? 0): \(certificate.why)")
    }
  }

  @Test("ends no chain behind a full page, unless a part of it names a next one")
  func chain() throws {
    for (count, isTrue, claim, requests) in [
      (4, true, "complete", 1), (5, true, "complete", 2), (5, false, "unproven", 2),
      (12, false, "unproven", 2),
    ] {
      let stream = try FakeJob.stream(FakeJob.token(), size: 5, total: .counted)
      let (run, certificate, _) = try walk(stream) { step in
        let size = if case .part(_, let part) = step.cursor { part } else { 5 }
        let came = min(size, count)
        let next: Cursor? = isTrue && came < count ? .token("next") : nil
        return .page(ScriptPage(0..<came, total: isTrue ? count : came, next: next))
      }
      #expect(certificate.claim == claim, "\(count): \(certificate.why)")
      #expect(run.requests.count == requests, "\(count): \(run.requests)")
    }
  }

  @Test("is no length of the list where each page has its own, and no ceiling of the API")
  func ofPages() throws {
    for trust in [Total.Trust.counted, .steady] {
      let stream = try FakeJob.stream(FakeJob.number, size: 5, total: trust)
      let certificate = try walk(stream) { .page(Self.page($0, of: 17)) }.certificate
      #expect(certificate.verdict == .unproven && certificate.distinctKeys == 17)
      #expect(
        certificate.why.contains("\"total\" counts the records of each page"), "\(certificate.why)")
    }
  }
}
