import Base
import SandboxKit
import TestSupport
import Testing

@Suite("trawl search", .prompt)
struct SearchRunTests {
  private static func filled() async throws -> Home {
    let sandbox = try Sandbox.changed()
    let home = Home()
    for job in ["newsapi", "openmarket", "youtube"] {
      await home.run(home.arguments(of: job, sandbox), ends: 0)
    }
    return home
  }

  @Test("shows the title, the place of the word, and what to open; one job's, and as many as asked")
  func shown() async throws {
    let home = try await Self.filled()
    let ended = await home.trawl(
      "search", "swift", "--job", "newsapi", "--limit", "2", ends: 0, saying: "more than 2",
      without: "youtube_videos")
    // The key of an article is its link, which is shown once.
    #expect(ended.output.pieces(around: "newsapi_articles").count == 3, "\(ended.output)")
    #expect(ended.output.pieces(around: "https://").count == 3, "\(ended.output)")
    let none = await home.trawl("search", "zzzz", ends: 0, saying: "nothing found")
    #expect(none.output.isEmpty, "\(none.output)")
    await home.trawl("search", "x", "--job", "newsapy", ends: 64, saying: "newsapy")
  }

  private static let odd: [([String], Int32)] = [
    ([""], 64), (Array(repeating: "a", count: 17), 64),
    ([String(repeating: "a", count: 201)], 64), ([String(repeating: "\"", count: 200)], 0),
    (["a", "AND"], 0), (["NOT"], 0), (["NEAR(", "^", "*"], 0), (["'; DROP TABLE items; --"], 0),
    (["\u{1b}[31m"], 0), (Array(repeating: "한", count: 16), 0),
  ]

  @Test(
    "words that are too many, too long or empty are refused; no other word is an error",
    arguments: odd)
  func words(words: [String], status: Int32) async throws {
    let home = Home()
    let sandbox = try Sandbox.changed()
    await home.run(home.arguments(of: "youtube-proxy", sandbox), ends: 0)
    let ended = await home.run(["search", "--data", home.data, "--"] + words, ends: status)
    #expect(
      !ended.errors.lowercased().holds("sql") && !ended.errors.holds("fts"), "\(ended.errors)")
    #expect(!ended.everything.holds("\u{1b}"))
  }
}
