import Glibc
import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

@Suite("trawl media")
struct MediaCommandTests {
  let trial: CommandTrial

  init() async throws {
    // `gc` compares with file times, which are real.
    trial = try CommandTrial(time: VirtualTime(at: Timekeeper.live.now()))
    let ended = try await trial.run(["run", "github"] + trial.github)
    try #require(ended.status == .complete, "\(ended.everything)")
  }

  private func paths() async throws -> [String] {
    let users = try trial.rows("SELECT path FROM trawl_media ORDER BY path")
    try #require(users.count > 20)
    return users
  }

  private func overwrite(_ path: String, _ text: String) {
    chmod("\(trial.data)/\(path)", 0o640)
    Golden.write(text, to: "\(trial.data)/\(path)")
  }

  @Test(
    "verify reads every file, and says so in one line; it sets wrong bytes aside, and takes the same again from the network; 4"
  )
  func mends() async throws {
    let files = try await paths()
    let sound = try await trial.run(
      "media verify", ends: .complete, showing: "each is named by its own SHA-256")
    #expect(sound.lines.count == 1 && sound.output.hasPrefix("\(files.count) files, "))
    overwrite(files[0], "not what it was")
    overwrite(files[1], "")
    unlink("\(trial.data)/\(files[2])")
    let ended = try await trial.trawl("media", "verify", ends: .found)
    #expect(ended.lines.count == 4)
    #expect(ended.output.contains("\(files[1]): empty: set aside, downloaded again"))
    #expect(ended.output.contains("\(files[2]): missing: downloaded again"))
    #expect(ended.lines.filter { $0.contains("downloaded again; the digest matches") }.count == 3)
    #expect(ended.output.contains("3 not as they should be: 3 mended, 0 lost"))
    #expect(trial.exists("data/media/.aside/\(files[0].split(separator: "/").last ?? "")"))
    try await trial.trawl("media", "verify", ends: .complete)
    #expect(try await paths() == files)
  }

  @Test("verify does not accept other bytes: the file is lost, and no row names it any more")
  func refuses() async throws {
    let files = try await paths()
    // The URL now leads to another image.
    try trial.change(
      "UPDATE trawl_media_urls SET url = (SELECT url FROM trawl_media_urls u "
        + "JOIN trawl_media m USING (digest) WHERE m.path = '\(files[1])' LIMIT 1) "
        + "WHERE digest = (SELECT digest FROM trawl_media WHERE path = '\(files[0])')")
    overwrite(files[0], "not what it was")
    let ended = try await trial.trawl("media", "verify", "--json", ends: .found)
    #expect(ended.lines[0].contains(#""outcome":"lost""#))
    #expect(ended.lines[0].contains("its server has other bytes now"))
    #expect(ended.lines[1].contains(#""found":1,"mended":0,"lost":1"#))
    #expect(try await paths() == Array(files.dropFirst()))
    #expect(try trial.rows("SELECT count(*) FROM trawl_media_urls WHERE digest IS NULL") != ["0"])
  }

  @Test("gc removes what no record points to, and nothing of live records or favorites")
  func collects() async throws {
    let all = try await paths()
    try await trial.trawl("media", "gc", showing: "nothing to remove")
    // Three users vanished long ago, one of them a favorite.
    let gone = try trial.rows(
      "SELECT id FROM github_users WHERE id IN (SELECT t.id FROM github_users_media t "
        + "GROUP BY t.avatar_path HAVING count(*) = 1) ORDER BY id LIMIT 3")
    try trial.change(
      "UPDATE github_users SET vanished_at = '2020-01-01T00:00:00Z' "
        + "WHERE id IN (\(gone.joined(separator: ",")))")
    try trial.change("UPDATE trawl_media SET stored_at = '2020-01-01T00:00:00Z'")
    try trial.change("UPDATE trawl_media_urls SET fetched_at = '2020-01-01T00:00:00Z'")
    try trial.change(
      "INSERT INTO trawl_favorites (table_name, record_key, added_at) "
        + "VALUES ('github_users', '\(gone[2])', '2020-01-01T00:00:00Z')")
    let old = [
      timeval(tv_sec: 1_500_000_000, tv_usec: 0), timeval(tv_sec: 1_500_000_000, tv_usec: 0),
    ]
    for path in all { utimes("\(trial.data)/\(path)", old) }
    // A file without a row, from a run killed between the two, and one that is not ours.
    let stray = "media/ab/ab\(String(repeating: "0", count: 62)).png"
    mkdir("\(trial.data)/media/ab", 0o750)
    Golden.write("x", to: "\(trial.data)/\(stray)")
    utimes("\(trial.data)/\(stray)", old)
    Golden.write("x", to: "\(trial.data)/media/ab/notes.txt")
    utimes("\(trial.data)/media/ab/notes.txt", old)
    try await trial.trawl(
      "media", "verify", ends: .complete,
      showing: "1 file more that no record names: trawl media gc",
      "media/ab/notes.txt: not the name of a picture")

    let dry = try await trial.trawl("media", "gc", "--dry-run", ends: .complete)
    #expect(dry.lines.count == 4, "\(dry.output)")
    #expect(dry.output.contains("3 files") && dry.output.contains("would be removed"))
    #expect(try await paths() == all)

    let ended = try await trial.trawl("media", "gc", "--json", ends: .complete)
    #expect(ended.lines.last?.contains(#""files":3"#) == true)
    #expect(ended.lines.last?.contains(#""strays":1"#) == true)
    let left = try await paths()
    #expect(left.count == all.count - 2)
    for path in all { #expect(trial.exists("data/\(path)") == left.contains(path)) }
    #expect(!trial.exists("data/\(stray)") && trial.exists("data/media/ab/notes.txt"))
    let favorite = try trial.rows(
      "SELECT avatar_path FROM github_users_media WHERE id = \(gone[2])")
    #expect(left.contains(favorite[0]))

    // A record that is back gets its image back.
    try await trial.run(["run", "github", "--refill"] + trial.github, ends: .complete)
    #expect(try await paths() == all)
  }

  @Test("gc keeps what was wanted within its grace")
  func grace() async throws {
    let all = try await paths()
    try trial.change("UPDATE github_users SET vanished_at = '2999-01-01T00:00:00Z'")
    try await trial.trawl("media", "gc", "--grace", "0s", showing: "nothing to remove")
    #expect(try await paths() == all)
  }

  @Test("verify asks a host that is gone a few times only; what is lost is kept aside")
  func deadHost() async throws {
    let files = try await paths()
    for path in files.prefix(8) { overwrite(path, "not what it was") }
    trial.sandbox.stop()
    let dead = DeadPort(of: trial.sandbox.port)
    defer { withExtendedLifetime(dead) {} }
    let ended = try await trial.trawl("media", "verify", ends: .found)
    #expect(ended.lines.count { $0.contains("refused the connection") } == 3)
    #expect(ended.lines.count { $0.contains("its host does not answer") } == 5)
    #expect(ended.output.contains("8 not as they should be: 0 mended, 8 lost"))
    #expect(try await paths() == Array(files.dropFirst(8)))
    for path in files.prefix(8) {
      #expect(!trial.exists("data/\(path)"))
      #expect(trial.exists("data/media/.aside/\(path.split(separator: "/").last ?? "")"))
    }
    #expect(try trial.rows("SELECT 1 FROM trawl_media_urls WHERE digest IS NULL").count >= 8)
    try await trial.trawl("media", "verify", ends: .complete)
  }

  @Test(
    "a missing file that is not to be had now keeps its row, and is not removed when it is back")
  func missing() async throws {
    let files = try await paths()
    let user = try #require(
      try trial.rows("SELECT id FROM github_users_media WHERE avatar_path = '\(files[0])'").first)
    for path in files.prefix(2) {
      rename("\(trial.data)/\(path)", "\(trial.scratch.path)/\(path.suffix(20))")
    }
    trial.sandbox.stop()
    let dead = DeadPort(of: trial.sandbox.port)
    defer { withExtendedLifetime(dead) {} }
    try await trial.trawl("media", "verify", showing: "2 not as they should be: 0 mended, 2 lost")
    #expect(try await paths() == files)
    try await trial.trawl("media", "path", "github_users", user, ends: .found)
    for path in files.prefix(2) {
      rename("\(trial.scratch.path)/\(path.suffix(20))", "\(trial.data)/\(path)")
      let old = timeval(tv_sec: 1_500_000_000, tv_usec: 0)
      utimes("\(trial.data)/\(path)", [old, old])
    }
    try await trial.trawl("media", "gc", "--grace", "0s", showing: "nothing to remove")
    try await trial.trawl("media", "verify", ends: .complete)
    try await trial.trawl("media", "path", "github_users", user, ends: .complete)
  }

  @Test("where most files are missing, status and path say so, though their rows stay")
  func unmounted() async throws {
    let user = try trial.rows("SELECT id FROM github_users_media WHERE avatar_path IS NOT NULL")[0]
    rename("\(trial.data)/media", "\(trial.scratch.path)/aside")
    _ = try await trial.run(["run", "github"] + trial.github)
    try await trial.trawl("status", "github", showing: "known; most of their files are missing")
    try await trial.trawl("media", "path", "github_users", user, ends: .found)
  }

  @Test("path takes a key of several columns as a JSON list, or without the job's own host")
  func compositeKey() async throws {
    try await trial.run(trial.words("run openmarket"), ends: .complete)
    let row = try trial.rows(
      "SELECT host || ' ' || id || ' ' || thumbnail_path FROM openmarket_products_media "
        + "ORDER BY id LIMIT 1")
    let parts = row[0].split(separator: " ").map(String.init)
    for key in [
      "[\"\(parts[0])\",\(parts[1])]", "[ \"\(parts[0])\", \(parts[1]) ]", parts[1],
    ] {
      let found = try await trial.trawl(
        "media", "path", "openmarket_products", key, ends: .complete)
      #expect(found.output == "\(trial.data)/\(parts[2])\n")
    }
    try await trial.trawl(
      "media", "path", "openmarket_products", "99999999", ends: .usage,
      saying: "its key is host, id")
    try await trial.trawl("media", "path", "openmarket_products", "x", ends: .usage)
  }

  @Test("path prints the file of a record, and says when there is none")
  func path() async throws {
    let row = try trial.rows(
      "SELECT id || ' ' || avatar_path FROM github_users_media WHERE avatar_path IS NOT NULL")
    let parts = row[0].split(separator: " ").map(String.init)
    let found = try await trial.trawl("media", "path", "github_users", parts[0], ends: .complete)
    #expect(found.output == "\(trial.data)/\(parts[1])\n")
    try await trial.trawl(
      "media", "path", "github_users", parts[0], "--json", showing: #""role":"avatar""#, parts[1])
    try await trial.trawl(
      "media", "path", "github_users", "1", ends: .usage, saying: "github_users has no record 1")
    try await trial.trawl(
      "media", "path", "github_people", "1", ends: .usage,
      saying: "tables with images: github_users")
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    try await trial.run(
      "media path people_users 1", ends: .usage, saying: "people_users has no images")
    try trial.change("UPDATE trawl_media_urls SET digest = NULL, reason = 'status 403'")
    let count = try trial.rows("SELECT count(*) FROM trawl_media_urls")[0]
    try await trial.trawl(
      "status", "github", showing: "0 of \(count); \(count) refused (status 403)")
    try trial.change(
      "UPDATE trawl_media_urls SET reason = 'empty' "
        + "WHERE identity = (SELECT min(identity) FROM trawl_media_urls)")
    let others = (Int(count) ?? 0) - 1
    try await trial.trawl(
      "status", "github", showing: "\(count) refused (\(others) status 403, 1 empty)")
    let none = try await trial.trawl("media", "path", "github_users", parts[0], ends: .found)
    #expect(none.output == "")
  }
}
