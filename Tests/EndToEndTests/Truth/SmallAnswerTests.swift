import Base
import TestSupport
import Testing

/// Answers of the shipped jobs' APIs that say less than they seem to.
@Suite("A small answer", .prompt)
struct SmallAnswerTests {
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

  @Test(
    "that is short of its total is short, and not at the limit", arguments: [(67, 60), (38, 37)])
  func shortOfTotal(total: Int, shown: Int) async throws {
    let server = AnswerServer { _ in
      .json(#"{"status":"ok","totalResults":\#(total),"articles":[\#(Self.articles(shown))]}"#)
    }
    defer { server.stop() }
    let home = Home()
    for stream in ["headlines", "everything"] {
      let ended = await Self.run(["newsapi", "--stream", stream], home, server)
      #expect(ended.status == 3, "\(ended.errors)")
      #expect(ended.errors.holds("incomplete (count)"), "\(ended.errors)")
      #expect(ended.errors.holds("the API counts \(total), and \(shown) were received"))
      #expect(!ended.errors.holds("limit of 100"))
    }
    #expect(try Tables(home).count("SELECT count(*) FROM newsapi_articles") == shown)
  }

  @Test("that names the limit keeps the records beside it")
  func recordsBesideLimit() async throws {
    let server = AnswerServer { _ in
      .json(
        #"{"status":"error","code":"maximumResultsReached","message":"max of 37","#
          + #""totalResults":37,"articles":[\#(Self.articles(37))]}"#)
    }
    defer { server.stop() }
    let home = Home()
    let ended = await Self.run(["newsapi", "--stream", "everything"], home, server)
    #expect(ended.status == 3, "\(ended.errors)")
    #expect(ended.errors.holds("limited (ceiling)") && ended.errors.holds("max of 37"))
    #expect(try Tables(home).count("SELECT count(*) FROM newsapi_articles") == 37)
  }

  @Test("that is an error says what the API says", arguments: [200, 426, 403])
  func ownWords(status: Int) async throws {
    let server = AnswerServer { _ in
      .json(
        #"{"status":"error","code":"newCode","message":"Your plan has ended\u001b[2J."}"#,
        status: status)
    }
    defer { server.stop() }
    let home = Home()
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
    defer { server.stop() }
    let home = Home()
    let arguments = ["youtube", "--set", "channel=\(Self.channel)", "--stream", "channels"]
    let none = await Self.run(arguments + ["--stream", "uploads"], home, server)
    #expect(none.status == 0, "\(none.errors)")
    #expect(try Tables(home).verdicts()["channel \(Self.channel)"] == "complete")
    isStranger.withLock { $0 = true }
    let other = await Self.run(arguments + ["--stream", "uploads"], home, server)
    #expect(other.status == 3, "\(other.errors)")
    #expect(other.errors.holds(Self.channel), "\(other.errors)")
    #expect(
      server.calls.allSatisfy { $0.target.hasPrefix("/channels") }, "nothing of the stranger's")
    #expect(try Tables(home).count("SELECT count(*) FROM youtube_channels") == 0)
  }

  private static func gifs(_ call: AnswerServer.Call) -> String {
    let offset =
      call.target.pieces(around: "offset=").last
      .flatMap { Int($0.prefix { $0 != "&" }) } ?? 0
    let gifs = (offset..<max(offset, min(120, offset + 50))).map {
      #"{"id":"g\#($0)","title":"t"}"#
    }
    return #"{"data":[\#(gifs.joined(separator: ","))],"#
      + #""pagination":{"total_count":120,"offset":\#(offset),"count":\#(gifs.count)},"#
      + #""meta":{"status":200,"msg":"OK"}}"#
  }

  @Test(
    "in the place of a page is asked for again",
    arguments: [
      #"{"data":null,"pagination":{"total_count":120,"offset":49},"meta":{"status":200}}"#,
      #"{"pagination":{"total_count":120,"offset":49},"meta":{"status":200}}"#,
      #"{"data":null,"pagination":{"total_count":0},"error":"down","meta":{"status":200}}"#,
      #"{"data":[],"pagination":{"total_count":0},"meta":{"status":500,"msg":"Internal"}}"#,
    ])
  func pageOfNothing(body: String) async throws {
    let isDown = Locked(true)
    let server = AnswerServer { call in
      let isSecond = call.target.holds("offset=49")
      let isBad =
        isSecond
        && isDown.withLock { isDown in
          defer { isDown = false }
          return isDown
        }
      return .json(isBad ? body : Self.gifs(call))
    }
    defer { server.stop() }
    let home = Home()
    let ended = await Self.run(["giphy", "--stream", "trending"], home, server)
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(try Tables(home).count("SELECT count(*) FROM giphy_gifs") == 120)
  }

  @Test("at the end of a channel's uploads marks nobody: every answer counts more than came")
  func emptyLastPage() async throws {
    let isDown = Locked(false)
    let server = AnswerServer { call in
      if call.target.hasPrefix("/channels") {
        return .json(
          #"{"pageInfo":{"totalResults":1},"items":[{"id":"\#(Self.channel)","snippet":"#
            + #"{"title":"c"},"contentDetails":{"relatedPlaylists":{"uploads":"UUab"}}}]}"#)
      }
      if call.target.hasPrefix("/videos") { return .json(#"{"items":[{"id":"v"}]}"#) }
      let from =
        call.target.pieces(around: "pageToken=T").last
        .flatMap { Int($0.prefix { $0 != "&" }) } ?? 0
      let count = from == 100 && isDown.withLock { $0 } ? 0 : 120
      let items = (from..<max(from, min(count, from + 50))).map { number in
        #"{"snippet":{"title":"t"},"contentDetails":{"videoId":"v\#(number)","#
          + #""videoPublishedAt":"2024-01-01T00:00:00Z"}}"#
      }
      let next = from + 50 < 120 ? #","nextPageToken":"T\#(from + 50)""# : ""
      return .json(
        #"{"pageInfo":{"totalResults":120},"items":[\#(items.joined(separator: ","))]\#(next)}"#)
    }
    defer { server.stop() }
    let home = Home()
    let arguments = [
      "youtube", "--set", "channel=\(Self.channel)", "--stream", "channels", "--stream", "uploads",
    ]
    #expect(await Self.run(arguments, home, server).status == 0)
    isDown.withLock { $0 = true }
    let ended = await Self.run(arguments, home, server)
    let gone = "SELECT count(*) FROM youtube_uploads WHERE vanished_at IS NOT NULL"
    #expect(try Tables(home).count(gone) == 0, "\(ended.errors)")
    #expect(try Tables(home).count("SELECT count(*) FROM youtube_uploads") == 120)
    #expect(try Tables(home).verdicts()["uploads UUab"] == "incomplete")
    #expect(!server.calls.contains { $0.target.hasPrefix("/videos") })
  }
}
