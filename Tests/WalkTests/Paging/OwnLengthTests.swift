import Base
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
        let server = PositionServer(count: count, total: count)
        let run = try walk(stream) { .page(server.page($0, size: 5)) }
        #expect(run.certificate.verdict == .complete, "\(count): \(run.certificate.why)")
        if count < 5 { #expect(run.run.requests.count == 1) }
        if count == 5 { #expect(run.run.requests.count <= 3) }
      }
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
