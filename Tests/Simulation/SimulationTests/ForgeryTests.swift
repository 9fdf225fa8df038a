import Glibc
import Base
import SimulationKit
@testable import Store
import TestSupport
import Testing

/// What a walker with a bug would have written: claims and answers that are right except for one thing, with valid
/// seals.
@Suite("A forged claim")
struct ForgeryTests {
  private static let seeds = Torture.seeds(plain: 3, long: 400)

  /// One change of a file, which removes the basis of the proof whatever else is there.
  private struct Forgery {
    var name: String
    var sql: String
    /// The checker must find it, too: it claims more than the rows show.
    var claimsMore = false
  }

  private struct Claim {
    var number, window, traversal: Int64
    var verdict: String
    var cause: String?
    var proofs: [String]
    var answers: [Int64]
    /// For each answer one of another list or night, with other records.
    var strangers: [Int64: Int64] = [:]
  }

  @Test("is found by prove and by a checker that shares no line with it")
  func found() async throws {
    let scratch = ScratchFolder(isInMemory: true)
    var forged: [String: Forgery] = [:]
    var sound: [String] = []
    var count = 0
    for seed in Self.seeds {
      let kept = "\(scratch.path)/seed-\(seed).db"
      let failure = try await SeedRuns.failure(of: seed, keeping: kept)
      #expect(failure == nil)
      sound.append(kept)
      for claim in try Self.claims(kept) {
        for forgery in Self.forgeries(of: claim) {
          count += 1
          let folder = "\(scratch.path)/forged-\(count)"
          try Self.forge(forgery, kept, in: folder)
          if try await Self.holds(folder) {
            Issue.record("seed \(seed), certificate \(claim.number): prove passes \(forgery.name)")
          }
          if forgery.claimsMore, count % 2 == 0 {
            forged["\(folder)/trawl.db"] = forgery
          } else {
            unlink("\(folder)/trawl.db")
          }
        }
      }
    }
    #expect(count > 100 && forged.count > 10, "\(count), \(forged.count)")
    let files = sound + forged.keys.sorted()
    let found = Set(
      try await IndependentChecker.findings(in: files).filter { !$0.value.isEmpty }.keys)
    #expect(sound.filter(found.contains).isEmpty, "the checker finds what is no forgery")
    let missed = forged.filter { !found.contains($0.key) }.map(\.value.name)
    #expect(missed.isEmpty, "the checker passes \(missed.sorted())")
  }

  @Test("is found by each clause of that checker, and by nothing else where the clause is left out")
  func clauses() async throws {
    let ended = await IndependentChecker.clauses()
    #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
  }

  private static func claims(_ path: String) throws -> [Claim] {
    let connection = try Connection(path, .readOnly)
    defer { connection.close() }
    var claims = try connection.rows(
      "SELECT certificate, window, traversal, verdict, cause, proofs FROM trawl_certificates c "
        + "WHERE certificate = (SELECT max(certificate) FROM trawl_certificates x "
        + "WHERE x.window = c.window) AND EXISTS (SELECT 1 FROM trawl_pages p "
        + "WHERE p.window = c.window AND p.traversal = c.traversal)"
    ) { row in
      Claim(
        number: row.integer(0), window: row.integer(1), traversal: row.integer(2),
        verdict: row.text(3) ?? "", cause: row.text(4),
        proofs: ProofList.kinds(row.text(5)).map(\.rawValue), answers: [])
    }
    for index in claims.indices {
      claims[index].answers = try connection.rows(
        "SELECT page FROM trawl_pages WHERE window = ? AND traversal = ? ORDER BY page",
        [.integer(claims[index].window), .integer(claims[index].traversal)]
      ) { $0.integer(0) }
      for answer in claims[index].answers {
        claims[index].strangers[answer] = try connection.integer(
          "SELECT o.page FROM trawl_pages o, trawl_pages p WHERE p.page = ? AND length(o.keys) > 0 "
            + "AND o.keys <> p.keys AND (o.window <> p.window OR o.traversal <> p.traversal) "
            + "ORDER BY o.page % 7, o.page LIMIT 1", [.integer(answer)])
      }
    }
    return claims
  }

  private static func forgeries(of claim: Claim) -> [Forgery] {
    let own = "WHERE certificate = \(claim.number)"
    var forgeries: [Forgery] = []
    // Every proof that it does not have.
    for kind in ProofKind.allCases.map(\.rawValue) where !claim.proofs.contains(kind) {
      // Two equal walks may exist beside a stronger proof, which is then the only one named.
      let isHidden = kind == ProofKind.twice.rawValue && !claim.proofs.isEmpty
      let rests =
        [ProofKind.twice, .joined].map(\.rawValue).contains(kind)
        ? "(SELECT max(certificate) FROM trawl_certificates x WHERE x.window = \(claim.window) "
          + "AND x.certificate < \(claim.number))" : "NULL"
      forgeries.append(
        Forgery(
          name: "\(claim.verdict) as complete (\(kind))",
          sql: "UPDATE trawl_certificates SET verdict = 'complete', cause = NULL, withheld = 0, "
            + "is_as_declared = 1, proof = '\(kind)', proofs = '\(kind)', rests_on = \(rests) \(own)",
          claimsMore: !isHidden))
    }
    // Every verdict and cause.
    let claims: [(String, String?)] =
      Verdict.allCases.map { ($0.rawValue, nil) }
      + Shortfall.allCases.flatMap { [("incomplete", $0.rawValue), ("limited", $0.rawValue)] }
    for (verdict, cause) in claims where verdict != claim.verdict || cause != claim.cause {
      if verdict == "complete" || ["incomplete", "limited"].contains(verdict) && cause == nil {
        continue
      }
      forgeries.append(
        Forgery(
          name: "\(claim.verdict) as \(verdict) (\(cause ?? "-"))",
          sql: "UPDATE trawl_certificates SET verdict = '\(verdict)', "
            + "cause = \(cause.map { "'\($0)'" } ?? "NULL"), proof = NULL, proofs = NULL, "
            + "rests_on = NULL \(own)"))
    }
    forgeries += [
      Forgery(
        name: "a verdict that is none",
        sql: "UPDATE trawl_certificates SET verdict = 'sound' \(own)"),
      Forgery(
        name: "a rule that is none", sql: "UPDATE trawl_certificates SET rule = 'whim' \(own)"),
    ]
    guard claim.verdict == "complete" else { return forgeries }
    if let first = claim.proofs.first {
      let other = first == "steady" ? "counted" : "steady"
      forgeries.append(
        Forgery(
          name: "\(other) as the first of its proofs",
          sql: "UPDATE trawl_certificates SET proof = '\(other)' \(own)"))
    }
    if claim.proofs.first == ProofKind.twice.rawValue {
      forgeries.append(
        Forgery(
          name: "no answer of the walk that it rests on",
          sql: "DELETE FROM trawl_pages WHERE (window, traversal) IN (SELECT window, traversal "
            + "FROM trawl_certificates WHERE certificate = (SELECT rests_on FROM trawl_certificates "
            + "\(own)))", claimsMore: true))
    }
    // Answers that are missing, doubled, at another place, in another order, for another purpose, or with other keys.
    // Keys of looks only count if the proof rests on them.
    let others =
      claim.proofs.contains(ProofKind.ends.rawValue) ? "'signOfMore'" : "'signOfMore', 'lastPage'"
    let hasKeys = "length(keys) > 0 AND purpose NOT IN (\(others))"
    for (index, page) in claim.answers.enumerated() {
      let row = "WHERE page = \(page)"
      forgeries += [
        Forgery(name: "answer \(index + 1) gone", sql: "DELETE FROM trawl_pages \(row)"),
        Forgery(
          name: "answer \(index + 1) one place on",
          sql: "UPDATE trawl_pages SET ordinal = ordinal + 1 \(row)"),
        Forgery(
          name: "answer \(index + 1) for another purpose",
          sql: "UPDATE trawl_pages SET purpose = iif(purpose = 'seam', 'repair', 'seam') \(row)"),
        Forgery(
          name: "answer \(index + 1) in the place of a page that could not be read",
          sql: "UPDATE trawl_pages SET trouble = 'unreadable' \(row)"),
        Forgery(
          name: "the keys of answer \(index + 1)",
          sql: "UPDATE trawl_pages SET keys = zeroblob(length(keys)) \(row) AND \(hasKeys); "
            + "UPDATE trawl_pages SET ordinal = 9 \(row) AND NOT (\(hasKeys))"),
        Forgery(
          name: "the cursor of answer \(index + 1)",
          sql: "UPDATE trawl_pages SET cursor = 'token of another list' \(row)"),
      ]
      if let stranger = claim.strangers[page] {
        let columns =
          "keys, received, new, changed, unchanged, repeated, dropped, rejected, total, more"
        forgeries.append(
          Forgery(
            name: "answer \(index + 1) with the records of another list or night",
            sql: "UPDATE trawl_pages SET (\(columns)) = "
              + "(SELECT \(columns) FROM trawl_pages o WHERE o.page = \(stranger)) \(row)"))
      }
      if index > 0 {
        let before = claim.answers[index - 1]
        forgeries.append(
          Forgery(
            name: "answers \(index) and \(index + 1) in the other order",
            sql: "UPDATE trawl_pages SET page = -1 WHERE page = \(before); "
              + "UPDATE trawl_pages SET page = \(before) WHERE page = \(page); "
              + "UPDATE trawl_pages SET page = \(page) WHERE page = -1"))
      }
    }
    // Two of these at once.
    let single = forgeries.filter { $0.name.hasPrefix("answer") }
    for (one, other) in zip(single, single.dropFirst(4)) {
      forgeries.append(
        Forgery(name: "\(one.name), \(other.name)", sql: "\(one.sql); \(other.sql)"))
    }
    let walk = "window = \(claim.window) AND traversal = \(claim.traversal)"
    if !claim.proofs.contains(ProofKind.joined.rawValue) {
      forgeries.append(
        Forgery(
          name: "a sign that more follow",
          sql: "UPDATE trawl_pages SET signs = '[[\"next\",\"more\",\"2\",2]]' WHERE page = "
            + "(SELECT page FROM trawl_pages WHERE \(walk) AND purpose = 'page' "
            + "ORDER BY ordinal DESC LIMIT 1)", claimsMore: true))
    }
    forgeries += [
      Forgery(
        name: "nothing of what its walk was handed",
        sql: "UPDATE trawl_pages SET handed = NULL WHERE window = \(claim.window) "
          + "AND traversal = \(claim.traversal)"),
      Forgery(
        name: "what its walk was handed, which cannot be read",
        sql: "UPDATE trawl_pages SET handed = '{' WHERE \(walk) AND handed IS NOT NULL"),
      Forgery(name: "no rules", sql: "DELETE FROM trawl_facts WHERE kind = 'rules'"),
      Forgery(
        name: "other rules under the same name",
        sql: "UPDATE trawl_facts SET fact = '{\"paging\":\"single\",\"one_page\":true}' "
          + "WHERE kind = 'rules'"),
      Forgery(
        name: "more records",
        sql: "UPDATE trawl_certificates SET distinct_keys = distinct_keys + 1, "
          + "keys_count = keys_count + 1 \(own)"),
      Forgery(name: "another pattern", sql: "UPDATE trawl_certificates SET pattern = 42 \(own)"),
    ]
    return forgeries
  }

  private static func forge(_ forgery: Forgery, _ file: String, in folder: String) throws {
    mkdir(folder, 0o700)
    let path = "\(folder)/trawl.db"
    do {
      let original = try Connection(file, .readWrite)
      defer { original.close() }
      try original.execute("VACUUM INTO '\(path)'")
    }
    let connection = try Connection(path, .readWrite)
    defer { connection.close() }
    try Functions.define(on: connection)
    for statement in forgery.sql.split(separator: ";") {
      try connection.execute(String(statement))
    }
    try connection.resealBook()
  }

  private static func holds(_ folder: String) async throws -> Bool {
    let store = try await RecordStore.open(
      DataFolder(creating: folder), RecordStore.Settings(time: VirtualTime().timekeeper))
    let proof = try await store.prove()
    await store.close()
    return proof.holds
  }
}

extension Connection {
  /// Computes valid seals and counts for the book, as a bug in the program would have written them.
  fileprivate func resealBook() throws {
    for table in Book.tables where table.name != Book.facts.name {
      try execute("UPDATE \(table.name) SET seal = \(table.seal(\.name))")
    }
    for table in Book.tables {
      try execute(
        "UPDATE trawl_facts SET fact = (SELECT count(*) FROM \(table.name)) "
          + "WHERE kind = 'rows' AND subject = '\(table.name)'")
    }
    try execute("UPDATE trawl_facts SET seal = \(Book.facts.seal(\.name))")
  }
}
