import Base
import Dispatch
import Glibc
import TestSupport
import Testing

@Suite("A file that is put in place whole")
struct AtomicFileTests {
  private let scratch = ScratchFolder()
  private var path: String { "\(scratch.path)/file" }

  private func mode(_ path: String) -> mode_t {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_mode & 0o777 : 0
  }

  private func put(_ text: String, mode: UInt32 = 0o640, keepsMode: Bool = true) throws {
    let file = try AtomicFile(path, mode: mode, keepsMode: keepsMode)
    try file.write(Array(text.utf8))
    try file.place()
  }

  @Test("has no name before it is whole, replaces what was there, and leaves nothing beside it")
  func whole() throws {
    try put("old")
    let file = try AtomicFile(path)
    try file.write(Array("new".utf8))
    #expect(Golden.read(path) == "old" && Golden.read(path + ".partial") == "new")
    try file.place()
    #expect(Golden.read(path) == "new" && ScratchFolder.names(in: scratch.path) == ["file"])
  }

  @Test("goes away where it is given up, and what was there stays")
  func givenUp() throws {
    try put("old")
    try AtomicFile(path).write(Array("half".utf8))
    #expect(Golden.read(path) == "old" && ScratchFolder.names(in: scratch.path) == ["file"])
  }

  @Test("has the rights it is given, whatever the umask; one that is replaced keeps its own")
  func rights() throws {
    try put("a", mode: 0o666)
    #expect(mode(path) == 0o666)
    try put("b", mode: 0o600)
    #expect(mode(path) == 0o666)
    try put("c", mode: 0o600, keepsMode: false)
    #expect(mode(path) == 0o600)
  }

  @Test("is written by one at a time; who comes second waits, or is told")
  func alone() async throws {
    let first = Locked<AtomicFile?>(try AtomicFile(path))
    let failure = #expect(throws: FileFailure.self) { try AtomicFile(path) }
    #expect(failure?.action == .wait)
    #expect(failure?.words == "another process is writing it just now")
    let place = path
    let second = Locked<Result<Void, any Error>?>(nil)
    // On its own thread, since it blocks.
    DispatchQueue.global().async {
      let outcome = Result {
        let file = try AtomicFile(place, waiting: .seconds(300))
        try file.write(Array("second".utf8))
        try file.place()
      }
      second.withLock { $0 = outcome }
    }
    // Usually it has begun to wait by then; if not, the test is still right.
    try await Task.sleep(for: .milliseconds(50))
    try first.withLock { file in
      try file?.write(Array("first".utf8))
      try file?.place()
      file = nil
    }
    try await until("the second is written") { second.withLock { $0 != nil } }
    try second.withLock { try $0?.get() }
    #expect(Golden.read(path) == "second" && ScratchFolder.names(in: scratch.path) == ["file"])
  }

  @Test("that was killed leaves a draft, which the next one takes away and never goes on with")
  func killed() async throws {
    let place = path
    await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as String] in
      let file = try AtomicFile(place)
      try file.write(Array("a long half".utf8))
      try file.place(FaultPoint { if $0 == .beforeDraftRename { kill(getpid(), SIGKILL) } })
    }
    #expect(Golden.read(path) == nil && Golden.read(path + ".partial") == "a long half")
    // A second name of the draft: its bytes are not touched.
    #expect(link(path + ".partial", path + ".other") == 0)
    try put("whole")
    #expect(Golden.read(path) == "whole" && Golden.read(path + ".partial") == nil)
    #expect(Golden.read(path + ".other") == "a long half")
  }

  @Test("says what the system refuses: of the draft, of the name, of the bytes")
  func refused() throws {
    let folder = #expect(throws: FileFailure.self) { try AtomicFile("\(scratch.path)/no/file") }
    #expect(folder?.action == .open && folder?.words == "No such file or directory")
    #expect(symlink("elsewhere", path + ".partial") == 0)
    #expect(throws: FileFailure.self) { try AtomicFile(path) }
    #expect(unlink(path + ".partial") == 0 && mkdir(path, 0o700) == 0)
    let name = #expect(throws: FileFailure.self) { try put("a") }
    #expect(name?.action == .place && name?.code == EISDIR)
    let bytes = #expect(throws: FileFailure.self) { try AtomicFile.write([1], to: -1) }
    #expect(bytes?.action == .write && bytes?.code == EBADF)
  }

  @Test(
    "lies in the folder that its path names",
    arguments: [("a/b", "a"), ("/a", "/"), ("a", "."), ("/a/b/c", "/a/b")])
  func folder(path: String, folder: String) {
    #expect(AtomicFile.folder(of: path) == folder)
  }
}
