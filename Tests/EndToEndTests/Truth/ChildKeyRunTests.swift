import TestSupport
import Testing

@Suite("A key that tells the records of one list apart, and not those of two", .prompt)
struct ChildKeyRunTests {
  private let home = Home()

  /// Three topics. Notes are numbered from 1 in each, the last topic has one; likes are shared.
  private static func reply(_ call: AnswerServer.Call, shared: Bool) -> AnswerServer.Reply {
    let parts = call.target.split(separator: "/")
    guard parts.count > 1, let topic = Int(parts[1].prefix { $0 != "?" }) else {
      return .json("[{\"id\": 1}, {\"id\": 2}, {\"id\": 3}]")
    }
    let notes = (1...(topic == 3 ? 1 : 4)).map { number in
      let words = shared ? "note \(number)" : "note \(number) of topic \(topic)"
      return
        #"{"number": \#(number), "words": "\#(words)", "kind": "note", "likes": \#(topic * 10)}"#
    }
    let first = call.number("offset") ?? 0
    return .json("[\(notes.dropFirst(first).joined(separator: ", "))]")
  }

  private func job(
    _ server: AnswerServer, key: String, topic: String = "{ topic: \"{id} as integer\" }, ",
    pages: String = "by: \"single\""
  ) -> String {
    home.write(
      """
      {
        base: "\(server.origin)",
        streams: {
          topics: { get: "/topics", pages: { by: "single" }, records: ".", columns: ["id integer"], key: ["id"] },
          notes: {
            get: "/topics/{id}", for: { each: "topics.id" }, pages: { \(pages) }, records: ".",
            key: [\(key)],
            columns: [\(topic)"number integer", "words", "kind", "likes integer"],
          },
        },
      }
      """, to: "forum.json5")
  }

  @Test(
    "is named, and no list whose records replaced those of another one is complete",
    arguments: [
      ("by: \"single\"", ["incomplete ambiguous key"]),
      (
        "by: \"offset\", to: \"?offset\", size: \"?limit=10\"",
        ["complete", "incomplete ambiguous key", "incomplete ambiguous key"]
      ),
    ])
  func clash(pages: String, verdicts: [String]) async throws {
    let server = AnswerServer { Self.reply($0, shared: false) }
    await home.trawl(
      "run", job(server, key: "\"number\"", pages: pages), ends: 3,
      saying: "the key does not distinguish them")
    let claimed = try home.tables.texts(
      "SELECT verdict || ifnull(' ' || cause, '') FROM trawl_trust WHERE list LIKE 'notes%' ORDER BY 1"
    )
    #expect(claimed == verdicts)
    // No run of the same file does better.
    let index = await home.shell("cat \"$D/reports/index.html\"").output
    #expect(index.holds("1 falls short") && !index.holds("heals with"), "\(index)")
    await home.trawl("prove", "forum", ends: 0)
  }

  @Test("is complete with its parent's key beside it")
  func both() async throws {
    let server = AnswerServer { Self.reply($0, shared: false) }
    await home.trawl("run", job(server, key: "\"topic\", \"number\""), ends: 0)
    #expect(try home.count("forum_notes") == 9)
  }

  @Test("is believed where the lists share their records, and a counter moved in between")
  func shared() async throws {
    let server = AnswerServer { Self.reply($0, shared: true) }
    await home.trawl("run", job(server, key: "\"number\"", topic: ""), ends: 0)
    #expect(try home.count("forum_notes") == 4)
  }
}
