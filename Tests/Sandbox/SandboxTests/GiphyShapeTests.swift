import Base
@testable import SandboxKit
import Testing

@Suite("An answer of the sandbox's GIPHY")
struct GiphyShapeTests {
  private static func gifs(_ client: RawClient) async throws -> [JSONValue] {
    var gifs: [JSONValue] = []
    for offset in stride(from: 0, to: 150, by: 50) {
      let answer = try await client.get("/giphy/gifs/trending?limit=50&offset=\(offset)")
      gifs += Array(try #require(try answer.json()["data"]).elements)
    }
    return gifs
  }

  /// The stills in the order in which a careful client looks for one.
  private static let stills = [
    "fixed_height_still", "fixed_width_still", "downsized_still", "original_still", "fixed_height",
  ]

  private static func url(_ gif: JSONValue, _ rendition: String) -> String? {
    let url = gif["images"]?[rendition]?["url"]?.string
    return url == "" ? nil : url
  }

  @Test("tells numbers as texts, absence as an empty text, and never in two forms")
  func fields() async throws {
    try await withSandbox { _, client in
      let gifs = try await Self.gifs(client)
      #expect(gifs.allSatisfy { $0["images"]?["original"]?["width"]?.string != nil })
      #expect(gifs.allSatisfy { $0["is_sticker"]?.integer != nil })
      #expect(gifs.contains { $0["title"]?.string == "" })
      #expect(gifs.contains { $0["username"]?.string == "" && $0["user"] == nil })
      #expect(gifs.contains { $0["user"]?["username"]?.string != nil })
      let times = gifs.flatMap { [$0["import_datetime"], $0["trending_datetime"]] }
        .compactMap { $0?.string }
      // A parser of dates fails on the first, and a naive one stores 1970 for the second.
      #expect(times.contains("0000-00-00 00:00:00"))
      #expect(times.contains("1970-01-01 00:00:00"))
      #expect(times.allSatisfy { $0.utf8.count == 19 && $0.utf8.dropFirst(10).first == 32 })
      let ids = gifs.compactMap { $0["id"]?.string }
      #expect(ids.allSatisfy { (13...18).contains($0.utf8.count) })
    }
  }

  @Test("has ids that differ by case alone: a client that folds case takes one for the other")
  func caseOfIDs() async throws {
    try await withSandbox { sandbox, client in
      let ids = try #require(sandbox.truth("giphy")).tables[0].keys
      #expect(Set(ids).count == ids.count)
      #expect(Set(ids.map { $0.lowercased() }).count < ids.count)
      let twin = try #require(
        ids.first { id in ids.contains { $0 != id && $0.lowercased() == id.lowercased() } })
      let answer = try await client.get("/giphy/gifs/\(twin)")
      let root = try answer.json()
      #expect(root["data"]?["id"]?.string == twin)
    }
  }

  @Test("lacks the best still now and then: a client that looks for one alone loses images")
  func stills() async throws {
    try await withSandbox(options(.demo)) { sandbox, client in
      let gifs = try await Self.gifs(client)
      let best = gifs.compactMap { Self.url($0, Self.stills[0]) }
      #expect(best.count < gifs.count)
      #expect(gifs.contains { $0["images"]?[Self.stills[0]] == nil })
      #expect(gifs.contains { $0["images"]?[Self.stills[0]]?["url"]?.string == "" })
      #expect(gifs.allSatisfy { gif in Self.stills.contains { Self.url(gif, $0) != nil } })
    }
  }

  @Test("names a file by another URL on each call: a client that keys by URL fetches it again")
  func mediaURLs() async throws {
    try await withSandbox { sandbox, client in
      let truth = try #require(sandbox.truth("giphy"))
      let id = try #require(truth.list("trending", of: "rating=g")).keys[3]
      var urls: Set<String> = []
      var hosts: Set<Substring> = []
      var bodies: Set<String> = []
      for _ in 0..<8 {
        let gif = try #require(try await client.get("/giphy/gifs/\(id)?api_key=me").json()["data"])
        let url = try #require(Self.stills.lazy.compactMap { Self.url(gif, $0) }.first)
        urls.insert(url)
        let path = String(url.dropFirst(sandbox.origin.utf8.count))
        hosts.insert(path.split(separator: "/")[1])
        let answer = try await client.get(path)
        #expect(answer.status == 200 && answer["Content-Type"] == "image/gif")
        bodies.insert(SHA256.hex(answer.body))
      }
      #expect(urls.count == 8)
      #expect(hosts.count > 1 && hosts.allSatisfy { $0.hasSuffix(".giphy.com") })
      let plain = truth.media.first { $0.url.contains("/\(id)/") }
      #expect(bodies == [try #require(plain?.sha256)])
    }
  }

  @Test("of several ids leaves out the unknown ones, keeps the order, and takes at most 100")
  func several() async throws {
    try await withSandbox { sandbox, client in
      let ids = try #require(sandbox.truth("giphy")).tables[0].keys
      let asked = [ids[9], "nobodyKnowsThis", ids[2]]
      let answer = try await client.get("/giphy/gifs?ids=" + asked.joined(separator: ","))
      let root = try answer.json()
      #expect(
        root["data"]?.elements.compactMap { $0["id"]?.string } == [ids[9], ids[2]])
      let many = ids.prefix(101).joined(separator: ",")
      #expect(try await client.get("/giphy/gifs?ids=\(many)").status == 400)
      #expect(try await client.get("/giphy/gifs?ids=").status == 400)
    }
  }

  @Test("of one id is an object, and of an unknown one 404 with a meta")
  func single() async throws {
    try await withSandbox { sandbox, client in
      let id = try #require(sandbox.truth("giphy")).tables[0].keys[5]
      let known = try await client.get("/giphy/gifs/\(id)").json()
      #expect(known["data"]?.isObject == true)
      let unknown = try await client.get("/giphy/gifs/nobodyKnowsThis")
      let root = try unknown.json()
      #expect(unknown.status == 404)
      #expect(root["meta"]?["status"]?.integer == 404)
    }
  }

  @Test("of trending words is texts, not objects, and has no pagination")
  func words() async throws {
    try await withSandbox { sandbox, client in
      let root = try await client.get("/giphy/trending/searches").json()
      let words = root["data"]?.elements.compactMap { $0.string } ?? []
      #expect(words == sandbox.truth("giphy")?.list("trending_words", of: "")?.keys)
      #expect(root["pagination"] == nil)
      #expect(words.contains("고양이") && words.contains("AT&T") && words.contains("c#"))
    }
  }

  @Test("of tags completes what is typed, five at a time")
  func tags() async throws {
    try await withSandbox { sandbox, client in
      let names = { (root: JSONValue) in root["data"]?.elements.compactMap { $0["name"]?.string } }
      let first = try await client.get("/giphy/gifs/search/tags?q=ca").json()
      let all = try await client.get("/giphy/gifs/search/tags?q=ca&limit=50").json()
      let truth = sandbox.truth("giphy", of: "typed=ca")?.list("tags", of: "typed=ca")?.keys
      #expect(names(first)?.count == 5)
      #expect(names(all) == truth && names(all)?.count ?? 0 > 20)
      let korean = GiphyWalk.encoded("고")
      let found = try await client.get("/giphy/gifs/search/tags?q=\(korean)").json()
      #expect(names(found)?.first == "고양이")
    }
  }

  @Test("of an older day writes its offset as text")
  func offsetAsText() async throws {
    try await withSandbox(options { $0.giphy.writesOffsetAsText = true }) { _, client in
      let root = try await client.get("/giphy/gifs/trending?offset=25").json()
      #expect(root["pagination"]?["offset"]?.string == "25")
    }
  }
}
