import Base
import SandboxKit
import TestSupport
import Testing

@Suite("The sandbox's YouTube answers in YouTube's shapes")
struct YouTubeShapeTests {
  private static func videos(_ client: RawClient, _ ids: [String]) async throws -> [JSONValue] {
    let list = ids.joined(separator: ",")
    let parts = "part=snippet,statistics,contentDetails"
    return try await client.get("/youtube/videos?\(parts)&id=\(list)").json().list("items")
  }

  @Test("titles are escaped for HTML in a search and nowhere else")
  func escaping() async throws {
    try await withSandbox(options(.demo)) { _, client in
      let found = try await client.get(YouTubeWalk.search + "&q=swift%20language").json()
      var titles: [String: String] = [:]
      for item in found.list("items") {
        titles[YouTubeWalk.id(item)] = item["snippet"]?["title"]?.string
      }
      #expect(titles.values.contains { $0.contains("&amp;") })
      #expect(titles.values.contains { $0.contains("&#39;") })
      for video in try await Self.videos(client, Array(titles.keys)) {
        let plain = try #require(video["snippet"]?["title"]?.string)
        let escaped = try #require(titles[YouTubeWalk.id(video)])
        #expect(escaped == plain || plain.contains { "&<>\"'".contains($0) })
        #expect(!plain.contains("&amp;"))
      }
    }
  }

  @Test("a search shows three thumbnails, videos up to five, and each file exists")
  func thumbnails() async throws {
    try await withSandbox { sandbox, client in
      let found = try await client.get(YouTubeWalk.search + "&q=swift%20language").json()
      let items = found.list("items")
      for item in items {
        let names = item["snippet"]?["thumbnails"]?.names
        #expect(names == ["default", "medium", "high"])
      }
      var counts: Set<Int> = []
      let videos = try await Self.videos(client, items.map(YouTubeWalk.id))
      for video in videos { counts.insert(video["snippet"]?["thumbnails"]?.names.count ?? 0) }
      #expect(counts == [3, 4, 5])
      let shown = try #require(videos[0]["snippet"]?["thumbnails"])
      for member in shown.members {
        let url = try #require(member.value["url"]?.string)
        let path = String(url.dropFirst(sandbox.origin.utf8.count))
        #expect(try await client.get(path).status == 200)
      }
    }
  }

  @Test("counts are texts and may be hidden; dates have none to six digits of a fraction")
  func statistics() async throws {
    try await withSandbox(options(.demo)) { _, client in
      let found = try await client.get(YouTubeWalk.search + "&q=swift%20language").json()
      let items = found.list("items")
      var digits: Set<Int> = []
      for item in items {
        let date = try #require(item["snippet"]?["publishedAt"]?.string)
        #expect(date.hasSuffix("Z"))
        digits.insert(date.utf8.count == 20 ? 0 : date.utf8.count - 21)
      }
      #expect(digits.isSuperset(of: [0, 3, 6]))
      let videos = try await Self.videos(client, items.map(YouTubeWalk.id))
      #expect(videos.count == items.count)
      let likes = videos.map { $0["statistics"]?["likeCount"] }
      #expect(likes.contains { $0 == nil } && likes.contains { $0?.string != nil })
      #expect(videos.allSatisfy { $0["statistics"]?["viewCount"]?.string != nil })
      #expect(videos.allSatisfy { $0["contentDetails"]?["duration"]?.string?.first == "P" })
    }
  }

  @Test("views grow with the sandbox's clock")
  func growth() async throws {
    let time = VirtualTime()
    try await withSandbox(options { $0.time = time.timekeeper }) { sandbox, client in
      let truth = try #require(sandbox.truth("youtube"))
      let ids = Array(truth.lists[0].keys.prefix(5))
      func views() async throws -> [Int] {
        try await Self.videos(client, ids).map {
          Int($0["statistics"]?["viewCount"]?.string ?? "") ?? -1
        }
      }
      let first = try await views()
      time.advance(by: .seconds(7200))
      let second = try await views()
      #expect(first.count == 5 && zip(first, second).allSatisfy { $0 <= $1 } && first != second)
    }
  }

  @Test("unknown ids are left out, and 51 of them are too many")
  func unknown() async throws {
    try await withSandbox { sandbox, client in
      let key = try #require(sandbox.truth("youtube")?.lists[0].keys.first)
      let some = try await client.get("/youtube/videos?part=id&id=AAAAAAAAAAA,\(key),x").json()
      #expect(some.list("items").map(YouTubeWalk.id) == [key])
      let bare = try await client.get("/youtube/channels?part=id&id=UC0000000000000000000000")
      #expect(bare.status == 200)
      #expect(try bare.json()["items"] == nil)
      let empty = try await client.get("/youtube/channels?part=id&id=nobody").json()
      #expect(empty.list("items").isEmpty)
      let many = Array(repeating: key, count: 51).joined(separator: ",")
      #expect(try await client.get("/youtube/videos?part=id&id=\(many)").status == 400)
      let list = try await client.get("/youtube/playlistItems?part=id&playlistId=UUx")
      #expect(list.status == 404)
      let reason = try list.json()["error"]?.list("errors").first?["reason"]?.string
      #expect(reason == "playlistNotFound")
    }
  }

  @Test("without a kind, channels stand between the videos, and their thumbnails have no size")
  func kinds() async throws {
    try await withSandbox { _, client in
      let target = "/youtube/search?part=snippet&maxResults=50&q=sqlite"
      let mixed = try await client.get(target).json().list("items")
      let kinds = Set(mixed.compactMap { $0["id"]?["kind"]?.string })
      #expect(kinds == ["youtube#video", "youtube#channel"])
      let channel = try #require(mixed.first { $0["id"]?["channelId"] != nil })
      #expect(channel["snippet"]?["thumbnails"]?["high"]?["width"] == nil)
      let videos = try await client.get(target + "&type=video").json().list("items")
      #expect(videos.allSatisfy { $0["id"]?["videoId"] != nil })
      #expect(videos.count > mixed.count { $0["id"]?["videoId"] != nil })
    }
  }

  @Test("five a page unless asked for more, and never more than fifty")
  func pageSizes() async throws {
    try await withSandbox { _, client in
      var counts: [Int] = []
      for size in ["", "&maxResults=500", "&maxResults=0"] {
        let target = "/youtube/search?part=snippet&type=video&q=music" + size
        counts.append(
          Int(try await client.get(target).json()["pageInfo"]?["resultsPerPage"]?.integer ?? -1))
      }
      #expect(counts == [5, 50, 0])
      #expect(try await client.get("/youtube/search?part=snippet&maxResults=x").status == 400)
      #expect(try await client.get("/youtube/search?q=music").status == 400)
      let part = try await client.get("/youtube/search?part=nothing&q=music").json()
      #expect(part["error"]?["message"]?.string == "{0}")
    }
  }

  @Test(
    "words reach the search byte for byte",
    arguments: ["고양이", "C++", "C#", "C++ & C#", "1/2 + 1/2 = 1"])
  func words(query: String) async throws {
    try await withSandbox { sandbox, client in
      let encoded = PercentEncoding.encoded(query)
      let page = try await client.get(YouTubeWalk.search + "&q=\(encoded)").json()
      let ids = page.list("items").map(YouTubeWalk.id)
      let list = sandbox.truth("youtube", of: "q=\(query)")?.list("search", of: "q=\(query)")
      #expect(!ids.isEmpty && ids == list?.keys)
    }
  }

  @Test("two searches share videos")
  func shared() async throws {
    try await withSandbox { sandbox, _ in
      let truth = try #require(sandbox.truth("youtube", of: "q=linux"))
      let linux = Set(try #require(truth.list("search", of: "q=linux")).keys)
      let swift = Set(try #require(truth.list("search", of: "q=swift language")).keys)
      #expect(!linux.isDisjoint(with: swift) && !linux.isSuperset(of: swift))
    }
  }

  @Test(
    "fields names what of an answer is wanted",
    arguments: [
      ("kind", #"{"kind":"youtube#channelListResponse"}"#),
      ("items(id)", #"{"items":[{"id":"UCtrawlSandboxChannel001"}]}"#),
      ("items/id", #"{"items":[{"id":"UCtrawlSandboxChannel001"}]}"#),
      (
        "items(id,snippet/customUrl),kind",
        #"{"kind":"youtube#channelListResponse","items":[{"id":"UCtrawlSandboxChannel001","#
          + #""snippet":{"customUrl":"@sandbox1"}}]}"#
      ),
      ("items(*/customUrl)", #"{"items":[{"snippet":{"customUrl":"@sandbox1"}}]}"#),
      ("nothing", "{}"),
    ])
  func fields(fields: String, expected: String) async throws {
    try await withSandbox { _, client in
      let path = "/youtube/channels?part=snippet&forHandle=@sandbox1&fields="
      let answer = try await client.get(path + fields)
      #expect(String(decoding: answer.body, as: UTF8.self) == expected)
    }
  }

  @Test("what asks for nothing, for a field that is none, or without a key is refused")
  func refusals() async throws {
    try await withSandbox(options { $0.needsKeys = true }) { _, client in
      for (query, status, word) in [
        ("part=id&key=k", 400, "No filter selected"),
        ("part=id&id=x&fields=items(&key=k", 400, "Invalid field selection"),
        ("part=id&id=x", 403, "unregistered callers"),
        ("part=id&forUsername=nobody&key=k", 200, "totalResults"),
      ] {
        let answer = try await client.get("/youtube/channels?\(query)")
        #expect(answer.status == status, "\(query)")
        #expect(String(decoding: answer.body, as: UTF8.self).contains(word), "\(query)")
      }
    }
  }
}
