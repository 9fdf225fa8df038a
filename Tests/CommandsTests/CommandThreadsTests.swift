import CLinux
import Glibc
@testable import Commands
import TestSupport
import Testing

@Suite("The threads of commands", .prompt)
struct CommandThreadsTests {
  @Test("commands that wait for a disk or a terminal keep nothing else from going on")
  func blocked() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(clinux_pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    // More than the pool's threads.
    let count = 2 * max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          await withTaskExecutorPreference(CommandThreads.shared) {
            var byte: UInt8 = 0
            _ = read(reading, &byte, 1)
          }
        }
      }
      // On the pool: releases all of them.
      group.addTask { close(writing) }
    }
    close(reading)
  }
}
