import Base
import TestSupport
import Testing

/// Answers of the shipped jobs' APIs that say less than they seem to.
@Suite("A small answer", .prompt)
struct SmallAnswerTests {
  private let home = Home()
  private static let keys = [
    "NEWSAPI_KEY": "0123456789abcdef", "YOUTUBE_API_KEY": "0123456789abcdef",
    "GIPHY_API_KEY": "0123456789abcdef",
  ]
  private static let channel = "UCabcdefghijklmnopqrstuv"

  @discardableResult
  private func run(
    _ arguments: [String], _ server: AnswerServer, ends status: Int32, saying words: String = ""
  ) async -> BinaryRun.Ended {
    let place = ["--endpoint", server.origin, "--data", home.data, "--send-key-to", server.origin]
    return await home.run(["run"] + arguments + place, Self.keys, ends: status, saying: words)
  }

  private static func articles(_ count: Int) -> String {
    (0..<count).map {
      #"{"url":"https://x.example/\#($0)","title":"t","publishedAt":"2026-11-20T10:00:00Z"}"#
    }.joined(separator: ",")
  }

  @Test("that names the limit keeps the records beside it")
  func recordsBesideLimit() async throws {
    let server = AnswerServer { _ in
      .json(
        #"{"status":"error","code":"maximumResultsReached","message":"max of 37","#
          + #""totalResults":37,"articles":[\#(Self.articles(37))]}"#)
    }
    let ended = await run(
      ["newsapi", "--stream", "everything"], server, ends: 3, saying: "limited (ceiling)")
    #expect(ended.errors.holds("max of 37"), "\(ended.errors)")
    #expect(try home.count("newsapi_articles") == 37)
  }

  @Test("that is an error says what the API says", arguments: [200, 426, 403])
  func ownWords(status: Int) async throws {
    let server = AnswerServer { _ in
      .json(
        #"{"status":"error","code":"newCode","message":"Your plan has ended\u001b[2J."}"#,
        status: status)
    }
    await run(
      ["newsapi", "--stream", "headlines"], server, ends: status == 403 ? 77 : 1,
      saying: "Your plan has ended [2J.")
  }

  @Test("about a channel that there is not is an empty list, and one about another is refused")
  func channels() async throws {
    let isStranger = Locked(false)
    let server = AnswerServer { call in
      guard isStranger.withLock({ $0 }) else {
        return .json(#"{"kind":"youtube#channelListResponse","pageInfo":{"totalResults":0}}"#)
      }
      return .json(
        #"{"pageInfo":{"totalResults":1},"items":[{"id":"UCzzzzzzzzzzzzzzzzzzzzzz","snippet":"#
          + #"{"title":"c"},"contentDetails":{"relatedPlaylists":{"uploads":"UUzz"}}}]}"#)
    }
    let arguments = [
      "youtube", "--set", "channel=\(Self.channel)", "--stream", "channels", "--stream", "uploads",
    ]
    await run(arguments, server, ends: 0)
    #expect(try home.tables.verdicts()["channel \(Self.channel)"] == "complete")
    isStranger.withLock { $0 = true }
    await run(arguments, server, ends: 3, saying: Self.channel)
    #expect(
      server.calls.allSatisfy { $0.target.hasPrefix("/channels") }, "nothing of the stranger's")
    #expect(try home.count("youtube_channels") == 0)
  }
}
