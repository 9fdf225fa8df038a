import Glibc
import TestSupport
import Testing

@testable import Store

@Suite("A data folder of somebody else")
struct FolderRefusalTests {
  @Test("is refused with its owner, the user, and the command that mends it")
  func cure() {
    let words = DataFolder.cure("/data", owner: 0, user: 65532)
    #expect(words.hasPrefix("/data belongs to user 0, and this runs as user 65532: `chown 65532`"))
    #expect(words.contains("`--user 0`"))
  }

  @Test("is refused before anything is written, also where a part of it alone is somebody else's")
  func parts() {
    let words = DataFolder.sentence(in: "/data", owner: 0, user: 65532)
    #expect(words.hasPrefix("it belongs to user 0, and this runs as user 65532: "))
    #expect(words.contains("`chown -R 65532 /data`"))
    #expect(DataFolder.sentence(in: "/data", owner: 7, user: 7).contains("chmod -R u+rwX"))
  }

  @Test(
    "is refused until its user may write all of it", .enabled(if: geteuid() != 0),
    arguments: ["trawl.db", "locks"])
  func permissions(part: String) throws {
    let scratch = ScratchFolder()
    let path = "\(scratch.path)/\(part)"
    #expect(part == "locks" ? mkdir(path, 0o500) == 0 : close(creat(path, 0o400)) == 0)
    #expect(throws: StoreError.self) { try DataFolder(creating: scratch.path) }
    chmod(path, 0o700)
    _ = try DataFolder(creating: scratch.path)
  }
}
