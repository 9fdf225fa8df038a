import Base
@testable import Walk
import Testing

@Suite("A walk that is derived again from other answers than its own")
struct ReplayTests {
  /// Of a walk that another run resumed behind its second page.
  private static func rows() throws -> (rows: [Replay.Row], resumed: Int) {
    let server = PositionServer(count: 450, total: 450)
    let stream = try FakeJob.stream(FakeJob.number, total: .counted)
    let rows = try ResumeTests.twoRuns(stream, commits: 2) { step, _ in
      .page(server.page(step, size: 100))
    }.run.rows
    #expect(WalkRun.derived(rows).problem == nil)
    return (rows, try #require(rows.lastIndex { $0.handed != nil }))
  }

  @Test("does not begin twice, nor go on behind what is not there, nor behind what it began anew")
  func beginnings() throws {
    let (rows, resumed) = try Self.rows()
    var twice = rows
    twice[resumed].handed?.isResumed = false
    #expect(WalkRun.derived(twice).problem == "its walk begins twice")
    let late = Array(rows[resumed...])
    #expect(
      WalkRun.derived(late).problem
        == "its walk was resumed, and what it had read before is not there")
    var (old, again) = (rows[0], rows[0])
    old.page.signs = [UnreadSign("Age", .old, "an hour")]
    again.handed = nil
    let problem = try #require(WalkRun.derived([old, again]).problem)
    #expect(problem.hasSuffix("its walk began again, and what it read then is not there"))
  }
}
