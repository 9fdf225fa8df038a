import Base
import Crawl
import Store
import TestSupport
import Testing

@Suite("A job file that is edited between two nights")
struct EditedFileTests {
  private struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  /// A record of the API.
  private static func record(_ id: Int, _ changes: Int) -> String {
    """
    {"id":\(id),"uid":"u\(id)","code":\(100 + id),"name":"n\(id)\(id == 1 ? "-\(changes)" : "")",
    "n":\(id * 2),"own":{"login":"l\(id % 3)"},"bio":"b\(id)",
    "tags":[{"name":"t\(id % 3)","c":"x"},{"name":"z","c":"y\(id)"}]}
    """
  }

  private static func answer(_ request: Request, _ changes: Int) -> String {
    let id = (Int(request.lastPart.drop { $0 == "u" }) ?? 0) % 100
    return switch request.address.parts.dropLast().last {
    case "one": record(id, changes)
    case "parts": listing((0..<2).map { #"{"id":"\#(id)-\#($0)"}"# }, total: 2)
    default: listing((1...6).map { record($0, changes) }, total: 6)
    }
  }

  @Test(
    "leaves what the last file alone brings, and every claim of it proven, wherever a run stops",
    arguments: Torture.seeds(plain: 2, long: 400))
  func edited(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let gallery = Gallery()
    var (file, changes) = (DrawnFile(), 0)
    for night in 0..<6 {
      let before = file.streams
      let job = try file.next(&random, isFirst: night == 0)
      if random.next() % 4 == 0 { changes += 1 }
      let now = changes
      let exchange = ScriptedExchange.json { request, _ in Self.answer(request, now) }
      gallery.time.advance(by: .day)
      do {
        try await self.night(
          job, by: file.main,
          exactly: file.marks && !file.hasOldLists ? "a_\(file.mainTable)" : nil, in: gallery,
          exchange,
          stops: random.next() % 3 == 0, isLast: night == 5)
      } catch {
        Issue.record(
          "seed \(seed), night \(night): \(error)\nfrom { \(before) }\nto { \(file.streams) }")
        return
      }
    }
  }

  private static let paged =
    #"get: "/things", pages: { by: "single" }, total: "total counted", records: "items", into: "things", vanish: "mark""#

  private static func nested(_ key: String) -> String {
    #", children: { tags: { records: "tags", key: ["name"], parent: { \#(key): "thing" }, columns: ["c", "name"] } }"#
  }

  private static func one(_ name: String, _ kind: String) -> String {
    """
    \(name): { for: { each: "things.id", when: "new" }, get: "/one/{id}", records: ".", into: "things", \
    columns: [{ id: "id as \(kind)" }, "bio"] }
    """
  }

  /// The streams of one night after another.
  private static let edits: [(name: String, nights: [String])] = [
    (
      "another key under nested lists",
      [("id", "id integer"), ("uid", "uid")].map {
        "things: { \(paged), key: [\"\($0.0)\"], columns: [\"\($0.1)\"]\(nested($0.0)) }"
      }
    ),
    (
      "a new name for a stream that takes every member",
      ["things: { \(paged),", "stuff: { was: \"things\", \(paged),"].map {
        $0 + #" columns: ["id integer", "*"] }"#
      }
    ),
    (
      "another stream in place of one that took every member",
      ["things: { \(paged),", "stuff: { \(paged),"].map { $0 + #" columns: ["id integer", "*"] }"# }
    ),
    (
      "a key of another type behind a stream that left",
      [("integer", true), ("integer", false), ("text", false)].map { kind, isThere in
        "things: { \(paged), columns: [\"id \(kind)\"] }" + (isThere ? ", " + one("det", kind) : "")
      }
    ),
    (
      "a key of another type while a stream leaves",
      [("integer", "det"), ("text", "more")].map { kind, name in
        "things: { \(paged), columns: [\"id \(kind)\"] }, \(one(name, kind))"
      }
    ),
    (
      "a key of another type that the values do not fit",
      [#""uid as text""#, #""id as integer""#].map {
        "things: { \(paged), columns: [{ id: \($0) }]\(nested("id")) }"
      }
    ),
    (
      "a list for what is requested once",
      ["", #", list: { table: "owned", columns: { owner: "{id}" } }"#].map {
        """
        things: { \(paged), columns: ["id integer"] }, parts: { for: { each: "things.id", when: "new" }, \
        get: "/parts/{id}", records: "items", total: "total counted", columns: ["id"]\($0) }
        """
      }
    ),
  ]

  @Test("has every row and every proof, whatever was edited", arguments: edits.indices)
  func known(_ edit: Int) async throws {
    let (name, nights) = Self.edits[edit]
    let gallery = Gallery()
    let exchange = ScriptedExchange.json { request, _ in Self.answer(request, 0) }
    for (night, streams) in nights.enumerated() {
      gallery.time.advance(by: .day)
      do {
        try await self.night(
          try Job.file(streams, name: "a"), by: String(streams.prefix { $0 != ":" }),
          exactly: "a_things", in: gallery, exchange, stops: true, isLast: night == nights.count - 1
        )
      } catch {
        Issue.record("\(name), night \(night): \(error)")
        return
      }
    }
  }

  private func night(
    _ job: Job, by stream: String, exactly exact: String?, in gallery: Gallery,
    _ exchange: ScriptedExchange, stops: Bool, isLast: Bool
  ) async throws {
    // Killed before its first request, or stopped after it.
    let messages = try await gallery.store { try await $0.adopt(job, origin: job.base.origin) }
    try await expectProof(gallery, "adopted, \(messages)")
    let more = try await gallery.store { try await $0.adopt(job, origin: job.base.origin) }
    if !more.isEmpty { throw Fault(description: "adopted twice: \(more)") }
    if stops {
      _ = try await gallery.run(job, exchange) { $0.maxRequests = 1 }
      try await expectProof(gallery, "stopped")
    }
    // A record of several lists is gone after each was read twice without it.
    var isWhole = false
    for night in 0..<(isLast ? 3 : 1) {
      let facts = try await gallery.run(job, exchange) { $0.isRefill = isLast }.facts
      let isSound = facts.outcome.kinds.isDisjoint(
        with: [.bug, .damaged, .cannotCreate, .cannotWrite, .configuration, .unreachable])
      if !isSound { throw Fault(description: "\(facts.outcome)") }
      // Details may belong to records that only an earlier file had.
      isWhole = isLast && facts.outcome.kinds == [.asDeclared]
      try await expectProof(gallery, "run \(night)")
      if isLast { gallery.time.advance(by: .day) }
    }
    for message in messages {
      if message.contains("backfill") { throw Fault(description: "no window: \(message)") }
      guard message.contains("no longer in the job") else { continue }
      let names = message.split { " .".contains($0) }
      let writers = try gallery.rows(
        "SELECT written_by FROM trawl_columns WHERE table_name = '\(names[0])' "
          + "AND column_name = '\(names[1])'")
      if writers != [""] { throw Fault(description: message) }
    }
    let fresh = Gallery()
    _ = try await fresh.run(job, exchange)
    for table in try fresh.rows("SELECT table_name FROM trawl_tables ORDER BY 1") {
      // Single requests that were made before do not fill a new column.
      let there = try rows(gallery, fresh, table, by: isWhole ? nil : stream)
      let expected = try rows(fresh, fresh, table, by: isWhole ? nil : stream)
      let isExact = isWhole && table == exact
      if isExact ? there != expected : !there.isSuperset(of: expected) {
        throw Fault(
          description: "\(messages) \(table): \(there.sorted()) instead of \(expected.sorted())")
      }
    }
  }

  private func expectProof(_ gallery: Gallery, _ moment: String) async throws {
    let proof = try await gallery.store { try await $0.prove() }
    let findings = proof.findings.map { "\($0.table) \($0.key ?? ""): \($0.what)" }
    if !proof.holds { throw Fault(description: "\(moment): \(findings)") }
  }

  /// The present rows, in the columns that a fresh folder has.
  /// - Parameter stream: only the columns that it writes.
  private func rows(
    _ gallery: Gallery, _ fresh: Gallery, _ table: String, by stream: String?
  ) throws -> Set<String> {
    let ofTable = "FROM trawl_columns WHERE table_name = '\(table)' AND written_by <> ''"
    let columns = try fresh.rows(
      "SELECT column_name || '|' || ifnull(way, '') \(ofTable)"
        + (stream.map { " AND instr(' ' || written_by || ' ', ' \($0) ') > 0" } ?? "")
        + " ORDER BY way IS NOT NULL, 1"
    ).map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    if columns.isEmpty { return [] }
    // A found column may have another name.
    let own = try columns.map { column in
      column[1].isEmpty
        ? String(column[0])
        : try gallery.rows("SELECT column_name \(ofTable) AND way = '\(column[1])'").first ?? "lost"
    }
    let values = own.map { "quote(\"\($0)\")" }.joined(separator: ", ")
    return Set(
      try gallery.rows("SELECT \(values) FROM \"\(table)\" WHERE vanished_at IS NULL"))
  }
}
