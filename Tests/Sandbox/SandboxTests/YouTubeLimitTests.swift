import Base
import SandboxKit
import TestSupport
import Testing

@Suite("The sandbox's YouTube refuses as YouTube does")
struct YouTubeLimitTests {
  private static let video = "/youtube/videos?part=id&id=AAAAAAAAAAA"

  @Test("100 searches a day: then 429 with the reason of a burst, until midnight in Los Angeles")
  func searches() async throws {
    // 2026-11-21 07:59:59Z: in Los Angeles it is one second before midnight.
    let time = VirtualTime(at: Instant(seconds: 1_795_247_999 - 3600))
    try await withSandbox(options { $0.time = time.timekeeper }) { _, client in
      for _ in 0..<100 {
        // A search that fails costs one too, and another key does not help.
        let answer = try await client.get("/youtube/search?part=x", ["X-Goog-Api-Key: a"])
        #expect(answer.status == 400)
      }
      let spent = try await client.get(YouTubeWalk.search, ["X-Goog-Api-Key: b"])
      #expect(spent.status == 429)
      #expect(spent["Retry-After"] == nil)
      let error = try #require(try spent.json()["error"])
      #expect(error.list("errors").first?["reason"]?.string == "rateLimitExceeded")
      let metadata = error.list("details").first?["metadata"]
      #expect(metadata?["quota_limit"]?.string == "defaultSearchListPerDayPerProject")
      #expect(metadata?["quota_unit"]?.string == "1/d/{project}")
      #expect(metadata?["quota_limit_value"]?.string == "100")
      #expect(try await client.get(Self.video).status == 200, "the units are another bucket")
      time.advance(by: .seconds(3600))
      #expect(try await client.get(YouTubeWalk.search).status == 429)
      time.advance(by: .seconds(1))
      #expect(try await client.get(YouTubeWalk.search).status == 200)
    }
  }

  @Test("the units of the day: then 403 quotaExceeded, while searches go on")
  func units() async throws {
    try await withSandbox(options { $0.youTube.unitsPerDay = 3 }) { _, client in
      for _ in 0..<3 { #expect(try await client.get(Self.video).status == 200) }
      let spent = try await client.get(Self.video)
      #expect(spent.status == 403)
      let error = try #require(try spent.json()["error"])
      #expect(error.list("errors").first?["reason"]?.string == "quotaExceeded")
      #expect(error.list("errors").first?["domain"]?.string == "youtube.quota")
      #expect(error["message"]?.string?.contains("<a href") == true)
      #expect(try await client.get(YouTubeWalk.search).status == 200)
    }
  }

  @Test(
    "a key that begins with bad is refused, in words that only the details make clear",
    arguments: [(["X-Goog-Api-Key: bad1"], ""), ([], "&key=bad1")])
  func badKey(fields: [String], suffix: String) async throws {
    try await withSandbox { _, client in
      let answer = try await client.get(Self.video + suffix, fields)
      #expect(answer.status == 400)
      let error = try #require(try answer.json()["error"])
      #expect(error.list("errors").first?["reason"]?.string == "badRequest")
      #expect(error.list("details").first?["reason"]?.string == "API_KEY_INVALID")
    }
  }

  @Test("an unchanged answer is 304 and costs as much")
  func conditional() async throws {
    try await withSandbox(options { $0.youTube.unitsPerDay = 2 }) { _, client in
      let tag = try #require(try await client.get(Self.video)["ETag"])
      let second = try await client.get(Self.video, ["If-None-Match: \(tag)"])
      #expect(second.status == 304 && second.body.isEmpty)
      #expect(try await client.get(Self.video).status == 403)
    }
  }
}
