import Dispatch
import Glibc
import Base
import Store
import Testing

@Suite("Who holds a job's lock")
struct KernelLockTests {
  /// The kernel's table is read in pieces, and continued by position when it changes between two.
  @Test("is seen each time, however many other locks come and go meanwhile")
  func busyTable() throws {
    let fixture = Fixture()
    let folder = try fixture.folder
    let lock = try #require(try JobLock.take("people", in: folder))
    let isOver = Locked(false)
    let churning = DispatchGroup()
    DispatchQueue(label: "churn").async(group: churning) {
      while !isOver.withLock({ $0 }) {
        let files = (0..<150).map { number in
          let path = "\(folder.path)/other-\(number)"
          let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
          flock(file, LOCK_EX)
          return file
        }
        // From the front, so that later ones move up while the table is read.
        for file in files { close(file) }
      }
    }
    var seen = 0
    let looks = 400
    for _ in 0..<looks where JobLock.runner(of: "people", in: folder) == Int(getpid()) {
      seen += 1
    }
    isOver.withLock { $0 = true }
    churning.wait()
    #expect(seen == looks)
    withExtendedLifetime(lock) {}
  }
}
