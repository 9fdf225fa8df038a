import Base
import Testing

@Suite("A walk whose answers come from a cache")
struct OldAnswerTests {
  private static let old = [UnreadSign("Age", .old, "300 s")]

  @Test("page 1 again from a cache confirms nothing")
  func closing() throws {
    for age in [[], Self.old] {
      let certificate = try SignRuleTests.tokens([], closing: age)
      #expect(certificate.verdict == (age.isEmpty ? .complete : .unproven))
      #expect(age.isEmpty || certificate.why.contains("came from a cache that has it for 300 s"))
    }
  }

  @Test("a look at the last page from a cache is none")
  func look() throws {
    for age in [[], Self.old] {
      let certificate = try walk(FakeJob.stream(.link)) { step in
        .page(ChainRuleTests.linked(step, of: 3).with(step.purpose == .lastPage ? age : []))
      }.certificate
      #expect(certificate.verdict == (age.isEmpty ? .complete : .unproven), "\(certificate.why)")
    }
  }

  @Test("a page from a cache that had it before the walk began denies every proof, counted or not")
  func middle() throws {
    for trust in [nil, Total.Trust.counted, .steady] {
      for page in 2...3 {
        let certificate = try walk(FakeJob.stream(.link, total: trust)) { step in
          var answer = ChainRuleTests.linked(step, of: 3)
          (answer.total, answer.last) = (240, nil)
          answer.signs = step.purpose == .page && step.ordinal == page ? Self.old : []
          return .page(answer)
        }.certificate
        #expect(certificate.verdict == .unproven)
        #expect(certificate.why.contains("page \(page) came from a cache"), "\(certificate.why)")
      }
    }
  }

  @Test("pages that are older than the answer before them deny what rests on their order in time")
  func older() throws {
    for (trust, proof) in [(nil, nil), (Total.Trust.counted, ProofKind.counted)] {
      for purpose in [Step.Purpose.page, .closingCheck] {
        let certificate = try walk(FakeJob.stream(FakeJob.token(), total: trust)) { step in
          let isFirst = step.ordinal == 1
          var page = ScriptPage(
            isFirst ? 1...100 : 101...137, total: 137, next: isFirst ? .token("t") : nil)
          let isOlder = purpose == step.purpose && (purpose == .closingCheck || !isFirst)
          page.signs = isOlder ? [UnreadSign("Age", .older, "5 s")] : []
          return .page(page)
        }.certificate
        #expect(certificate.proof == proof, "\(certificate.why)")
        if purpose == .page { #expect(certificate.pattern == nil, "no night may rest on it") }
      }
    }
  }

  @Test("page 1 from a cache is requested again, past it, and the walk goes on from there")
  func oneAnswer() throws {
    for again in [1...30, 1...31] {
      var requests = 0
      let (run, certificate, _) = try walk(FakeJob.stream(.single, isOnePage: true)) { _ in
        requests += 1
        let isAgain = requests > 1
        return .page(ScriptPage(isAgain ? again : 1...30).with(isAgain ? [] : Self.old))
      }
      #expect(run.requests.count == 2 && certificate.distinctKeys == again.count)
      #expect(certificate.proof == .oneAnswer, "\(certificate.why)")
    }
  }

  @Test("one answer of a cache that lets nobody past is unproven, and costs no third request")
  func stubborn() throws {
    let (run, certificate, _) = try walk(FakeJob.stream(.single, isOnePage: true)) { _ in
      .page(ScriptPage(1...30).with(Self.old))
    }
    #expect(run.requests.count == 2 && certificate.verdict == .unproven)
    #expect(certificate.why.contains("page 1 came from a cache"), "\(certificate.why)")
  }
}
