import Base
import Testing

@Suite("What to do next")
struct NextStepsTests {
  private func steps(
    _ kinds: Set<RunOutcome.Kind>, _ lists: [NextSteps.List] = [], rejects: Int = 0
  ) -> [NextStep] {
    NextSteps(job: "things", kinds: kinds, lists: lists, rejects: rejects).all
  }

  private func list(
    _ name: String, _ verdict: Verdict, _ cause: Shortfall? = nil, isAsDeclared: Bool = false
  ) -> NextSteps.List {
    NextSteps.List(
      name: name, verdict: verdict, cause: cause, isAsDeclared: isAsDeclared, resumesAt: nil)
  }

  @Test("says something of each way to end but a success", arguments: RunOutcome.Kind.allCases)
  func kinds(kind: RunOutcome.Kind) {
    let lists =
      kind == .failed || kind == .lessThanDeclared
      ? [list("a", kind == .failed ? .failed : .incomplete, .moved)] : []
    let steps = steps([kind], lists)
    #expect(steps.isEmpty == (kind == .asDeclared))
    let heals: Set<RunOutcome.Kind> = [.lessThanDeclared, .paused, .unreachable, .interrupted]
    #expect(steps.contains(where: \.needsPerson) == (!steps.isEmpty && !heals.contains(kind)))
  }

  @Test("says something of each verdict but complete, and of each cause of an incomplete one")
  func verdicts() {
    for verdict in Verdict.allCases where verdict != .complete {
      let kind: RunOutcome.Kind =
        verdict == .failed ? .failed : verdict == .paused ? .paused : .lessThanDeclared
      #expect(!steps([kind], [list("a", verdict)]).isEmpty, "\(verdict)")
    }
    for cause in Shortfall.allCases {
      #expect(!steps([.lessThanDeclared], [list("a", .incomplete, cause)], rejects: 1).isEmpty)
    }
    #expect(steps([.asDeclared], [list("a", .complete, isAsDeclared: true)]).isEmpty)
  }

  @Test("what a person has to do comes first, and has a command to paste")
  func personFirst() {
    let steps = steps([.lessThanDeclared, .secret], [list("a", .incomplete, .moved)], rejects: 3)
    #expect(steps.map(\.needsPerson) == [true, true, false])
    #expect(steps[0].command == "trawl key things")
    #expect(steps[1].command == "trawl run things --retry-rejects")
    #expect(steps[2].sentence == "a changed during the walk: the next run reads it again.")
  }

  @Test("many lists with one verdict are one sentence, which says how many it leaves out")
  func many() {
    let lists = (1...40).map { list("list \($0)", .incomplete, .count) }
    #expect(
      steps([.lessThanDeclared], lists).map(\.sentence) == [
        "list 1, list 2 and 38 more had fewer records than the API counts: the next run reads them again."
      ])
  }
}
