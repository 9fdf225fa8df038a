import Base
import Store
import TestSupport
internal import Testing

@Suite("Who a walk without a proof did not bring")
struct MissingTests {
  let fixture = Fixture()

  private static func job() -> Job {
    .people { job in
      job.streams[1].confirmation = Confirmation(
        Confirmation.Question(
          path: Template([.text("/users/"), .hole("record.login"), .hole("user")])))
    }
  }

  private func gone() throws -> [String] { try fixture.gone("people_follows", "follower_id") }

  /// Walks the list and certifies nothing yet.
  private func walk(
    _ store: RecordStore, _ ids: some Sequence<Int>, _ verdict: Verdict = .unproven,
    cause: Shortfall? = nil, rule: StopRule = .noNextPage, accepting: Int = 0, most: Int = 20,
    trust: Total.Trust? = nil
  ) async throws -> (UnitID, Certificate, MissingRecords?) {
    let (id, receipts) = try await store.store([people(ids)])
    var certificate = Certificate(receipts, verdict: verdict, rule: rule)
    (certificate.cause, certificate.trust) = (cause, trust)
    let missing = try await store.missing(
      id, after: certificate, accepting: accepting, left: most, of: ["followers"])
    return (id, certificate, missing)
  }

  @Test("is marked where the API says of the one record that it is gone, and only then")
  func confirmed() async throws {
    let store = try await fixture.open(Self.job())
    try await store.walk([people(1...5)])
    let tables = ["people_users", "people_follows"]
    let before = try tables.map { try fixture.follow($0).following.next }
    fixture.time.advance(by: .seconds(86_400))
    let (id, certificate, missing) = try await walk(store, [1, 4])
    let records = try #require(missing).records
    #expect(missing?.count == 3 && missing?.withheld == 0)
    #expect(["1", "4"].contains(missing?.controls.first?.name), "one that was just received")
    #expect(records.map(\.name).sorted() == ["2", "3", "5"])
    #expect(records.compactMap { $0.values["login"] }.sorted() == ["u2", "u3", "u5"])
    for record in records { try await store.settle(record, isGone: record.name != "3", of: id) }
    #expect(try gone() == ["2", "5"])
    #expect(try fixture.gone() == ["2", "5"])
    // No walk shows that: the last whole one returned them.
    for (table, cursor) in zip(tables, before) {
      let gone = try fixture.follow(table, after: cursor).rows.filter { $0[0] == .text("gone") }
      #expect(gone.map { $0[2] } == [.null, .null], "\(table)")
    }
    let done = try await store.certifyAnswers(id, certificate)
    #expect(done.vanished == 2 && done.withheld == 0 && done.rows == 3)
    #expect(
      try fixture.one("SELECT vanished FROM trawl_certificates ORDER BY certificate DESC") == "2")
    #expect(try await store.prove().rowsHold)
    // A record that is back is no longer marked.
    try await store.walk([people(1...5)])
    #expect(try gone() == [])
  }

  @Test("is asked for after unproven and where the list moved, and after nothing else")
  func verdicts() async throws {
    let store = try await fixture.open(Self.job())
    try await store.walk([people(1...4)])
    let asked: [(Verdict, Shortfall?, StopRule)] = [
      (.unproven, nil, .noNextPage), (.incomplete, .moved, .noNextPage),
      (.incomplete, .moved, .emptyPage),
    ]
    for (verdict, cause, rule) in asked {
      let missing = try await walk(store, [1], verdict, cause: cause, rule: rule).2
      #expect(missing?.count == 3, "\(verdict) \(rule)")
    }
    let others: [(Verdict, Shortfall?, StopRule)] = [
      (.complete, nil, .noNextPage), (.incomplete, .rejects, .noNextPage),
      (.incomplete, .empty, .noNextPage), (.incomplete, .count, .noNextPage),
      (.unproven, nil, .lastCompleteRange), (.unproven, nil, .errorMeansEnd),
      (.limited, .ceiling, .capReached), (.failed, nil, .failure), (.paused, nil, .limit),
      (.absent, nil, .gone),
    ]
    for (verdict, cause, rule) in others {
      let missing = try await walk(store, [1], verdict, cause: cause, rule: rule).2
      #expect(missing == nil, "\(verdict) \(rule)")
    }
  }

  @Test("is nobody's question where the job names none, or the total is an estimate")
  func undeclared() async throws {
    let store = try await fixture.walked(1...4)
    #expect(try await walk(store, [1]).2 == nil)
    let other = try await fixture.open(Self.job())
    #expect(try await walk(other, [1], trust: .estimate).2 == nil)
  }

  @Test(
    "is withheld when more than 20 rows and more than 30 in a hundred are missing, or all of them",
    arguments: [(100, 69, 31), (100, 70, 0), (60, 40, 0), (60, 39, 21), (3, 0, 3)])
  func bound(present: Int, left: Int, withheld: Int) async throws {
    let store = try await fixture.open(Self.job())
    try await store.walk([people(1...present)])
    fixture.time.advance(by: .seconds(60))
    let shown = (1...present).prefix(left)
    let (id, certificate, missing) = try await walk(store, shown)
    #expect(missing?.withheld == withheld)
    #expect(missing?.records.count == (withheld > 0 ? 0 : min(20, present - left)))
    #expect(missing?.count == (withheld > 0 ? 0 : present - left))
    let done = try await store.certifyAnswers(id, certificate)
    #expect(done.withheld == withheld && done.vanished == 0)
    #expect(try gone() == [])
    // If so many are accepted as gone, they are requested; none is marked without a request.
    let (_, _, accepted) = try await walk(store, shown, accepting: .max)
    #expect(accepted?.withheld == 0 && accepted?.records.count == min(20, present - left))
    #expect(try gone() == [])
  }

  @Test("is asked for in another order by each walk, so that nobody is always the last")
  func order() async throws {
    let store = try await fixture.open(Self.job())
    try await store.walk([people(1...100)])
    var asked: Set<String> = []
    for _ in 0..<6 {
      fixture.time.advance(by: .seconds(86_400))
      let (id, certificate, missing) = try await walk(store, 1...75, most: 5)
      #expect(missing?.count == 25)
      asked.formUnion(missing?.records.map(\.name) ?? [])
      _ = try await store.certifyAnswers(id, certificate)
    }
    #expect(asked.count > 10, "\(asked.sorted())")
  }

  @Test(
    "shares the questions of a run with the lists that are still to come, and takes what they leave"
  )
  func shares() async throws {
    let store = try await fixture.open(Self.job())
    for user in 1...4 { try await store.walk([people(1...100)], values: .user(user)) }
    fixture.time.advance(by: .seconds(86_400))
    let run = try await store.newRun()
    var left = 20
    var shares: [Int] = []
    for (user, count) in zip(1...4, [75, 99, 75, 75]) {
      let (id, receipts) = try await store.store(
        [people(1...count)], values: .user(user), run: run)
      let certificate = Certificate(receipts, verdict: .unproven)
      let missing = try await store.missing(
        id, after: certificate, accepting: 0, left: left, of: ["followers"])
      let asked = missing?.records.count ?? 0
      shares.append(asked)
      left -= asked
      _ = try await store.certifyAnswers(id, certificate)
    }
    #expect(shares == [5, 1, 7, 7])
  }
}
