import Glibc
@testable import Store
import TestSupport
import Testing

@Suite("A data folder of somebody else")
struct FolderRefusalTests {
  @Test("is refused with its owner, the user, and the command that mends it")
  func cure() {
    let gift = "chown -R 65532 /data"
    let words = DataFolder.cure("it", "/data", owner: 0, user: 65532, gift: gift)
    #expect(words.hasPrefix("it belongs to user 0, and this runs as user 65532: run it as user 0"))
    #expect(words.contains("`\(gift)`") && words.contains("`--user 0`"))
    let own = DataFolder.cure("it", "/data", owner: 7, user: 7, gift: gift)
    #expect(own.contains("`chmod -R u+rwX /data`"))
    let odd = DataFolder.cure("it", "/it's", owner: 7, user: 7, gift: gift)
    #expect(odd.contains(#"`chmod -R u+rwX '/it'\''s'`"#))
  }

  @Test(
    "is refused until its user may write all of it", .enabled(if: geteuid() != 0),
    arguments: ["trawl.db", "locks"])
  func permissions(part: String) throws {
    let scratch = ScratchFolder()
    let path = "\(scratch.path)/\(part)"
    #expect(part == "locks" ? mkdir(path, 0o500) == 0 : close(creat(path, 0o400)) == 0)
    #expect(try DataFolder(creating: scratch.path).unwritable?.part == path)
    chmod(path, 0o700)
    #expect(try DataFolder(creating: scratch.path).unwritable == nil)
  }
}
