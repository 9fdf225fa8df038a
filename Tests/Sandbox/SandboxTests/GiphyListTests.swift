import Base
import SandboxKit
import Testing

/// Walks GIPHY's lists as a careful client does, and as careless ones do.
struct GiphyWalk {
  let client: RawClient

  struct Page {
    var ids: [String]
    var total: Int
    var count: Int
    var offset: Int
  }

  static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      let hex = String(byte, radix: 16, uppercase: true)
      return isPlain
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hex
    }.joined()
  }

  func page(_ path: String, offset: Int, limit: Int) async throws -> Page {
    let mark = path.contains("?") ? "&" : "?"
    let answer = try await client.get("/giphy\(path)\(mark)offset=\(offset)&limit=\(limit)")
    try #require(answer.status == 200, "\(answer.text)")
    let root = try answer.json()
    let pagination = try #require(root["pagination"])
    return Page(
      ids: root["data"]?.elements.compactMap { $0["id"]?.string } ?? [],
      total: Int(try #require(pagination["total_count"]?.integer)),
      count: Int(try #require(pagination["count"]?.integer)),
      offset: Int(pagination["offset"]?.integer ?? -1))
  }

  /// By the limit that was asked for, the last window cut to the ceiling, up to an empty page.
  func carefulPages(_ path: String, ceiling: Int, limit: Int = 50) async throws -> [Page] {
    var pages: [Page] = []
    var offset = 0
    while offset < ceiling, pages.count < 1000 {
      let page = try await page(path, offset: offset, limit: min(limit, ceiling - offset))
      pages.append(page)
      if page.ids.isEmpty { break }
      offset += limit
    }
    return pages
  }
}

func distinct(_ ids: [String]) -> [String] {
  var seen: Set<String> = []
  return ids.filter { seen.insert($0).inserted }
}

@Suite("A list of the sandbox's GIPHY")
struct GiphyListTests {
  private static func many(_ change: (inout SandboxOptions) -> Void = { _ in }) -> SandboxOptions {
    options {
      $0.giphy.callsPerHour = 100_000
      change(&$0)
    }
  }

  @Test(
    "is walked by a careful client to exactly what the truth tells",
    arguments: [SandboxSize.small, .demo])
  func reachesTruth(size: SandboxSize) async throws {
    try await withSandbox(options(size)) { sandbox, client in
      let walk = GiphyWalk(client: client)
      let truth = try #require(sandbox.truth("giphy"))
      let trending = try await walk.carefulPages("/gifs/trending?rating=g", ceiling: 499)
      let cats = try await walk.carefulPages("/gifs/search?q=cat&rating=g", ceiling: 4999)
      #expect(
        distinct(trending.flatMap(\.ids)) == truth.list("trending", of: "rating=g")?.keys)
      #expect(distinct(cats.flatMap(\.ids)) == truth.list("search", of: "q=cat")?.keys)
    }
  }

  @Test("the demo holds what its transcript counts: 499 of 4,250 trend, 333 cats, 30 words")
  func demo() async throws {
    try await withSandbox(options(.demo)) { sandbox, client in
      let truth = try #require(sandbox.truth("giphy"))
      #expect(truth.lists.map(\.keys.count) == [499, 333, 30])
      #expect(truth.lists.map(\.behindCeiling) == [3751, 0, 0])
      let cats = try await GiphyWalk(client: client).carefulPages(
        "/gifs/search?q=cat&rating=g", ceiling: 4999)
      #expect(cats.count == 8 && cats[7].ids.isEmpty, "offset 350 is empty")
    }
  }

  @Test("a client that keeps its limit at the end loses the last window: it gets zeros for it")
  func silentCeiling() async throws {
    try await withSandbox(options(.demo)) { _, client in
      let walk = GiphyWalk(client: client)
      let last = try await walk.page("/gifs/trending?rating=g", offset: 450, limit: 50)
      #expect(last.ids.isEmpty && last.total == 0 && last.count == 0 && last.offset == 0)
      let whole = try await walk.page("/gifs/trending?rating=g", offset: 450, limit: 49)
      #expect(whole.ids.count == 49 && whole.total > 4000 && whole.offset == 450)
      for (offset, limit, isEmpty) in [(4974, 25, false), (4975, 25, true), (5000, 1, true)] {
        try await withSandbox(options(.large)) { _, client in
          let page = try await GiphyWalk(client: client).page(
            "/gifs/search?q=cat&rating=g", offset: offset, limit: limit)
          #expect(page.ids.isEmpty == isEmpty)
          #expect((page.total == 0) == isEmpty)
        }
      }
    }
  }

  @Test("a client that takes ids for distinct counts some twice, in one answer and across two")
  func repeats() async throws {
    try await withSandbox(Self.many()) { sandbox, client in
      let pages = try await GiphyWalk(client: client).carefulPages(
        "/gifs/trending?rating=g", ceiling: 499, limit: 25)
      #expect(pages.contains { Set($0.ids).count < $0.ids.count })
      let acrossTwo = pages.indices.contains { later in
        pages[..<later].contains { !Set($0.ids).isDisjoint(with: pages[later].ids) }
      }
      #expect(acrossTwo)
      let listed = try #require(sandbox.truth("giphy")?.list("trending", of: "rating=g")).keys
      #expect(pages.flatMap(\.ids).count > listed.count)
      #expect(Set(listed).count == listed.count)
    }
  }

  @Test("a client that ends at a short page, or goes on by what came, reads wrong places")
  func shortPages() async throws {
    try await withSandbox(options(.demo)) { _, client in
      let walk = GiphyWalk(client: client)
      let pages = try await walk.carefulPages("/gifs/search?q=cat&rating=g", ceiling: 4999)
      let short = try #require(pages.firstIndex { $0.ids.count < 50 })
      #expect(pages[short].count == pages[short].ids.count)
      #expect(short < pages.count - 3, "a short page in mid-list")
      let byCount = try await walk.page(
        "/gifs/search?q=cat&rating=g", offset: pages[0].count, limit: 50)
      #expect(!Set(byCount.ids).isDisjoint(with: pages[0].ids), "it is read again")
    }
  }

  @Test("a client that ends when it has total_count of them never ends: places stay empty")
  func totals() async throws {
    try await withSandbox(options(.demo)) { _, client in
      let pages = try await GiphyWalk(client: client).carefulPages(
        "/gifs/search?q=cat&rating=g", ceiling: 4999)
      #expect(Set(pages.map(\.total)).count > 1)
      let listed = distinct(pages.flatMap(\.ids)).count
      #expect(pages.allSatisfy { $0.total > listed })
    }
  }

  @Test("holds what a rating lets in, and a wider one holds more; without one all is listed")
  func ratings() async throws {
    try await withSandbox(Self.many()) { sandbox, client in
      let walk = GiphyWalk(client: client)
      var sizes: [Int] = []
      for rating in ["g", "pg", "pg-13", "r"] {
        let pages = try await walk.carefulPages("/gifs/trending?rating=\(rating)", ceiling: 499)
        let ids = distinct(pages.flatMap(\.ids))
        let truth = sandbox.truth("giphy", of: "rating=\(rating)")
        #expect(ids == truth?.list("trending", of: "rating=\(rating)")?.keys)
        let found = try await walk.carefulPages(
          "/gifs/search?q=ok&rating=\(rating)", ceiling: 4999)
        let of = "rating=\(rating) q=ok"
        #expect(
          distinct(found.flatMap(\.ids))
            == sandbox.truth("giphy", of: of)?.list("search", of: of)?.keys)
        sizes.append(ids.count)
      }
      #expect(sizes == sizes.sorted() && Set(sizes).count == 4)
      let all = try await walk.carefulPages("/gifs/trending", ceiling: 499)
      #expect(distinct(all.flatMap(\.ids)).count == sizes[3])
      let answer = try await client.get("/giphy/gifs/trending?rating=x")
      #expect(answer.status == 400)
    }
  }

  @Test(
    "of a search is another for each text, byte for byte",
    arguments: [
      "고양이", "a&b", "1=1", "rock + roll", "c#", "a/b", "caf\u{e9}", "cafe\u{301}", "100%",
    ])
  func queries(text: String) async throws {
    try await withSandbox(Self.many()) { sandbox, client in
      let walk = GiphyWalk(client: client)
      let path = "/gifs/search?rating=g&q=" + GiphyWalk.encoded(text)
      let pages = try await walk.carefulPages(path, ceiling: 4999)
      let truth = sandbox.truth("giphy", of: "q=\(text)")?.list("search", of: "q=\(text)")
      let keys = try #require(truth).keys
      #expect(distinct(pages.flatMap(\.ids)) == keys && !keys.isEmpty)
      // A client that does not encode asks for another text.
      let plain = String(text.utf8.prefix { !"&#+ ".utf8.contains($0) }) ?? ""
      if !plain.utf8.elementsEqual(text.utf8), !plain.isEmpty {
        #expect(
          sandbox.truth("giphy", of: "q=\(plain)")?.list("search", of: "q=\(plain)")?.keys != keys)
      }
    }
  }

  @Test("pages are of 25, of at most 50, and of 100 for a key in production")
  func pageSizes() async throws {
    for (plan, most) in [(SandboxPlan.developer, 50), (.business, 100)] {
      try await withSandbox(options(.demo) { $0.plan = plan }) { _, client in
        let walk = GiphyWalk(client: client)
        for (asked, due) in [(10, 10), (0, 25), (-3, 25), (400, most)] {
          let page = try await walk.page("/gifs/trending", offset: 0, limit: asked)
          #expect(page.ids.count == due)
        }
      }
    }
  }

  @Test("gives the same bytes for the same seed and the same requests, and others for another")
  func isDeterministic() async throws {
    var bodies: [[UInt8]] = []
    for seed: UInt64 in [3, 3, 4] {
      bodies.append(
        try await withSandbox(options { $0.seed = seed }) { sandbox, client in
          let answer = try await client.get("/giphy/gifs/trending?limit=50")
          return Array(answer.text.split(separator: sandbox.origin).joined().utf8)
        })
    }
    #expect(bodies[0] == bodies[1])
    #expect(bodies[0] != bodies[2])
  }

  @Test("moves when it is told to, and while it is walked")
  func drift() async throws {
    try await withSandbox(Self.many()) { sandbox, client in
      let truth = { try #require(sandbox.truth("giphy")) }
      let before = try truth()
      sandbox.drift("giphy", insert: 2, delete: 1)
      sandbox.drift("giphy", insert: 1, list: "q=cat")
      let after = try truth()
      for list in ["trending", "search"] {
        let of = list == "trending" ? "rating=g" : "q=cat"
        let (old, new) = (
          before.list(list, of: of)?.keys ?? [], after.list(list, of: of)?.keys ?? []
        )
        #expect(Set(new).subtracting(old).count == (list == "trending" ? 2 : 1))
      }
      let pages = try await GiphyWalk(client: client).carefulPages(
        "/gifs/trending?rating=g", ceiling: 499)
      #expect(distinct(pages.flatMap(\.ids)) == after.list("trending", of: "rating=g")?.keys)
    }
    try await withSandbox(Self.many { $0.drift = 2 }) { sandbox, client in
      let before = sandbox.truth("giphy")?.list("trending", of: "rating=g")
      _ = try await GiphyWalk(client: client).carefulPages("/gifs/trending?rating=g", ceiling: 499)
      #expect(sandbox.truth("giphy")?.list("trending", of: "rating=g") != before)
    }
  }
}
