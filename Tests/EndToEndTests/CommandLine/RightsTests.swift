import TestSupport
import Testing

@Suite("What a run makes", .prompt)
struct RightsTests {
  @Test(
    "is readable by the group, and by nobody else where umask takes everything from groups",
    arguments: [("022", "027", "137"), ("077", "077", "177")])
  func umask(mask: String, foldersLack: String, filesLack: String) async throws {
    let server = AnswerServer { _ in .json("{\"items\":[{\"id\":1,\"title\":\"a\"}]}") }
    defer { server.stop() }
    let home = Home()
    let job = home.write(Shelf.job(base: server.origin, pages: "by: \"single\""), to: "shelf.json5")
    let ended = await home.shell("umask \(mask); \"$T\" run \(job) --data \"$D\"")
    #expect(ended.status == 0, "\(ended.errors)")
    let open = await home.shell(
      "find \"$D\" -type d -perm /\(foldersLack) -o -type f -perm /\(filesLack)")
    #expect(open.status == 0 && open.output == "", "\(open.output)")
    let given = await home.shell("find \"$D/trawl.db\" \"$D/ledger.db\" -perm /040 | wc -l")
    #expect(given.output == (mask == "077" ? "0\n" : "2\n"))
  }
}
