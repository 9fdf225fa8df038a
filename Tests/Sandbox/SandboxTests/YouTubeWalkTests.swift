import Base
import SandboxKit
import TestSupport
import Testing

/// Walks lists as a careful client does: to the end of the tokens, whatever the totals say.
struct YouTubeWalk {
  let client: RawClient

  struct Page {
    var ids: [String]
    var total: Int64
    var token: String?
  }

  func pages(_ target: String) async throws -> [Page] {
    var pages: [Page] = []
    var token: String?
    repeat {
      let answer = try await client.get(target + (token.map { "&pageToken=\($0)" } ?? ""))
      try #require(answer.status == 200)
      let root = try answer.json()
      token = root["nextPageToken"]?.string
      let ids = root.list("items").map(Self.id)
      let total = try #require(root["pageInfo"]?["totalResults"]?.integer)
      pages.append(Page(ids: ids, total: Int64(total), token: token))
    } while token != nil && pages.count < 200
    return pages
  }

  static func id(_ item: JSONValue) -> String {
    item["id"]?["videoId"]?.string ?? item["contentDetails"]?["videoId"]?.string
      ?? item["id"]?["channelId"]?.string ?? item["id"]?.string ?? ""
  }

  static let search = "/youtube/search?part=snippet&type=video&order=date&maxResults=50"
}

@Suite("Walking the sandbox's YouTube", .prompt)
struct YouTubeWalkTests {
  @Test(
    "following tokens reaches exactly what the truth tells", arguments: [SandboxSize.small, .demo])
  func reachesTruth(size: SandboxSize) async throws {
    try await withSandbox(options(size)) { sandbox, client in
      for (query, words) in [("swift%20language", "swift language"), ("sqlite", "sqlite")] {
        let walk = YouTubeWalk(client: client)
        let pages = try await walk.pages(YouTubeWalk.search + "&q=\(query)")
        let truth = try #require(sandbox.truth("youtube", of: "q=\(words)"))
        let list = try #require(truth.list("search", of: "q=\(words)"))
        #expect(pages.flatMap(\.ids) == list.keys)
        #expect(Set(list.keys).count == list.keys.count && list.behindCeiling == 0)
        let known = Set(try #require(truth.tables.first).keys)
        #expect(known.isSuperset(of: list.keys))
      }
    }
  }

  @Test(
    "the demo's search: 212 videos while its total says 640 and moves, a short page, an empty last")
  func demo() async throws {
    try await withSandbox(options(.demo)) { _, client in
      let walk = YouTubeWalk(client: client)
      let pages = try await walk.pages(YouTubeWalk.search + "&q=swift%20language")
      #expect(pages.map(\.ids.count).reduce(0, +) == 212)
      #expect(pages[0].total == 640)
      #expect(Set(pages.map(\.total)).count > 1)
      // A client that stops at a short page ends early, and one that pages by the total asks 13.
      let firstShort = try #require(pages.firstIndex { $0.ids.count < 50 })
      #expect(firstShort < pages.count - 2)
      #expect(pages.count == 6)
      #expect(pages[4].token != nil && pages[5].ids.isEmpty && pages[5].token == nil)
    }
  }

  @Test("a search with more than 500 ends near 500 without a word, and its total says more")
  func ceiling() async throws {
    try await withSandbox { sandbox, client in
      let walk = YouTubeWalk(client: client)
      let pages = try await walk.pages(YouTubeWalk.search + "&q=music")
      let truth = try #require(sandbox.truth("youtube", of: "q=music"))
      let list = try #require(truth.list("search", of: "q=music"))
      #expect(pages.count == 10 && pages.flatMap(\.ids) == list.keys)
      #expect((450..<500).contains(list.keys.count))
      #expect(list.keys.count + list.behindCeiling == 640)
      #expect(pages[9].total > 1900)
    }
  }

  @Test("windows of time reach what lies behind the ceiling, in halves")
  func windows() async throws {
    try await withSandbox { sandbox, client in
      let walk = YouTubeWalk(client: client)
      let cut = "2023-01-01T00:00:00Z"
      let older = try await walk.pages(YouTubeWalk.search + "&q=music&publishedBefore=\(cut)")
      let newer = try await walk.pages(YouTubeWalk.search + "&q=music&publishedAfter=\(cut)")
      let all = (newer + older).flatMap(\.ids)
      let truth = try #require(sandbox.truth("youtube", of: "q=music"))
      let list = try #require(truth.list("search", of: "q=music"))
      #expect(all.count == 640 && Set(all).count == 640)
      #expect(Set(all).isSuperset(of: list.keys))
      for missing in ["publishedAfter=2023-01-01T00:00:00", "publishedBefore=2023-01-01"] {
        let answer = try await client.get(YouTubeWalk.search + "&q=music&\(missing)")
        #expect(answer.status == 400, "without a zone")
      }
    }
  }

  @Test("a channel's uploads are whole, newest first, and gone videos keep their place")
  func uploads() async throws {
    try await withSandbox { sandbox, client in
      let channel = "UCtrawlSandboxChannel001"
      let parts = "part=snippet,contentDetails"
      let answer = try await client.get("/youtube/channels?\(parts)&id=\(channel)").json()
      let details = try #require(answer.list("items").first?["contentDetails"])
      let list = try #require(details["relatedPlaylists"]?["uploads"]?.string)
      #expect(details["relatedPlaylists"]?["likes"]?.string == "")
      let target = "/youtube/playlistItems?\(parts)&maxResults=50&playlistId=\(list)"
      var gone = 0
      var shown: [String] = []
      var token: String?
      repeat {
        let page = try await client.get(target + (token.map { "&pageToken=\($0)" } ?? "")).json()
        for item in page.list("items") {
          let isGone = item["contentDetails"]?["videoPublishedAt"] == nil
          if isGone {
            let title = try #require(item["snippet"]?["title"]?.string)
            #expect(["Deleted video", "Private video"].contains(title))
            #expect(item["snippet"]?["thumbnails"]?.names == [])
            gone += 1
          } else {
            shown.append(YouTubeWalk.id(item))
          }
        }
        token = page["nextPageToken"]?.string
      } while token != nil
      let truth = try #require(sandbox.truth("youtube", of: "channel=\(channel)"))
      let listed = try #require(truth.list("uploads", of: list))
      #expect(shown == listed.keys)
      #expect(gone == listed.hidden && gone > 0)
    }
  }

  @Test("a token is of use for its own list alone, a built one for none, and for some hours only")
  func tokens() async throws {
    let time = VirtualTime()
    try await withSandbox(options { $0.time = time.timekeeper }) { _, client in
      let target = YouTubeWalk.search + "&q=music"
      let token = try #require(try await client.get(target).json()["nextPageToken"]?.string)
      #expect(try await client.get("\(target)&pageToken=\(token)").status == 200)
      time.advance(by: .seconds(3 * 3600))
      #expect(try await client.get("\(target)&pageToken=\(token)").status == 200)
      let other = YouTubeWalk.search + "&q=swift&pageToken=\(token)"
      time.advance(by: .seconds(2 * 3600))
      for wrong in ["\(target)&pageToken=CDIQAA", "\(target)&pageToken=\(token)", other] {
        let answer = try await client.get(wrong)
        #expect(answer.status == 400)
        let error = try answer.json()["error"]?.list("errors").first
        #expect(error?["reason"]?.string == "invalidPageToken")
      }
    }
  }

  @Test(
    "a walk over a list that moves meets videos twice or misses them; the truth knows which left")
  func drift() async throws {
    try await withSandbox(options(.demo) { $0.drift = 2 }) { sandbox, client in
      let walk = YouTubeWalk(client: client)
      let ids = try await walk.pages(YouTubeWalk.search + "&q=swift%20language").flatMap(\.ids)
      let truth = try #require(sandbox.truth("youtube"))
      let list = try #require(truth.list("search", of: "q=swift language"))
      #expect(ids != list.keys)
      #expect(Set(ids).count < ids.count || !Set(ids).isSuperset(of: list.keys))
      #expect(!list.left.isEmpty && Set(list.left).isDisjoint(with: list.keys))
    }
  }

  @Test("the same seed gives the same bytes, another seed others")
  func determinism() async throws {
    func body(seed: UInt64) async throws -> String {
      let time = VirtualTime()
      return try await withSandbox(
        options {
          $0.seed = seed
          $0.time = time.timekeeper
        }
      ) { sandbox, client in
        let answer = try await client.get(YouTubeWalk.search + "&q=swift")
        return answer.text.split(separator: sandbox.origin).joined(separator: "ORIGIN")
      }
    }
    let first = try await body(seed: 1)
    #expect(try await body(seed: 1) == first)
    #expect(try await body(seed: 2) != first)
  }
}

@Suite("The sandbox's proxy before YouTube", .prompt)
struct YouTubeProxyTests {
  @Test("pages count from 1, the total is exact, and the id stands in the thumbnail's path alone")
  func walk() async throws {
    try await withSandbox { sandbox, client in
      var keys: [String] = []
      for page in 1...6 {
        let root = try await client.get("/youtube-proxy/?page=\(page)&maxResults=10").json()
        #expect(root["pageInfo"]?["totalResults"]?.integer == 57)
        #expect(root["nextPageToken"] == nil)
        for item in root.list("items") {
          #expect(item.names == ["snippet"])
          let url = try #require(item["snippet"]?["thumbnails"]?["high"]?["url"]?.string)
          let parts = url.split(separator: "/")
          let mark = try #require(parts.firstIndex(of: "vi"))
          keys.append(String(parts[mark + 1]))
          #expect(parts[mark + 1].utf8.count == 11)
        }
      }
      let truth = try #require(sandbox.truth("youtube-proxy"))
      #expect(keys == truth.list("videos", of: "")?.keys)
      #expect(keys.count == 57 && Set(keys).count == 57)
      let past = try await client.get("/youtube-proxy?page=7&maxResults=10").json()
      #expect(past.list("items").isEmpty)
      // A client that keys images by the last part of the path takes all for one.
      #expect(Set(truth.media.map { $0.url.split(separator: "/").last }).count == 1)
      #expect(Set(truth.media.map(\.sha256)).count == 57)
    }
  }
}
