import Glibc
import TestSupport
import Testing

@Suite("The memory of a run, which holds a key", .prompt)
struct PrivateMemoryTests {
  /// The /proc files of a process that only root may read belong to root, and it leaves no core.
  @Test("is no other process's to read, and no core's")
  func isPrivate() async throws {
    let silent = ScriptedServer { _ in [.hold] }
    defer { silent.stop() }
    let home = Home()
    chmod(home.scratch.path, 0o777)
    let job = home.write(Shelf.job(base: silent.origin), to: "shelf.json5")
    // Root's own processes belong to root either way.
    let someone = getuid() == 0 ? ["--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let program = "\(BinaryRun.products)/trawl"
    let run = BinaryRun(
      "/usr/bin/setpriv", someone + [program, "run", job, "--data", home.data],
      environment: home.environment)
    let other = BinaryRun("/usr/bin/setpriv", someone + ["/bin/sleep", "600"])
    defer {
      run.kill()
      other.kill()
    }
    try await until("the program keeps its memory private") {
      Self.isRunning("trawl", run.processID) && Self.owner(run.processID) == 0
    }
    try await until("another program runs") { Self.isRunning("sleep", other.processID) }
    #expect(Self.owner(other.processID) == (getuid() == 0 ? 65534 : getuid()))
    run.kill()
    other.kill()
    _ = await (run.end(), other.end())
  }

  private static func isRunning(_ name: String, _ process: pid_t) -> Bool {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/\(process)/exe", &buffer, buffer.count - 1)
    let path = String(
      decoding: buffer[..<max(count, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.hasSuffix(name)
  }

  private static func owner(_ process: pid_t) -> uid_t? {
    var facts = stat()
    return stat("/proc/\(process)/status", &facts) == 0 ? facts.st_uid : nil
  }
}
