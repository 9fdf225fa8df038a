import Base
import TestSupport
import Testing

@Suite("Records without a key of their own", .prompt)
struct OwnKeyRunTests {
  private static func job(_ server: AnswerServer, _ home: Home, columns: String, more: String = "")
    -> String
  {
    home.write(
      """
      {
        name: "shelf",
        base: "\(server.origin)",
        streams: {
          things: {
            get: "/things", pages: { by: "single" }, \(more)
            into: "things", columns: { \(columns) },
          },
        },
      }

      """, to: "shelf.json5")
  }

  @Test("are known by a digest of what they say, whatever the order of their members")
  func digest() async throws {
    let body = Locked(
      #"{"items": [{"a": 1, "b": {"c": [1, 2], "d": "é"}}, {"a": 2}, {"a": 2}, {"a": 2.0}]}"#)
    let server = AnswerServer { _ in .json(body.withLock { $0 }) }
    let home = Home()
    let job = Self.job(
      server, home, columns: "digest: \"digest()\", a: \"a as real\"",
      more: "records: \"items\", key: [\"digest\"], vanish: \"mark\",")
    await home.trawl("run", job, ends: 0)
    #expect(try home.count("shelf_things") == 3)
    // The same records, written in another order; one is gone and one is new.
    body.withLock {
      $0 = #"{"items": [{"b": {"d": "é", "c": [1, 2]}, "a": 1}, {"a": 2}, {"a": 3}]}"#
    }
    await home.trawl("run", job, ends: 0, saying: "1 new")
    #expect(
      try home.tables.texts(
        "SELECT a || '' FROM shelf_things WHERE vanished_at IS NULL ORDER BY a") == [
          "1.0", "2.0", "3.0",
        ])
  }

  @Test("are known by their names, where they are the members of an object")
  func names() async throws {
    let server = AnswerServer { _ in
      .json(#"{"rates": {"USD": 1.1, "GBP": 0.85, "": 3, "JPY": 160}, "base": "EUR"}"#)
    }
    let home = Home()
    let job = Self.job(
      server, home, columns: "currency: \"name()\", rate: \". as real\"",
      more: "records: \"rates.*\", key: [\"currency\"],")
    await home.trawl("run", job, ends: 0)
    #expect(
      try home.tables.texts("SELECT currency || '=' || rate FROM shelf_things ORDER BY currency")
        == ["=3.0", "GBP=0.85", "JPY=160.0", "USD=1.1"])
    await home.trawl("prove", "shelf", ends: 0)
  }
}
