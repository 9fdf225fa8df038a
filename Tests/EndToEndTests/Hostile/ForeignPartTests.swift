import Glibc
import TestSupport
import Testing

@Suite("A data folder of which a part is somebody else's", .prompt)
struct ForeignPartTests {
  @Test(
    "is refused before a request is sent, with the part and the command that mends it",
    .enabled(if: geteuid() == 0, "only root may give a part away"),
    arguments: ["trawl.db", "ledger.db", "locks", "media", "reports"])
  func part(name: String) async throws {
    let server = AnswerServer { call in
      call.target.holds("page=1")
        ? .json(#"{"items":[{"id":1,"title":"One"}]}"#) : .json(#"{"items":[]}"#)
    }
    let home = Home()
    let job = home.write(
      Shelf.job(base: server.origin, pages: "by: \"number\", to: \"?page\""), to: "shelf.json5")
    #expect(await home.run(["run", job, "--data", home.data]).status == 0)
    let before = server.calls.count
    let again = await home.shell(
      "mkdir -p \"$D/media\"; chmod -R a+rX \"$HOME\"; chown -R 65534 \"$HOME\"; "
        + "chown 0 \"$D/\(name)\"; setpriv --reuid=65534 --clear-groups --bounding-set=-all "
        + "\"$T\" run \(job) --data \"$D\"")
    #expect(again.status == 74, "\(again.errors)")
    #expect(again.errors.holds("/\(name) is not yours to write"), "\(again.errors)")
    #expect(again.errors.holds("chown -R 65534 \(home.data)"), "\(again.errors)")
    #expect(server.calls.count == before)
  }
}
