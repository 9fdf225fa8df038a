import Base
import Glibc
import SandboxKit
import TestSupport
import Testing

@Suite("A store that refuses or loses what a command wrote", .prompt)
struct BucketFailureTests {
  private typealias Fault = @Sendable (String) -> BucketServer.Fault?

  /// A bucket after one good run, and what fails from now on.
  private func synced() async throws -> (
    sandbox: Sandbox, server: BucketServer, fault: Locked<Fault>, machine: Machine
  ) {
    let sandbox = try Sandbox.small(followers: 10)
    let fault = Locked<Fault> { _ in nil }
    let server = BucketServer { name in fault.withLock { $0 }(name) }
    let machine = Machine(server)
    await machine.sync(sandbox, ends: 0)
    return (sandbox, server, fault, machine)
  }

  private static func refusing(_ start: String, _ status: Int, _ code: String) -> Fault {
    { $0.hasPrefix(start) ? .status(status, code) : nil }
  }

  @Test(
    "makes no run complete, and other machines find what was there before",
    arguments: [
      (409, "OperationAborted", 69, []), (412, "PreconditionFailed", 78, []),
      (503, "SlowDown", 69, []), (500, "InternalError", 69, ["--json"]),
      (403, "AccessDenied", 77, []), (400, "ExpiredToken", 77, []),
      (507, "InsufficientStorage", 74, []), (400, "XMinioStorageFull", 74, []),
    ] as [(Int, String, Int32, [String])])
  func refusedPieces(status: Int, code: String, ends: Int32, more: [String]) async throws {
    let (sandbox, server, fault, machine) = try await synced()
    let before = await machine.rows("SELECT count(*) FROM github_users")
    let reports = server.keys("team/github/reports/")
    fault.withLock { $0 = Self.refusing("PUT team/github/pieces/trawl.db/", status, code) }
    let told = await machine.sync(sandbox, more, ends: ends).everything
    #expect(!told.holds("complete") && told.holds("is not in \(Machine.data)"), "\(told)")
    #expect(server.keys("team/github/reports/") == reports)
    fault.withLock { $0 = { _ in nil } }
    let other = Machine(server)
    #expect(await other.rows("SELECT count(*) FROM github_users") == before)
    await other.sync(sandbox, ends: 0)
  }

  @Test(
    "has nothing of a command that failed: it is not reported as done, and done when it is run again",
    arguments: [
      (["forget", "github_users"], "forgotten:\n"), (["favorite", "add", "github_users"], "added"),
      (["reset", "records", "github", "--yes"], "forgotten:\n"),
    ])
  func undone(words: [String], done: String) async throws {
    let (sandbox, server, fault, machine) = try await synced()
    let key = await machine.rows("SELECT min(id) FROM github_users").first ?? ""
    let command = words.last == "github_users" ? words + [key] : words
    fault.withLock { $0 = Self.refusing("PUT team/github/pieces/trawl.db/", 503, "SlowDown") }
    let told = await machine.run(command, ends: 69).everything
    #expect(!told.holds(done) && told.holds("is not in \(Machine.data)"), "\(told)")
    fault.withLock { $0 = { _ in nil } }
    await Machine(server).sync(sandbox, ends: 0)
    if words[0] == "forget" {
      let told = await machine.run(["forget"], ends: 0).everything
      #expect(told.holds("is discarded") && told.holds("no record is marked"), "\(told)")
    }
    let again = await machine.run(command, ends: 0)
    #expect(again.everything.holds(done), "\(again)")
    if words[0] != "forget" { #expect(again.errors.holds("is discarded"), "\(again.errors)") }
    let reader = Machine(server)
    switch words[0] {
    case "forget":
      #expect(await reader.rows("SELECT count(*) FROM github_users WHERE id = \(key)") == ["0"])
    case "favorite":
      #expect(await reader.run(["favorite", "list"], ends: 0).output.holds(key))
    default: await reader.run(["sql", "SELECT id FROM github_users"], ends: 64)
    }
  }

  @Test("that removes nothing holds what was forgotten, until it is told again to forget")
  func refusedRemovals() async throws {
    let (sandbox, server, fault, machine) = try await synced()
    let key = await machine.rows("SELECT min(id) FROM github_users").first ?? ""
    let before = server.keys("team/github/pieces/trawl.db/")
    fault.withLock { $0 = Self.refusing("DELETE team/github/pieces/", 403, "AccessDenied") }
    let told = await machine.run(["forget", "github_users", key], ends: 77).everything
    #expect(told.holds("still hold what was forgotten: trawl forget"), "\(told)")
    #expect(!told.holds("else of it is left") && !told.holds("no byte"), "\(told)")
    fault.withLock { $0 = { _ in nil } }
    await machine.sync(sandbox, ends: 0)
    #expect(!Set(before).isDisjoint(with: server.keys("team/github/pieces/trawl.db/")))
    await machine.run(["forget"], ends: 0)
    #expect(Set(before).isDisjoint(with: server.keys("team/github/pieces/trawl.db/")))
    #expect(await machine.rows("SELECT count(*) FROM github_users WHERE id = \(key)") == ["0"])
  }

  @Test("and only the reports: a record that they name is forgotten once they no longer do")
  func refusedTraces() async throws {
    let (_, server, fault, machine) = try await synced()
    func naming(_ login: String) -> [String] {
      server.keys("team/github/reports/").filter {
        server.text($0)?.holds("\"\(login)\"") == true
      }
    }
    let all = await machine.rows("SELECT id, login FROM github_users ORDER BY id")
    let user = try #require(
      all.map { $0.split(separator: ",").map(String.init) }.first { !naming($0[1]).isEmpty })
    fault.withLock {
      $0 = { name in
        ["PUT", "DELETE"].contains { name.hasPrefix("\($0) team/github/reports/") }
          ? .status(503, "SlowDown") : nil
      }
    }
    let failed = await machine.run(
      ["forget", "github_users", user[0]], ends: 69, saying: "is not forgotten yet")
    #expect(!failed.output.holds("forgotten:"), "\(failed.output)")
    fault.withLock { $0 = { _ in nil } }
    await machine.run(["forget"], ends: 0)
    let here = "SELECT count(*) FROM github_users WHERE id = \(user[0])"
    #expect(await Machine(server).rows(here) == ["1"])
    await machine.run(["forget", "github_users", user[0]], ends: 0)
    #expect(naming(user[1]) == [])
    #expect(await Machine(server).rows(here) == ["0"])
  }

  @Test("and only the reports: the rows are there, and no report is named that is not")
  func refusedReports() async throws {
    let (sandbox, server, fault, machine) = try await synced()
    let before = server.keys("team/github/reports/")
    fault.withLock { $0 = Self.refusing("PUT team/github/reports/", 503, "SlowDown") }
    let told = await machine.sync(sandbox, ends: 69).everything
    #expect(!told.holds("report s3://") && told.holds("all rows are in \(Machine.data)"), "\(told)")
    #expect(await Machine(server).rows("SELECT count(*) FROM trawl_runs") == ["2"])
    fault.withLock { $0 = { _ in nil } }
    await machine.sync(sandbox, ends: 0)
    #expect(server.keys("team/github/reports/").count == before.count + 4)
  }

  @Test("and only the ledger: no request is sent to the API")
  func refusedLedger() async throws {
    let (sandbox, _, fault, machine) = try await synced()
    sandbox.resetLog()
    fault.withLock { $0 = Self.refusing("PUT team/github/pieces/ledger.db/", 403, "AccessDenied") }
    await machine.sync(sandbox, ends: 77, saying: "does not let the key")
    #expect(sandbox.requests().isEmpty)
  }

  @Test("but lets another machine take the folder over: that one is named, and nothing more is put")
  func fenced() async throws {
    let (sandbox, server, fault, machine) = try await synced()
    let head = "team/github/head"
    fault.withLock {
      $0 = { [server] name in
        guard name.hasPrefix("PUT team/github/pieces/trawl.db/"),
          let parts = server.text(head)?.pieces(around: "\"epoch\":2,"), parts.count == 2
        else { return nil }
        let taken = parts.joined(separator: "\"epoch\":3,").pieces(around: "\"owner\":\"")
        server.replace(head, with: taken.joined(separator: "\"owner\":\"other-"))
        return nil
      }
    }
    let told = await machine.sync(sandbox, ends: 75).everything
    #expect(told.holds("the claim on \(Machine.data) is lost: other-"), "\(told)")
    #expect(!told.holds("complete"), "\(told)")
    #expect(server.text(head)?.holds("\"epoch\":3,") == true)
  }

  @Test("that a rule has emptied is filled again by a machine that has all of it")
  func emptied() async throws {
    let (sandbox, server, _, machine) = try await synced()
    let before = await machine.rows("SELECT count(*) FROM github_users")
    for key in server.keys("team/github/pieces/trawl.db/") { server.remove(key) }
    await Machine(server).run(["status"], ends: 65, saying: "which the head names, is not there")
    await machine.sync(
      sandbox, ends: 0, saying: "does a lifecycle rule of the bucket delete them?")
    #expect(await Machine(server).rows("SELECT count(*) FROM github_users") == before)
  }

  @Test("that was begun anew: what a machine had of it is kept, and where is told")
  func begunAnew() async throws {
    let (sandbox, server, _, machine) = try await synced()
    for key in server.keys("") { server.remove(key) }
    await Machine(server).sync(sandbox, ends: 0)
    let told = await machine.sync(sandbox, ends: 0, saying: "was begun anew, or put back")
    let aside = FolderNames.all(of: machine.cache).first { $0.hasPrefix("before-") } ?? "?"
    #expect(told.errors.holds("is in \(machine.cache)/\(aside)\n"), "\(told.errors)")
    #expect(machine.home.holds("\(machine.cache)/\(aside)/trawl.db"))
  }

  @Test(
    "and only the pictures: no row names one that is not there, and the next run brings them",
    arguments: [(409, 69), (503, 69), (507, 74)] as [(Int, Int32)])
  func refusedPictures(status: Int, ends: Int32) async throws {
    let sandbox = try Sandbox.small(followers: 10)
    let fault = Locked<Fault>(Self.refusing("PUT team/github/media/", status, "ToldToFail"))
    let server = BucketServer { name in fault.withLock { $0 }(name) }
    let machine = Machine(server)
    let ended = await machine.sync(sandbox, ends: ends)
    #expect(!ended.errors.holds("A file could not be written") || ends == 74, "\(ended.errors)")
    let paths = "SELECT path FROM trawl_media ORDER BY path"
    #expect(await machine.rows(paths) == [])
    fault.withLock { $0 = { _ in nil } }
    await machine.sync(sandbox, ends: 0)
    let there = await machine.rows(paths)
    #expect(
      !there.isEmpty && server.keys("team/github/media/") == there.map { "team/github/\($0)" })
  }

  @Test("keeps each picture until its head says that no record needs it")
  func refusedCollection() async throws {
    let (_, server, fault, machine) = try await synced()
    await machine.run(["reset", "records", "github", "--yes"], ends: 0)
    let before = server.keys("team/github/media/")
    try #require(!before.isEmpty)
    fault.withLock { $0 = Self.refusing("PUT team/github/pieces/trawl.db/", 403, "AccessDenied") }
    // The first one may only note since when they are not needed.
    for _ in 0..<2 { await machine.run(["media", "gc", "--grace", "0s"], ends: 77) }
    #expect(server.keys("team/github/media/") == before)
  }

  @Test("does not keep a run from its last program, and gives a watch's no row that it lacks")
  func refusedBeforeHooks() async throws {
    let sandbox = try Sandbox.small(followers: 10)
    let fault = Locked<Fault> { _ in nil }
    let machine = Machine(BucketServer { name in fault.withLock { $0 }(name) })
    let (home, jobs) = (machine.home, "\(machine.home.settings)/trawl/jobs")
    let (told, sent) = ("\(home.scratch.path)/told", "\(home.scratch.path)/sent")
    home.makeFolder(jobs)
    home.write(JobText.unlimited(), to: "\(jobs)/hub.json5")
    home.write(
      """
      {
        name: "folk", use: "hub",
        after: ["sh", "-c", "echo $TRAWL_EXIT_CODE $TRAWL_VERDICTS >> '\(told)'"],
        watch: {
          people: {
            sql: "SELECT id, login AS title FROM folk_users", send: ["sh", "-c", "cat >> '\(sent)'"],
          },
        },
      }
      """, to: "\(jobs)/folk.json5")
    await machine.sync(sandbox, job: "folk", ends: 0)
    sandbox.drift("github", insert: 2, delete: 0)
    fault.withLock { $0 = Self.refusing("PUT team/github/pieces/trawl.db/", 403, "AccessDenied") }
    await machine.sync(sandbox, job: "folk", ends: 77)
    #expect(!home.holds(sent))
    fault.withLock { $0 = { _ in nil } }
    await machine.sync(sandbox, job: "folk", ends: 0)
    let ends = (Golden.read(told) ?? "").split(separator: "\n")
    #expect(ends.count == 3 && ends[0].hasPrefix("0 ") && ends[1] == "77", "\(ends)")
    #expect(home.holds(sent))
  }

  @Test("that loses the head in the midst of a run ends it, with what a person can do")
  func headGoneInRun() async throws {
    let (sandbox, server, fault, machine) = try await synced()
    fault.withLock {
      $0 = { [server] name in
        if name.hasPrefix("PUT team/github/pieces/trawl.db/") { server.remove("team/github/head") }
        return nil
      }
    }
    let told = await machine.sync(sandbox, ends: 65).everything
    #expect(told.holds("head is gone") && told.holds("trawl restore"), "\(told)")
    #expect(!told.holds("complete") && !told.holds("is put") && !told.holds("run it again"))
    #expect(server.keys("team/github/head") == [])
  }

  @Test("that lost the head of the folder is left as it is, and so is what a machine has of it")
  func headGone() async throws {
    let (sandbox, server, _, machine) = try await synced()
    let count = await machine.rows("SELECT count(*) FROM github_users")
    server.remove("team/github/head")
    let before = server.keys("")
    sandbox.resetLog()
    for one in [machine, Machine(server)] {
      await one.sync(sandbox, ends: 65, saying: "head is gone")
      await one.run(["status"], ends: 65)
    }
    #expect(server.keys("") == before && sandbox.requests().isEmpty)
    // As it is advised.
    for key in server.keys("team/github/pieces/") { server.remove(key) }
    let kept = "\(machine.home.scratch.path)/kept"
    #expect(rename(machine.cache, kept) == 0)
    await machine.run(
      ["restore", "\(kept)/work/trawl.db"], ends: 0, showing: "\(Machine.data): restored from")
    await machine.run(
      ["restore", "\(kept)/work/trawl.db", "--replace"], ends: 0,
      saying: "it lies in the cache of this machine alone: move it elsewhere to keep it")
    #expect(await Machine(server).rows("SELECT count(*) FROM github_users") == count)
    await machine.sync(sandbox, ends: 0)
  }

  @Test(
    "is written s3:// and not otherwise, which would be a folder of this machine",
    arguments: ["S3://acme/team", "s3:/acme/team", "gs://acme/team"])
  func slips(data: String) async throws {
    let home = Home()
    for (arguments, more) in [(["--data", data], [:]), ([], ["TRAWL_DATA": data])] {
      for command in [["run", "github"], ["status"], ["favorite", "list"]] {
        await home.run(command + arguments, more, ends: 64, saying: "s3://BUCKET/PATH")
      }
    }
    #expect(!home.holds(data))
  }
}
