import Base
import Dispatch
import Glibc
import TestSupport
import Testing

@Suite("A lock on a file")
struct FileLockTests {
  private let scratch = ScratchFolder()
  private var path: String { "\(scratch.path)/lock" }

  @Test("is had by one at a time, makes its file, and is free once it is let go of")
  func alone() throws {
    var lock = try FileLock(path, mode: 0o600)
    #expect(lock != nil && lock?.isOn(path) == true)
    #expect(try FileLock(path) == nil)
    #expect(try FileLock(path, .shared, waiting: .milliseconds(30)) == nil)
    lock = nil
    #expect(try FileLock(path) != nil)
  }

  @Test("is had by many that share it, and by none alone meanwhile")
  func shared() throws {
    let locks = [try FileLock(path, .shared), try FileLock(path, .shared, waiting: nil)]
    #expect(locks.allSatisfy { $0 != nil })
    #expect(try FileLock(path) == nil)
  }

  @Test(
    "comes to one that waits, with a bound or without", arguments: [Duration.seconds(300), nil])
  func waits(_ wait: Duration?) async throws {
    let (place, first) = (path, Locked(try FileLock(path)))
    let second = Locked<Result<Bool, any Error>?>(nil)
    // On its own thread, since it blocks.
    DispatchQueue.global().async {
      let outcome = Result { try FileLock(place, waiting: wait) != nil }
      second.withLock { $0 = outcome }
    }
    // Usually the other has begun to wait by then; if not, the test is still right.
    try await Task.sleep(for: .milliseconds(50))
    #expect(second.withLock { $0 == nil })
    first.withLock { $0 = nil }
    try await until("the lock comes") { second.withLock { $0 != nil } }
    #expect(try second.withLock { try $0?.get() } == true)
  }

  @Test("is not on a file that was replaced, and no program that is started inherits it")
  func place() throws {
    let lock = try #require(try FileLock(path))
    #expect(fcntl(lock.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    #expect(unlink(path) == 0 && !lock.isOn(path))
    #expect(try FileLock(path) != nil)
    #expect(!lock.isOn(path))
  }

  @Test("says what the system refuses, and follows no link")
  func refused() throws {
    #expect(symlink("elsewhere", path) == 0)
    let failure = #expect(throws: FileFailure.self) { try FileLock(path) }
    #expect(failure?.action == .open && failure?.code == ELOOP)
    let other = #expect(throws: FileFailure.self) { try FileLock("\(scratch.path)/none/lock") }
    #expect(other?.words == "No such file or directory")
    #expect(throws: FileFailure.self) { try FileLock.take(-1) }
  }
}
