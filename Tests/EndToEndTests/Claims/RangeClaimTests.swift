import Base
import Glibc
import TestSupport
import Testing

@Suite("A list of which only a range of time was requested", .prompt)
struct RangeClaimTests {
  private let home = Home()

  /// A record every two hours for forty days, the newest an hour ago.
  private static func server(_ now: Instant) -> AnswerServer {
    let records = (1...480).map { id in
      (id: id, at: (now - .seconds(Int64(481 - id) * 7200 - 3600)).description)
    }
    return AnswerServer { call in
      let some = records.filter {
        call.parameters["from"] ?? "0" <= $0.at && $0.at <= call.parameters["to"] ?? "9"
      }
      let first = call.number("offset") ?? 0
      let page = some.dropFirst(first).prefix(50)
      let items = page.map { "{\"id\": \($0.id), \"at\": \"\($0.at)\"}" }
      return .json("{\"items\": [\(items.joined(separator: ","))], \"total\": \(some.count)}")
    }
  }

  private func job(_ server: AnswerServer, _ params: String = "", _ query: String = "") -> String {
    home.write(
      """
      {
        base: "\(server.origin)", \(params)
        streams: {
          things: {
            get: "/t", \(query) pages: { by: "offset", to: "?offset", size: "?limit=50" },
            total: "total counted", window: { from: "?from", to: "?to", on: "at" },
            records: "items", columns: ["id integer", "at time"],
          },
        },
      }
      """, to: "j.json5")
  }

  @Test(
    "is complete from then to then, wherever that is said, and nothing is denied of other times")
  func ranged() async throws {
    let server = Self.server(Instant(seconds: Int64(time(nil))))
    let job = job(server)
    await home.trawl("backfill", job, "--from", "10d", ends: 0)
    let range = try home.tables.texts("SELECT read_from, read_to FROM trawl_trust")
    let ends = try #require(range.first).split(separator: "|").map(String.init)
    let words = "from \(ends[0]) to \(ends[1])"
    #expect(
      try home.tables.texts("SELECT why FROM trawl_trust")[0].holds("only \(words) was read"))
    await home.trawl("prove", "--cite", ends: 0, showing: "complete (overlap) \(words), as of")
    await home.trawl("status", "j", ends: 0, showing: "only \(words) was read")
    await home.trawl(
      "status", ends: 0, showing: "1 list complete (1 of them only for a range of time)")
    await home.trawl("status", "j", "--max-age", "2h", ends: 0, without: "is late")
    await home.trawl(
      "why", "j_things", "3", ends: 4,
      showing: "of other times than those named (read_from, read_to) not all was read:")
    await home.trawl(
      "why", "j_things", "3", "--json", ends: 4, showing: "\"read_from\":\"\(ends[0])\"")
    let begin =
      #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#
    let query =
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":"#
      + #"{"sql":"SELECT count(*) FROM j_things"}}}"#
    await home.shell(
      "printf '%s\\n' \"$BEGIN\" \"$QUERY\" | \"$T\" mcp --data \"$D\"",
      ["BEGIN": begin, "QUERY": query], ends: 0,
      showing: "it was read for that time only. Say so as well.")
    await home.trawl("prove", ends: 0)

    // The same list read whole has no such limits.
    let whole = Home()
    await whole.trawl("run", job, ends: 0)
    await whole.trawl(
      "status", "j", ends: 0, showing: "before that: covered, back to the API's own beginning")
    #expect(
      try whole.tables.texts("SELECT verdict, read_from, read_to FROM trawl_trust")
        == ["complete|NULL|NULL"])
    await whole.trawl("backfill", job, "--from", "10d", ends: 0)
    #expect(try whole.tables.texts("SELECT read_from FROM trawl_trust") == ["NULL"])
  }

  @Test("has no range where nothing was read of a time within it")
  func hole() async throws {
    let server = Self.server(Instant(seconds: Int64(time(nil))))
    let job = job(server)
    await home.trawl("backfill", job, "--from", "30d", "--to", "20d")
    await home.trawl("backfill", job, "--from", "5d")
    let trust = try home.tables.texts("SELECT verdict, read_from, read_to FROM trawl_trust")
    #expect(trust == ["unfinished|NULL|NULL"])
    let why = try home.tables.texts("SELECT why FROM trawl_trust")[0]
    #expect(why.holds("nothing was read from") && !why.holds("only from"), "\(why)")
  }

  @Test(
    "is cited with others for the time that was read of all of them, or without one where there is none"
  )
  func several() async throws {
    let server = Self.server(Instant(seconds: Int64(time(nil))))
    let job = job(
      server, "params: { tag: { default: [\"a\", \"b\"] } },", "query: { tag: \"{tag}\" },")
    for (to, isCommon) in [("5d", true), ("15d", false)] {
      let own = Home()
      await own.trawl("backfill", job, "--set", "tag=a", "--from", "10d", ends: 0)
      await own.trawl("backfill", job, "--set", "tag=b", "--from", "20d", "--to", to, ends: 0)
      let ranges = await own.trawl(
        "sql", "SELECT max(read_from) || ' to ' || min(read_to) FROM trawl_trust", ends: 0)
      let range = ranges.output.split(separator: "\n").last.map(String.init) ?? ""
      let words = isCommon ? " from \(range), as of" : ", each for a range of time of its own"
      await own.trawl(
        "prove", "--cite", ends: 0, showing: "2 lists of things", "(overlap)\(words)")
    }
  }
}
