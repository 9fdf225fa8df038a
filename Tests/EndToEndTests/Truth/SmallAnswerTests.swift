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

  private static func run(
    _ arguments: [String], _ home: Home, _ server: AnswerServer
  ) async -> BinaryRun.Ended {
    await home.run(
      ["run"] + arguments + [
        "--endpoint", server.origin, "--data", home.data, "--send-key-to", server.origin,
      ], keys)
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
    let ended = await Self.run(["newsapi", "--stream", "everything"], home, server)
    #expect(ended.status == 3, "\(ended.errors)")
    #expect(ended.errors.holds("limited (ceiling)") && ended.errors.holds("max of 37"))
    #expect(try home.count("newsapi_articles") == 37)
  }

  @Test("that is an error says what the API says", arguments: [200, 426, 403])
  func ownWords(status: Int) async throws {
    let server = AnswerServer { _ in
      .json(
        #"{"status":"error","code":"newCode","message":"Your plan has ended\u001b[2J."}"#,
        status: status)
    }
    let ended = await Self.run(["newsapi", "--stream", "headlines"], home, server)
    #expect(ended.status == (status == 403 ? 77 : 1), "\(ended.errors)")
    #expect(ended.errors.holds("Your plan has ended [2J."), "\(ended.errors)")
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
    let arguments = ["youtube", "--set", "channel=\(Self.channel)", "--stream", "channels"]
    let none = await Self.run(arguments + ["--stream", "uploads"], home, server)
    #expect(none.status == 0, "\(none.errors)")
    #expect(try home.tables.verdicts()["channel \(Self.channel)"] == "complete")
    isStranger.withLock { $0 = true }
    let other = await Self.run(arguments + ["--stream", "uploads"], home, server)
    #expect(other.status == 3, "\(other.errors)")
    #expect(other.errors.holds(Self.channel), "\(other.errors)")
    #expect(
      server.calls.allSatisfy { $0.target.hasPrefix("/channels") }, "nothing of the stranger's")
    #expect(try home.count("youtube_channels") == 0)
  }
}
