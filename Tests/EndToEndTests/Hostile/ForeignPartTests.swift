import Glibc
import TestSupport
import Testing

@Suite("A data folder of which a part is somebody else's", .prompt)
struct ForeignPartTests {
  private let home = Home()

  @Test(
    "is refused before a request is sent, with the part and the command that mends it",
    .enabled(if: geteuid() == 0, "only root may give a part away"),
    arguments: ["trawl.db", "ledger.db", "locks", "media", "reports"])
  func part(name: String) async throws {
    let server = AnswerServer { call in
      call.target.holds("page=1")
        ? .json(#"{"items":[{"id":1,"title":"One"}]}"#) : .json(#"{"items":[]}"#)
    }
    let job = home.write(
      Shelf.job(base: server.origin, pages: "by: \"number\", to: \"?page\""), to: "shelf.json5")
    await home.trawl("run", job, ends: 0)
    let before = server.calls.count
    await home.shell(
      "mkdir -p \"$D/media\"; chmod -R a+rX \"$HOME\"; chown -R 65534 \"$HOME\"; "
        + "chown 0 \"$D/\(name)\"; setpriv --reuid=65534 --clear-groups --bounding-set=-all "
        + "\"$T\" run \(job) --data \"$D\"", ends: 74, saying: "/\(name) is not yours to write",
      "chown -R 65534 \(home.data)")
    #expect(server.calls.count == before)
  }

  private static let asNobody =
    "setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all \"$T\""

  private func filled() async -> String {
    let server = AnswerServer { _ in .json(#"{"items":[{"id":7654321,"title":"One"}]}"#) }
    let job = home.write(Shelf.job(base: server.origin), to: "shelf.json5")
    await home.trawl("run", job, ends: 0)
    return job
  }

  @Test(
    "is there for whoever may not read it, and each command says so",
    .enabled(if: geteuid() == 0, "only root may become another user"))
  func unreadable() async throws {
    let job = await filled()
    for (mode, told) in [("2750", "you may not look into it"), ("2755", "you may not read it")] {
      for command in ["status", "sql", "search one", "path", "prove", "mcp", "check", "report"] {
        let ended = await home.shell(
          "chmod a+x \"$HOME\" \"$HOME/..\"; chmod 640 \"$D/trawl.db\"; chmod \(mode) \"$D\"; "
            + "\(Self.asNobody) \(command) --data \"$D\" < /dev/null", ends: 74)
        let all = ended.everything
        #expect(all.holds("is there, but \(told)") && all.holds("--data DIR"), "\(command): \(all)")
      }
    }
    let look = "\"$D/trawl.db\"; \(Self.asNobody) status --data \"$D\""
    await home.shell("chgrp 4321 \(look)", ends: 74, saying: "sudo usermod -aG 4321")
    await home.shell(
      "chmod 600 \(look)", ends: 74, saying: "it may be read by its owner", without: "usermod")
    await home.shell("chgrp 0 \"$D/trawl.db\"", ends: 0)
    await home.shell(
      "mkdir -m 777 \"$HOME/tmp\"; TMPDIR=\"$HOME/tmp\" \(Self.asNobody) check \(job) --offline "
        + "--data \"$D\" < /dev/null",
      showing: "could not be read: \(home.data)/trawl.db is there")
    await home.shell(
      "mkdir -m 755 \"$HOME/closed\"; \(Self.asNobody) check --offline --data \"$HOME/closed/in\"",
      ends: 73, showing: "cannot be made: no permission to write in \(home.scratch.path)/closed")
  }

  @Test(
    "keeps a record that a file there names, until the file can be removed",
    .enabled(if: geteuid() == 0, "only root may become another user"),
    arguments: [
      ("feeds/shelf", "755", "cannot be removed"), ("feeds/shelf", "700", "cannot be read"),
      ("alerts", "755", "cannot be removed"),
    ])
  func naming(part: String, mode: String, told: String) async throws {
    _ = await filled()
    let name = part.hasPrefix("alerts") ? "told" : "news.xml"
    let command = "\(Self.asNobody) forget shelf_books 7654321 --data \"$D\" 2>&1"
    func reports() async -> String { await home.shell("cat \"$D\"/reports/shelf/*").output }
    let before = await reports()
    await home.shell(
      "mkdir -p \"$D/\(part)\"; cd \"$D\"; echo 7654321 > \(part)/\(name); chmod -R a+rX \"$HOME\"; "
        + "chown -R 65534 .; chown -R 0 \(part); chmod \(mode) \(part); \(command)",
      ends: 74, showing: told, "/\(part)", without: "forgotten:")
    #expect(try home.count("shelf_books") == 1)
    #expect(await reports() == before, "nothing is forgotten yet")
    let done = await home.shell("chown -R 65534 \"$D\"; \(command); ls \"$D/\(part)\"")
    #expect(done.output.holds("forgotten:") && !done.output.holds(name), "\(done.output)")
    #expect(try home.count("shelf_books") == 0)
  }

  @Test(
    "keeps no record for what Trawl does not write, and finds it in a report that was cut off",
    .enabled(if: geteuid() == 0, "only root may become another user"))
  func foreign() async throws {
    _ = await filled()
    await home.shell(
      """
      cd "$D"; rm -rf alerts; mkdir -p feeds/lost+found feeds/shelf/.git feeds/other
      echo '{"half": "7654321' | tee reports/shelf/20200101T000000Z.json > reports/shelf/20200101T000000Z.html
      mkfifo feeds/shelf/pipe; touch alerts; chmod -R a+rX "$HOME"; chown -R 65534 .
      for part in feeds/lost+found feeds/shelf/.git feeds/shelf/pipe; do chown 0 $part; chmod 700 $part; done
      \(Self.asNobody) forget shelf_books 7654321 --data "$D" 2>&1; code=$?; ls reports/shelf; exit $code
      """, ends: 0, showing: "forgotten:", without: "20200101T000000Z")
    #expect(try home.count("shelf_books") == 0)
  }

  @Test(
    "is never advised to be given away where others work with it",
    .enabled(if: geteuid() == 0, "only root may become another user"))
  func notGiven() async throws {
    let job = await filled()
    for command in ["run \(job)", "favorite add shelf 8"] {
      await home.shell(
        "chmod -R a+rX \"$HOME\"; \(Self.asNobody) \(command) --data \"$D\"", ends: 74,
        saying: "is not yours to write", "run it as user 0", without: "chown")
    }
    #expect(try home.count("trawl_favorites") == 0)
    await home.shell(
      "chmod -R a+rX \"$HOME\"; \(Self.asNobody) run \(job) --data /nonexistent/trawl", ends: 73,
      without: "chown")
  }
}
