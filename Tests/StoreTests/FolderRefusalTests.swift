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
}
