@testable import Base
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

  private func old(_ list: NextSteps.List) -> NextSteps.List {
    var list = list
    (list.isOld, list.isLess) = (true, true)
    return list
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

  @Test("promises another reading only where the job asks for one")
  func readOnce() {
    var once = list("notes id=1", .unproven, isAsDeclared: true)
    once.when = .new
    var news = list("posts", .unproven, isAsDeclared: true)
    news.rule = .lastCompleteRange
    var times = list("talks", .unproven, isAsDeclared: true)
    times.isByTime = true
    let steps = steps(
      [.asDeclared], [once, list("users", .unproven, isAsDeclared: true), news, times])
    #expect(
      steps.map(\.text) == [
        "notes id=1 was read to the end, unproven: no run reads it again (when: \"new\" in the job file).",
        "users was read to the end, unproven: the next run reads it again.",
        "posts, talks were read to the end, unproven: the next runs read what is new, and the rest only to prove it.",
      ])
  }

  @Test("of a range of time says nothing of its list, and what the job file can say of such ranges")
  func ranges() {
    var range = list("posts", .absent, isAsDeclared: true)
    range.isOfRange = true
    let young = steps([.asDeclared], [range])
    #expect(young.map(\.needsPerson) == [false])
    #expect(
      young.map(\.text) == ["posts: a range of time was not found, and is requested again."])
    for verdict in [Verdict.failed, .absent] {
      range.verdict = verdict
      let late = steps([.lessThanDeclared], [old(range)]).first
      #expect(late?.text.contains("then: \"gap\"") == true, "\(verdict)")
      #expect(late?.command == "trawl report things --explain")
    }
    var cut = list("posts", .limited, .ceiling)
    cut.isOfRange = true
    #expect(steps([.failed], [cut]).first?.text.contains("or a range of time") == false)
  }

  @Test("is said of two lists as well as of one")
  func weaker() {
    let late = steps([.lessThanDeclared], ["a", "b"].map { old(list($0, .unproven)) })
    let text = late.first?.text ?? ""
    #expect(text.contains("with less to prove them") && text.contains("), than before; to see"))
  }

  @Test("names the error that may pass beside what the job file has to say, and where to see which")
  func unread() {
    let unread = list("a", .incomplete, .unread)
    let text = steps([.lessThanDeclared], [unread]).first?.text ?? ""
    #expect(text.contains("the API ignores what is sent, or its answers say more"))
    #expect(text.contains("report an error, which may pass"))
    #expect(text.hasSuffix("to see which: trawl check things"), "\(text)")
    #expect(steps([.asDeclared], [old(unread)]).map(\.command) == ["trawl check things"])
  }

  @Test("needs nobody for what heals, until its list is too old; then it says what to run")
  func verdicts() {
    for verdict in Verdict.allCases where verdict != .complete {
      let kind: RunOutcome.Kind = verdict == .paused ? .paused : .lessThanDeclared
      let young = steps([kind], [list("a", verdict)])
      #expect(!young.isEmpty && !young.contains(where: \.needsPerson), "\(verdict)")
      let late = steps([kind], [old(list("a", verdict))])
      #expect(late.first?.needsPerson == true && late.first?.command != nil, "\(verdict)")
    }
    for cause in Shortfall.allCases where ![.ceiling, .outOfReach].contains(cause) {
      let young = steps([.lessThanDeclared], [list("a", .incomplete, cause)], rejects: 1)
      // A column that nearly all rows had filled only heals if somebody acts.
      let isTold = young.contains(where: \.needsPerson)
      #expect(!young.isEmpty && isTold == (cause == .fields), "\(cause)")
      let late = steps([.asDeclared], [old(list("a", .incomplete, cause))])
      #expect(late.first?.needsPerson == true && late.first?.text.contains("a") == true, "\(cause)")
    }
    #expect(steps([.asDeclared], [list("a", .complete, isAsDeclared: true)]).isEmpty)
  }

  @Test("what a person has to do comes first, and has a command to paste")
  func personFirst() {
    // A backfill without a range to fill ends before it looks at rejects.
    let steps = NextSteps(
      job: "things", command: "backfill", kinds: [.lessThanDeclared, .secret],
      lists: [list("a", .incomplete, .moved)], rejects: 3
    ).all
    #expect(steps.map(\.needsPerson) == [true, false, false])
    #expect(steps[0].command == "trawl key things")
    #expect(steps[1].command == "trawl run things --retry-rejects")
    #expect(steps[2].sentence.hasPrefix("a changed during the walk, or pages share records: "))
  }

  @Test("a host that is down is one thing to do, however many lists wait for it")
  func host() {
    let lists = (1...5).map { old(list("list \($0)", .paused)) }
    let steps = steps([.unreachable], lists)
    #expect(steps.count == 1 && steps[0].needsPerson && steps[0].trouble == .host)
    #expect(steps[0].sentence.contains("\"base\""))
  }

  @Test("what many leave at once is told at once, with the number to accept")
  func withheld() {
    var many = list("a", .incomplete, .count)
    many.withheld = 62
    let steps = steps([.asDeclared], [many])
    #expect(steps.map(\.command) == ["trawl run things --accept-vanish 62"])
    #expect(steps[0].needsPerson)
    var one = list("a", .incomplete, .count)
    (one.withheld, one.areTogether) = (1, true)
    #expect(
      self.steps([.asDeclared], [one]).map(\.sentence)
        == ["a: records that were together did not come (1); the next walks decide."])
    // No records came: the API may be down, until this persists.
    many.isEmptied = true
    #expect(self.steps([.asDeclared], [many]).map(\.needsPerson) == [false])
    let late = self.steps([.asDeclared], [old(many)])
    #expect(late.map(\.trouble) == [.empty] && late[0].needsPerson)
    #expect(late.map(\.command) == ["trawl run things --accept-vanish 62"])
  }

  @Test("a key that the API wants and the job file does not declare is a matter of the job file")
  func noAuth() {
    func commands(knowsKey: Bool) -> [String] {
      NextSteps(job: "things", kinds: [.secret], lists: [], knowsKey: knowsKey).all
        .compactMap(\.command)
    }
    #expect(commands(knowsKey: true) == ["trawl key things"])
    #expect(commands(knowsKey: false) == ["trawl check things"])
  }

  @Test("an API at another address is one thing to do, and no slip in the job file")
  func moved() {
    let steps = NextSteps(job: "things", kinds: [.configuration], lists: [], isElsewhere: true).all
    #expect(steps.map(\.command) == ["trawl run things --moved"] && steps[0].needsPerson)
  }

  @Test("claims no change where pages may share records, and names no order for numbered pages")
  func shared() {
    let late = ["a", "b"].map { old(list($0, .incomplete, .moved)) }
    let text = steps([.asDeclared], late).map(\.text).joined()
    #expect(text.contains("a, b changed or were reordered in each walk, or pages share records"))
    #expect(text.contains("unless its pages are numbered (order)"))
  }

  @Test("many lists with one verdict are one sentence, which says how many it leaves out")
  func many() {
    let lists = (1...40).map { list("list \($0)", .incomplete, .count) }
    #expect(
      steps([.lessThanDeclared], lists).map(\.sentence) == [
        "list 1, list 2 and 38 more had a different number of records than the API counts: the next run reads them again."
      ])
  }

  @Test("speaks of several lists in the plural")
  func plural() {
    let late = ["a", "b"].map { name in
      var list = list(name, .complete, isAsDeclared: true)
      list.isOld = true
      return list
    }
    let steps = steps([.asDeclared], late)
    let text = steps.map(\.text).joined()
    #expect(text.contains("a, b have not come through for longer than usual"), "\(steps)")
  }
}
