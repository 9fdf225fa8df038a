import Glibc
import Base
@testable import Commands
import SandboxKit
import Store
import TestSupport
import Testing

@Suite("Backup and restore")
struct BackupTests {
  /// After a run.
  private let trial: CommandTrial
  private var backup: String { "\(trial.scratch.path)/backup.db" }
  /// Another data folder.
  private var other: String { "\(trial.scratch.path)/other" }

  init() async throws {
    trial = try CommandTrial()
    let ended = try await trial.run(["run", "github"] + trial.github)
    try #require(ended.status == .complete, "\(ended.errors)")
  }

  private func one(_ path: String, _ sql: String) throws -> String? {
    try Database(path).rows(sql).first
  }

  private func change(_ path: String, _ sql: String) throws {
    let connection = try Connection(path, .readWrite)
    defer { connection.close() }
    try connection.execute(sql)
  }

  /// The total use of all quotas.
  private func spent(_ data: String) throws -> String? {
    try one("\(data)/ledger.db", "SELECT sum(cost) FROM trawl_uses")
  }

  private static let rows = "SELECT group_concat(id || login) FROM github_users"

  @Test(
    "a backup that is cut off or damaged inside is refused as that, and nothing is made for it",
    arguments: ["it is cut off", "it is damaged"])
  func damagedBackup(words: String) async throws {
    try await trial.trawl("backup", backup, ends: .complete)
    if words == "it is cut off" {
      #expect(truncate(backup, 40_000) == 0)
    } else {
      let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'github_users'"
      let root = try #require(try one(backup, sql).flatMap { Int($0) })
      try overwrite(backup, from: (root - 1) * 4096, count: 4096)
    }
    try await trial.run(
      ["restore", backup, "--data", other], ends: .damaged, saying: words, "use another backup")
    #expect(!trial.exists("other"))
  }

  /// Overwrites bytes of a file, or all behind a place, like a faulty disk.
  private func overwrite(_ path: String, from: Int, count: Int? = nil) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    let count = count ?? Int(lseek(file, 0, SEEK_END)) - from
    #expect(pwrite(file, [UInt8](repeating: 0x5A, count: count), count, from) == count)
  }

  @Test("a damaged ledger is named by check, which asks nothing then, and left out of a backup")
  func damagedLedger() async throws {
    let ledger = "\(trial.data)/ledger.db"
    // Everything in one file.
    try change(ledger, "PRAGMA journal_mode = DELETE")
    try overwrite(ledger, from: 4096)
    let asked = trial.sandbox.requests().count
    let checked = try await trial.run("check", ends: .damaged, showing: "ledger.db is damaged")
    #expect(!checked.everything.contains("check the network"))
    #expect(
      !checked.lines.contains { $0.hasPrefix("  ok ") && $0.contains(" ledger ") },
      "\(checked.output)")
    #expect(trial.sandbox.requests().count == asked)

    let made = try await trial.trawl(
      "backup", backup, ends: .found, saying: "is damaged", "no quotas")
    #expect(!made.output.contains("with the quotas"), "\(made.output)")
    try await trial.run(["restore", backup, "--data", other], ends: .complete)
    #expect(try one("\(other)/trawl.db", Self.rows) == one("\(trial.data)/trawl.db", Self.rows))
  }

  @Test("a backup whose quotas are damaged gives the records back, and says so")
  func damagedQuotas() async throws {
    try await trial.trawl("backup", backup, ends: .complete)
    try change(
      backup,
      "UPDATE trawlbackup SET ledger = CAST(substr(ledger, 1, 4096) || zeroblob(length(ledger) - 4096) AS BLOB)"
    )
    try await trial.run(
      ["restore", backup, "--data", other], ends: .found,
      saying: "the quotas in the backup are damaged")
    #expect(try one("\(other)/trawl.db", Self.rows) == one("\(trial.data)/trawl.db", Self.rows))
  }

  @Test("a backup is restored over a database that came out empty")
  func overEmpty() async throws {
    try await trial.trawl("backup", backup, ends: .complete)
    for end in ["-wal", "-shm"] { unlink("\(trial.data)/trawl.db\(end)") }
    #expect(truncate("\(trial.data)/trawl.db", 0) == 0)
    try await trial.trawl("restore", backup, ends: .complete)
    #expect(try one("\(trial.data)/trawl.db", "SELECT count(*) FROM trawl_runs") == "1")
    for end in ["-wal", "-shm"] { unlink("\(trial.data)/trawl.db\(end)") }
    Golden.write(String(repeating: "no database\n", count: 1000), to: "\(trial.data)/trawl.db")
    try await trial.trawl(
      "restore", backup, "--replace", ends: .found,
      saying: "the former database cannot say what was forgotten since this backup")
  }

  @Test("a picture that is damaged does not come into a backup, and is named")
  func damagedPicture() async throws {
    let picture = try #require(
      try one("\(trial.data)/trawl.db", "SELECT path FROM trawl_media"))
    let path = "\(trial.data)/\(picture)"
    var bytes = try #require(Golden.bytes(path))
    bytes[0] ^= 1
    #expect(chmod(path, 0o640) == 0)
    Golden.write(bytes, to: path)
    try await trial.trawl("backup", backup, "--media", saying: "1 picture missing or damaged in")
    #expect(!trial.exists(picture) && trial.exists("media"), "\(picture)")
    #expect(rename("\(trial.data)/media", "\(trial.scratch.path)/away") == 0)
    try await trial.trawl(
      "backup", backup, "--media", ends: .found, saying: "pictures missing or damaged in")
  }

  @Test("pictures are copied whole to another file system, where none can be linked")
  func elsewhere() async throws {
    let memory = ScratchFolder(isInMemory: true)
    let devices = try [memory.path, trial.data].map { try #require(FileIdentity(path: $0)).device }
    let (copy, how) = ("\(memory.path)/b.db", devices[0] == devices[1] ? " linked" : " copied (")
    try await trial.trawl("backup", copy, "--media", ends: .complete, showing: how)
    try await trial.run(["restore", copy, "--media", "--data", other], ends: .complete)
    try await trial.run(["media", "verify", "--data", other], ends: .complete)
  }

  @Test("a picture of a backup that has other bytes, or is none, is replaced by the next backup")
  func damagedInBackup() async throws {
    let words = ["backup", backup, "--media", "--data", trial.data]
    try await trial.run(words, ends: .complete)
    let paths = try #require(
      try one("\(trial.data)/trawl.db", "SELECT group_concat(path) FROM trawl_media")
    ).split(separator: ",").map { "\(trial.scratch.path)/\($0)" }
    for path in paths.prefix(3) { unlink(path) }
    Golden.write("other bytes", to: paths[0])
    Golden.write("", to: paths[1])
    mkdir(paths[2], 0o700)
    try await trial.run(words, ends: .complete, showing: "\(paths.count - 3) were there, 3 linked")
    try await trial.run(["restore", backup, "--media", "--data", other], ends: .complete)
    try await trial.run(["media", "verify", "--data", other], ends: .complete)
  }

  @Test("a backup is restored where there is nothing, with rows, quotas and pictures, and holds")
  func roundTrip() async throws {
    try await trial.trawl(
      "backup", backup, "--media", ends: .complete, showing: "all proved; with the quotas", "linked"
    )
    #expect(!trial.exists("backup.db.partial") && !trial.exists("backup.db-wal"))
    #expect(try one(backup, "PRAGMA journal_mode") == "delete")

    try await trial.run(["restore", backup, "--media", "--data", other], ends: .complete)
    #expect(try one("\(other)/trawl.db", Self.rows) == one("\(trial.data)/trawl.db", Self.rows))
    #expect(try one("\(other)/trawl.db", "PRAGMA journal_mode") == "wal")
    #expect(
      try one("\(other)/trawl.db", "SELECT 1 FROM sqlite_schema WHERE name = 'trawlbackup'") == nil)
    // Group members with read access cannot create them.
    for name in ["trawl", "ledger"] {
      #expect(
        trial.exists("other/\(name).db-wal") && trial.exists("other/\(name).db-shm"), "\(name)")
    }
    #expect(try spent(other) == spent(trial.data))
    try await trial.run(["media", "verify", "--data", other], ends: .complete)
    try await trial.run(["prove", "--data", other], ends: .complete)
    try await trial.run(
      ["run", "github", "--endpoint", trial.sandbox.endpoint(for: "github"), "--data", other],
      saying: "0 new, 0 changed")
  }

  @Test("a restore sets the database aside only when told to, and refills no quota")
  func replaces() async throws {
    _ = try await trial.trawl("backup", backup)
    let before = try #require(try spent(trial.data))
    _ = try await trial.run(["run", "github"] + trial.github)
    let after = try #require(try spent(trial.data))
    #expect(Int(after) ?? 0 > Int(before) ?? 0)

    try await trial.trawl("restore", backup, ends: .usage, saying: "--replace")
    let restored = try await trial.trawl("restore", backup, "--replace", ends: .complete)
    #expect(try spent(trial.data) == after, "the higher count of uses wins")
    let aside = try #require(
      restored.lines.first { $0.contains("former database is ") }?.split(separator: " ").last)
    #expect(try one(String(aside), "SELECT count(*) FROM trawl_runs") == "2")
    #expect(try one("\(trial.data)/trawl.db", "SELECT count(*) FROM trawl_runs") == "1")

    for end in ["", "-wal", "-shm"] { unlink("\(trial.data)/ledger.db\(end)") }
    _ = try await trial.trawl("restore", backup, "--replace")
    #expect(try spent(trial.data) == before, "a lost ledger comes back")
  }

  @Test("nothing is replaced that is no backup, and nothing restored that is none")
  func foreign() async throws {
    let text = "\(trial.scratch.path)/thesis.txt"
    Golden.write("my thesis", to: text)
    try await trial.trawl("backup", text, ends: .cannotCreate, saying: "no backup of Trawl's")
    #expect(Golden.read(text) == "my thesis")
    try await trial.trawl(
      "backup", "\(trial.data)/trawl.db", ends: .cannotCreate, saying: "the database itself")
    try await trial.trawl(
      "backup", "\(trial.scratch.path)/no/b.db", ends: .cannotCreate, saying: "make it first")
    #expect(try trial.rows("SELECT subject FROM trawl_facts WHERE kind = 'copy'") == [])
    try await trial.run(
      ["restore", text, "--data", "\(trial.scratch.path)/new"], ends: .damaged,
      saying: "not a SQLite database")
    try await trial.run(
      ["restore", backup, "--data", "\(trial.scratch.path)/new"], ends: .usage,
      saying: "there is no such file")
    #expect(!trial.exists("new/trawl.db") && !trial.exists("new/trawl.db.partial"))
  }

  @Test(
    "whatever a kill leaves of a copy is named when a record is forgotten",
    arguments: ["backup", "backup --readers"],
    [FaultPoint.Place.beforeDraftRename, .afterDraftRename])
  func killedCopy(words: String, place: FaultPoint.Place) async throws {
    let (data, killed) = (trial.data, "\(trial.scratch.path)/killed")
    let copy = backup + (place == .beforeDraftRename ? ".partial" : "")
    // The folder and the copy as they are at that moment.
    let faults = FaultPoint {
      guard $0 == place else { return }
      let line = "cp -a '\(data)' '\(killed)' && cp '\(copy)' '\(killed)/left'"
      if let shell = popen(line, "r") { pclose(shell) }
    }
    let exchange = ScriptedExchange { request, _ in
      .failure(ExchangeFailure(.sinkRefused, cause: .store, address: request.address, sentence: ""))
    }
    let code = await Program.perform(
      words.split(separator: " ").map(String.init) + [backup, "--data", data],
      environment: ["HOME": trial.scratch.path], output: 1, errors: 2,
      StandIns(exchange: exchange, time: trial.time.timekeeper, faults: faults))
    #expect(code == 0 && unlink(backup) == 0)
    #expect(rename("\(killed)/left", copy) == 0)
    let key = try #require(try trial.rows("SELECT min(id) FROM github_users").first)
    try await trial.run(
      ["forget", "github_users", key, "--dry-run", "--data", killed], ends: .complete,
      saying: "still in \(copy): ")
  }

  @Test("a copy that is in place is named, though its command failed; so is one that is being made")
  func failedCopy() async throws {
    let readers = "\(trial.scratch.path)/readers.db"
    #expect(mkdir("\(trial.scratch.path)/readers.metadata.json", 0o700) == 0)
    _ = try await trial.trawl("backup", "--readers", readers, ends: .cannotWrite)
    let key = try #require(try trial.rows("SELECT min(id) FROM github_users").first)
    let forget = ["forget", "github_users", key, "--dry-run", "--data", trial.data]
    try await trial.run(forget, ends: .complete, saying: "still in \(readers): ")
    Golden.write(String(repeating: "no copy\n", count: 1000), to: readers)
    try await trial.run(
      forget, ends: .complete, saying: "not looked into, and left as it is: \(readers)")
    #expect(unlink(readers) == 0)
    try await trial.run(
      forget, ends: .complete, saying: "not where written, and not looked into, first \(readers)")
    let draft = try AtomicFile(readers)
    try await trial.run(forget, ends: .complete, saying: "a copy to \(readers) is being made")
    withExtendedLifetime(draft) {}
  }

  @Test("a restore waits for nobody who writes: it names the run")
  func locked() async throws {
    _ = try await trial.trawl("backup", backup)
    let lock = try #require(
      try JobLock.take("github", in: try DataFolder(existing: trial.data)))
    try await trial.trawl(
      "restore", backup, "--replace", ends: .paused, saying: "another command is at work on github")
    try await trial.trawl(
      "backup", backup, ends: .complete, saying: "another command is at work on github")
    withExtendedLifetime(lock) {}
  }

  @Test("a database without its two numbers, as a .dump leaves it, is named, and restored")
  func dump() async throws {
    _ = try await trial.trawl("backup", backup)
    try change(backup, "PRAGMA application_id = 0; PRAGMA user_version = 0")
    let opened = "\(trial.scratch.path)/opened"
    mkdir(opened, 0o700)
    rename(backup, "\(opened)/trawl.db")
    try await trial.run(["status", "--data", opened], saying: "PRAGMA application_id = 1416774754")
    try await trial.run(
      ["restore", "\(opened)/trawl.db", "--data", other], ends: .complete, saying: ".dump")
    try await trial.run(["search", "octocat", "--data", other], showing: "octocat")
  }

  private static let damage = "UPDATE github_users SET login = 'x' WHERE login = 'octocat'"

  @Test("a copy that does not hold keeps its own name, and the earlier backup stays")
  func unproven() async throws {
    _ = try await trial.trawl("backup", backup)
    let good = try one(backup, Self.rows)
    try trial.change(Self.damage)
    try await trial.trawl("backup", backup, ends: .found, saying: "backup.db.unproven")
    #expect(try one(backup, Self.rows) == good)
    try await trial.run(
      ["restore", backup + ".unproven", "--data", other], ends: .found,
      saying: "not all of it holds: ", "see: trawl prove --data \(other)")
  }

  @Test("a copy for readers has the records and lists, dates, links and items, and no log")
  func readers() async throws {
    let copy = "\(trial.scratch.path)/readers.db"
    try await trial.trawl(
      "backup", "--readers", copy, "--media", ends: .usage, saying: "--readers copies no pictures")
    try await trial.trawl("backup", "--readers", copy, ends: .complete)
    #expect(try one(copy, "PRAGMA journal_mode") == "delete")
    #expect(try one(copy, Self.rows) == one("\(trial.data)/trawl.db", Self.rows))
    let type = "SELECT type FROM pragma_table_info('github_users') WHERE name = "
    #expect(try one(copy, type + "'created_at'") == "DATETIME")
    #expect(try one(copy, type + "'first_seen_at'") == "DATETIME")
    let keys = try Database(copy).rows(
      "SELECT DISTINCT \"from\" FROM pragma_foreign_key_list('github_follows') ORDER BY 1")
    #expect(keys == ["follower_id", "user_id"])
    #expect(try one(copy, "SELECT name FROM sqlite_schema WHERE name LIKE 'trawl%'") == nil)
    #expect(
      try one(copy, "SELECT count(*) FROM items")
        == one("\(trial.data)/trawl.db", "SELECT count(*) FROM github_users"))
    // Found like by Datasette and sqlite-utils, and searchable.
    #expect(
      try one(
        copy,
        "SELECT name FROM sqlite_schema WHERE rootpage = 0 AND sql LIKE "
          + "'%VIRTUAL TABLE%USING FTS%content=\"github_users\"%'") == "github_users_fts")
    #expect(
      try one(
        copy,
        "SELECT login FROM github_users WHERE rowid IN (SELECT rowid FROM github_users_fts "
          + "WHERE github_users_fts MATCH '\"octocat\"') ORDER BY id LIMIT 1") == "octocat")
    let metadata = try #require(Golden.read("\(trial.scratch.path)/readers.metadata.json"))
    #expect(metadata.contains("\"label_column\": \"login\""), "\(metadata)")
    try await trial.trawl("backup", "--readers", copy, ends: .complete)
    try await trial.run(
      ["restore", copy, "--data", "\(trial.scratch.path)/new"], saying: "copy for readers")
    // A user's own metadata.
    Golden.write("{\"title\": \"mine\"}", to: "\(trial.scratch.path)/r.metadata.json")
    try await trial.trawl(
      "backup", "--readers", "\(trial.scratch.path)/r.db", ends: .cannotCreate,
      saying: "r.metadata.json is there and was not written by Trawl")
    #expect(Golden.read("\(trial.scratch.path)/r.metadata.json") == "{\"title\": \"mine\"}")
    #expect(!trial.exists("r.db"))
  }

  @Test("publish writes the copy for readers after a run, and every job has its link in items")
  func publishes() async throws {
    let trial = try CommandTrial()
    trial.keep(job: "unused")
    // From a path: no folder of jobs has it.
    let job = "\(trial.scratch.path)/mine.json5"
    Golden.write(
      "{ name: \"mine\", use: \"youtube\", publish: \"readers.db\", params: { q: [\"music\"] } }",
      to: job)
    try await trial.trawl(
      "run", job, "--stream", "search", "--max-requests", "2", "--endpoint",
      trial.sandbox.endpoint(for: "youtube"))
    #expect(!trial.exists("data/readers.db"), "a run that paused publishes nothing")
    try await trial.trawl(
      "run", job, "--set", "q=swift language", "--stream", "search", "--endpoint",
      trial.sandbox.endpoint(for: "youtube"), ends: .complete)
    let copy = "\(trial.data)/readers.db"
    #expect(try one(copy, "SELECT count(*) > 10 FROM items") == "1")
    let unlinked = "link IS NOT 'https://www.youtube.com/watch?v=' || record_key"
    #expect(try one(copy, "SELECT count(*) FROM items WHERE \(unlinked)") == "0")
    let metadata = Golden.read("\(trial.data)/readers.metadata.json") ?? ""
    #expect(metadata.contains("\"label_column\": \"title\""), "\(metadata)")
    let key = try #require(
      try trial.rows("SELECT max(video_id) FROM mine_videos WHERE video_id NOT LIKE '-%'").first)
    try await trial.trawl(
      "forget", "mine_videos", key, "--dry-run", ends: .complete, saying: "still in \(copy): ")
  }

  @Test("--json says what was written, also of a copy that does not hold and of one for readers")
  func json() async throws {
    let made = try await trial.trawl("backup", backup, "--media", "--json")
    let told = try made.json
    #expect(made.status == .complete && made.lines.count == 1, "\(made.everything)")
    #expect(told["kind"]?.string == "backup" && told["path"]?.string == backup)
    #expect(told["holds"]?.boolean == true && told["quotas"]?.boolean == true)
    #expect((told["pictures"]?["linked"]?.integer ?? 0) > 0)
    #expect(told["pictures"]?["missing"]?.integer == 0)
    let readers = try await trial.trawl(
      "backup", "--readers", "\(trial.scratch.path)/r", "--json"
    ).json
    #expect(readers["kind"]?.string == "readers" && readers["rows"]?.integer ?? 0 > 0)
    #expect(readers["metadata"]?.string == "\(trial.scratch.path)/r.metadata.json")
    try trial.change(Self.damage)
    let bad = try await trial.trawl("backup", backup, "--json")
    let doubt = try bad.json
    #expect(bad.status == .found && doubt["holds"]?.boolean == false, "\(bad.everything)")
    #expect(doubt["path"]?.string == backup + ".unproven" && doubt["findings"]?.integer ?? 0 > 0)
  }
}
