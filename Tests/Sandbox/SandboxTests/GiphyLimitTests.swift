import Base
import SandboxKit
import TestSupport
import Testing

@Suite("A refusal of the sandbox's GIPHY")
struct GiphyLimitTests {
  @Test("comes after 100 calls in any hour, in two bodies, and no header tells when it ends")
  func hour() async throws {
    let time = VirtualTime()
    try await withSandbox(options { $0.time = time.timekeeper }) { _, client in
      for call in 0..<100 {
        if call == 50 { time.advance(by: .seconds(1800)) }
        #expect(try await client.get("/giphy/trending/searches?api_key=a").status == 200)
      }
      var bodies: [JSONValue] = []
      for _ in 0..<2 {
        let answer = try await client.get("/giphy/gifs/trending?api_key=a")
        #expect(answer.status == 429)
        #expect(answer["Retry-After"] == nil && !answer.head.lowercased().contains("ratelimit"))
        bodies.append(try answer.json())
      }
      #expect(bodies[0]["meta"]?["status"]?.integer == 429)
      #expect(bodies[0]["data"]?.isArray == true)
      #expect(bodies[1]["meta"] == nil && bodies[1]["message"]?.string != nil)
      // Another key has an hour of its own, and images cost nothing.
      #expect(try await client.get("/giphy/gifs/trending?api_key=b").status == 200)
      // The hour rolls: half of it is free again when the first fifty are an hour old.
      time.advance(by: .seconds(1801))
      var free = 0
      while try await client.get("/giphy/gifs/trending?api_key=a").status == 200 { free += 1 }
      #expect(free == 50)
    }
  }

  @Test(
    "of a key has the form of the place that notices it",
    arguments: [("bad", 403, "meta"), ("bad-401", 401, "data"), ("bad-gateway", 403, "message")])
  func keys(key: String, status: Int, member: String) async throws {
    try await withSandbox { _, client in
      let answer = try await client.get("/giphy/gifs/trending?api_key=\(key)")
      #expect(answer.status == status)
      let root = try answer.json()
      #expect(root[member] != nil)
      #expect((root["data"] == nil) == (member != "data"))
    }
  }

  @Test("meets a key that stands anywhere but in the query")
  func keyPlace() async throws {
    try await withSandbox(options { $0.giphy.needsKey = true }) { _, client in
      let path = "/giphy/gifs/trending"
      for field in ["api_key: a", "Authorization: Bearer a", "X-Api-Key: a"] {
        let answer = try await client.get(path, [field])
        #expect(answer.status == 401)
      }
      let answer = try await client.get(path + "?api_key=a")
      #expect(answer.status == 200)
    }
  }

  @Test("meets words of more than 50 letters, whatever bytes they take, and none at all")
  func longQueries() async throws {
    try await withSandbox { _, client in
      let search = "/giphy/gifs/search?q="
      let korean = GiphyWalk.encoded("가")
      let long = String(repeating: korean, count: 51)
      #expect(try await client.get(search + String(repeating: korean, count: 50)).status == 200)
      let answer = try await client.get(search + long)
      #expect(answer.status == 414)
      let root = try answer.json()
      #expect(root["meta"]?["status"]?.integer == 414)
      #expect(try await client.get(search).status == 400)
    }
  }

  @Test("can be armed, in its two bodies and as a 200")
  func armed() async throws {
    try await withSandbox { sandbox, client in
      let kinds: [(FaultKind, Int)] = [
        (.giphyMeta, 429), (.giphyMessage, 429), (.giphyHidden, 200),
      ]
      for (kind, status) in kinds {
        sandbox.arm(ArmedFault(kind, target: "trending"))
        let answer = try await client.get("/giphy/gifs/trending")
        #expect(answer.status == status)
        let root = try answer.json()
        #expect(root["pagination"] == nil)
        #expect(try await client.get("/giphy/gifs/trending").status == 200)
      }
      #expect(
        sandbox.requests(api: "giphy").map(\.outcome)
          == kinds.flatMap { [$0.0.rawValue, "answered"] })
    }
  }
}
