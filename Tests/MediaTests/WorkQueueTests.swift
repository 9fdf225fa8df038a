import Glibc
import Base
@testable import Media
import Testing

/// Blocking work on threads of its own.
@Suite struct WorkQueueTests {
  @Test("each index is worked on once", arguments: [0, 1, 2, 63, 64, 1000], [1, 2, 64])
  func once(count: Int, threads: Int) async {
    let seen = Locked([Int](repeating: 0, count: count))
    await WorkQueue(threadsMax: threads).forEach(count) { index in
      seen.withLock { $0[index] += 1 }
    }
    #expect(seen.withLock { $0.allSatisfy { $0 == 1 } })
  }

  @Test("work that waits is done side by side, on as many threads as there are")
  func sideBySide() async {
    // Each waits until all others are there: with one thread less this would never end.
    nonisolated(unsafe) let all = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)
    #expect(pthread_barrier_init(all, nil, 64) == 0)
    let passed = Locked(0)
    await WorkQueue(threadsMax: 64).forEach(64) { _ in
      pthread_barrier_wait(all)
      passed.withLock { $0 += 1 }
    }
    #expect(passed.withLock { $0 } == 64)
    pthread_barrier_destroy(all)
    all.deallocate()
  }
}
