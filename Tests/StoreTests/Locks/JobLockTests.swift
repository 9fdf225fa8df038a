import Dispatch
import Glibc
import Base
import Store
import Testing

@Suite("Who holds a job's lock")
struct JobLockTests {
  @Test("is seen while it is held, and looking turns no run away")
  func looks() throws {
    let fixture = Fixture()
    let folder = try fixture.folder
    let isOver = Locked(false)
    let looking = DispatchGroup()
    DispatchQueue(label: "looks").async(group: looking) {
      while !isOver.withLock({ $0 }) {
        _ = JobLock.runner(of: "people", in: folder)
        // Who looks without a pause holds it half of the time.
        usleep(500)  // so that runs begin both while somebody looks and while nobody does
      }
    }
    for _ in 0..<400 {
      let lock = try #require(try JobLock.take("people", in: folder))
      #expect(JobLock.runner(of: "people", in: folder) == Int(getpid()))
      withExtendedLifetime(lock) {}
    }
    isOver.withLock { $0 = true }
    looking.wait()
    #expect(JobLock.runner(of: "people", in: folder) == nil)
  }
}
