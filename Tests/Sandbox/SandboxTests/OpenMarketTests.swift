import Base
@testable import SandboxKit
import Testing

@Suite("The sandbox's Open Market")
struct OpenMarketTests {
  private struct Page {
    var root: JSONValue
    var ids: [String]
  }

  private static func page(
    _ client: RawClient, _ api: String, _ query: String
  ) async throws -> Page {
    let answer = try await client.get("/\(api)/api/products?\(query)")
    try #require(answer.status == 200)
    let root = try answer.json()
    return Page(
      root: root,
      ids: root["pages"]?.elements.compactMap { $0["id"]?.integer.map { String($0) } } ?? [])
  }

  @Test(
    "is walked by its flag to exactly what the truth tells, newest first",
    arguments: ["openmarket", "openmarket-gen2"], [SandboxSize.small, .demo])
  func reachesTruth(api: String, size: SandboxSize) async throws {
    try await withSandbox(options(size)) { sandbox, client in
      var ids: [String] = []
      var number = 1
      while number < 100 {
        let page = try await Self.page(client, api, "page_no=\(number)&items_per_page=20")
        ids += page.ids
        let flag = page.root["hasNext"] ?? page.root["has_next"]
        if flag?.boolean == false { break }
        number += 1
      }
      let truth = try #require(sandbox.truth(api)?.list("products", of: "")).keys
      #expect(distinct(ids) == truth)
      #expect(truth.compactMap { Int($0) } == truth.compactMap { Int($0) }.sorted(by: >))
      let numbers = truth.compactMap { Int($0) }
      #expect(zip(numbers, numbers.dropFirst()).contains { $0 - $1 > 3 }, "ids have gaps")
    }
  }

  @Test("holds 243 products in the demo, of which page 2 of 100 brings 143")
  func demo() async throws {
    try await withSandbox(options(.demo)) { sandbox, client in
      #expect(sandbox.truth("openmarket")?.lists[0].keys.count == 243)
      let counts = [1, 2, 3]
      var found: [Int] = []
      for number in counts {
        let query = "page_no=\(number)&items_per_page=100"
        found.append(try await Self.page(client, "openmarket", query).ids.count)
      }
      #expect(found == [100, 143, 43])
    }
  }

  @Test("a client that counts records by its pages counts too many: page N holds N times as many")
  func longPages() async throws {
    try await withSandbox(options(.demo)) { _, client in
      let third = try await Self.page(client, "openmarket", "page_no=3&items_per_page=20")
      #expect(third.ids.count == 60)
      // Not the size of the page, though it is called limit.
      #expect(third.root["limit"]?.integer == 60 && third.root["offset"]?.integer == 40)
      #expect(third.root["lastPage"]?.integer == 13)
      let fourth = try await Self.page(client, "openmarket", "page_no=4&items_per_page=20")
      #expect(third.ids.contains(fourth.ids[0]))
      let short = try await Self.page(client, "openmarket-gen2", "page_no=3&items_per_page=20")
      #expect(short.ids.count == 20)
    }
  }

  @Test("writes its envelope in camel case or in snake case, and one camel key into an item")
  func envelopes() async throws {
    try await withSandbox { sandbox, client in
      let query = "page_no=1&items_per_page=10"
      let third = try await Self.page(client, "openmarket", query).root
      let second = try await Self.page(client, "openmarket-gen2", query).root
      let camel = ["pageNo", "itemsPerPage", "totalCount", "lastPage", "hasNext", "hasPrev"]
      let snake = ["page_no", "items_per_page", "total_count", "last_page", "has_next", "has_prev"]
      #expect(camel.allSatisfy { third[$0] != nil && second[$0] == nil })
      #expect(snake.allSatisfy { third[$0] == nil && second[$0] != nil })
      let item = try #require(third["pages"].map { Array($0.elements) }?.first)
      #expect(item["vendorName"] != nil && item["vendor_id"] != nil)
      #expect(second["pages"].map { Array($0.elements) }?.first?["vendorName"] == nil)
      let id = try #require(item["id"]?.integer)
      let details = [
        try await client.get("/openmarket/api/products/\(id)").json(),
        try await client.get("/openmarket-gen2/api/products/\(id)").json(),
      ]
      #expect(details[0]["vendorName"] == nil && details[0]["vendors"]?.isObject == true)
      let image = details.map { $0["images"].map { Array($0.elements) }?.first }
      #expect(image[0]?["succeed"] == nil && image[1]?["succeed"]?.boolean == true)
      #expect(details[1]["vendors"]?["created_at"] != nil)
      #expect(details[0]["images"]?.count ?? 0 >= 1)
    }
  }

  @Test(
    "writes prices as Java writes doubles: a reader of whole numbers fails on all, on 6.0E7 most")
  func prices() async throws {
    try await withSandbox { _, client in
      let page = try await Self.page(client, "openmarket", "items_per_page=100")
      let prices = page.root["pages"]?.elements.compactMap { $0["price"]?.rawNumber } ?? []
      #expect(prices.count == 57 && prices.allSatisfy { $0.contains(".") })
      #expect(prices.contains { $0.hasSuffix("0E7") })
      let items = page.root["pages"]?.elements.map { $0 } ?? []
      for item in items {
        let values = ["price", "bargain_price", "discounted_price"].compactMap { item[$0]?.real }
        #expect(values.count == 3 && abs(values[0] - values[1] - values[2]) < 0.001)
      }
      #expect(items.contains { $0["currency"]?.isString("USD") == true })
      #expect(items.contains { $0["stock"]?.integer ?? 0 > Int64(UInt32.max) })
    }
  }

  @Test("writes dates without a zone in every form that was seen, at midnight but for details")
  func dates() async throws {
    try await withSandbox { _, client in
      var forms: Set<String> = []
      for api in ["openmarket", "openmarket-gen2"] {
        let page = try await Self.page(client, api, "items_per_page=100")
        for item in page.root["pages"]?.elements.map({ $0 }) ?? [] {
          let text = try #require(item["created_at"]?.string)
          #expect(text.dropFirst(11).hasPrefix("00:00:00") && !text.hasSuffix("Z"))
          forms.insert("\(text.utf8.dropFirst(10).first == 32 ? " " : "T")\(text.utf8.count - 19)")
        }
      }
      #expect(forms.isSuperset(of: ["T0", " 0", "T2", "T3", " 4"]))
      var late: [String] = []
      for id in 20..<120 {
        let answer = try await client.get("/openmarket-gen2/api/products/\(id)")
        guard answer.status == 200, let text = try answer.json()["created_at"]?.string,
          text.dropFirst(11).hasPrefix("23:59")
        else { continue }
        late.append(text)
      }
      // Seconds, and the same digits again where a fraction belongs.
      #expect(!late.isEmpty)
      #expect(late.allSatisfy { $0.dropFirst(17).prefix(2) == $0.suffix(2) })
    }
  }

  @Test("finds products by a part of their name, also a Korean one and one with signs")
  func search() async throws {
    try await withSandbox(options(.demo)) { sandbox, client in
      for text in ["기타", "& 배", "1+1=2", "A/S", "c#", "100%", "nobody sells this"] {
        let query = "items_per_page=300&search_value=" + GiphyWalk.encoded(text)
        let page = try await Self.page(client, "openmarket", query)
        let of = "search=\(text)"
        #expect(page.ids == sandbox.truth("openmarket", of: of)?.list("products", of: of)?.keys)
        #expect(page.ids.isEmpty == (text == "nobody sells this"))
        #expect(page.root["totalCount"]?.integer == Int64(page.ids.count))
      }
    }
  }

  @Test(
    "has thumbnails without an ending, or with one that lies: only their bytes tell what they are")
  func thumbnails() async throws {
    try await withSandbox { sandbox, client in
      let images = try #require(sandbox.truth("openmarket")).media
      #expect(images.count { $0.url.hasSuffix("_thumb") } > images.count / 2)
      #expect(images.contains { $0.url.hasSuffix(".jpg") && $0.type != "image/jpeg" })
      for image in images.prefix(6) {
        let answer = try await client.get(String(image.url.dropFirst(sandbox.origin.utf8.count)))
        #expect(answer["Content-Type"] == image.type)
        #expect(SHA256.hex(answer.body) == image.sha256)
      }
      let unknown = "/media/market/training-resources/1/20220101/none_thumb"
      #expect(try await client.get(unknown).status == 404)
    }
  }

  @Test("says that it is well with quotes or without, and can be told to be unwell")
  func health() async throws {
    let cases: [(OpenMarketOptions.Health, String, Int, String)] = [
      (.usual, "openmarket", 200, "OK"), (.usual, "openmarket-gen2", 200, "\"OK\""),
      (.bare, "openmarket-gen2", 200, "OK"), (.quoted, "openmarket", 200, "\"OK\""),
      (.newline, "openmarket", 200, " OK \r\n"), (.no, "openmarket", 200, "NO"),
    ]
    for (health, api, status, text) in cases {
      try await withSandbox(options { $0.openMarket.health = health }) { _, client in
        let answer = try await client.get("/\(api)/healthChecker")
        #expect(answer.status == status && answer.text == text)
        #expect(answer["Content-Type"]?.hasPrefix("text/plain") == true, "a JSON decoder fails")
        #expect(try await client.get("/\(api)/checkHealth").status == 404)
      }
    }
    for (health, status) in [(OpenMarketOptions.Health.html, 200), (.status500, 500)] {
      try await withSandbox(options { $0.openMarket.health = health }) { _, client in
        let answer = try await client.get("/openmarket/healthChecker")
        #expect(answer.status == status && answer.text.hasPrefix("<html>"))
      }
    }
    try await withSandbox { sandbox, client in
      sandbox.arm(ArmedFault(.healthNo, target: "healthChecker"))
      let texts = [
        try await client.get("/openmarket/healthChecker").text,
        try await client.get("/openmarket/healthChecker").text,
      ]
      #expect(texts == ["NO", "OK"])
    }
  }

  @Test("refuses with a status and no word that could be decoded")
  func refusals() async throws {
    try await withSandbox { _, client in
      for (path, status) in [
        ("/api/products/1", 404), ("/api/products/x", 400), ("/api/product", 404),
        ("/api/products?page_no=0", 400), ("/api/products?page_no=x", 400),
      ] {
        let answer = try await client.get("/openmarket\(path)")
        #expect(answer.status == status && answer.body.isEmpty)
      }
      let past = try await Self.page(client, "openmarket", "page_no=9&items_per_page=100")
      #expect(past.ids.isEmpty && past.root["hasNext"]?.boolean == false)
    }
  }

  @Test("moves at its front: new products push the others down, deletions leave gaps")
  func drift() async throws {
    try await withSandbox { sandbox, client in
      let before = try #require(sandbox.truth("openmarket")).lists[0].keys
      sandbox.drift("openmarket", insert: 3, delete: 2)
      let after = try #require(sandbox.truth("openmarket")).lists[0]
      #expect(Array(after.keys.dropFirst(3)) == Array(before.dropFirst(2)))
      #expect(after.left == Array(before.prefix(2)))
      let page = try await Self.page(client, "openmarket", "items_per_page=100")
      #expect(page.ids == after.keys)
      #expect(try await client.get("/openmarket/api/products/\(before[0])").status == 404)
      #expect(try await client.get("/openmarket/api/products/\(after.keys[0])").status == 200)
    }
  }

  @Test("gives the same bytes for the same seed, and others for another")
  func isDeterministic() async throws {
    var bodies: [String] = []
    for seed: UInt64 in [3, 3, 4] {
      bodies.append(
        try await withSandbox(options { $0.seed = seed }) { sandbox, client in
          let text = try await client.get("/openmarket/api/products?items_per_page=50").text
          return text.split(separator: sandbox.origin).joined()
        })
    }
    #expect(bodies[0] == bodies[1])
    #expect(bodies[0] != bodies[2])
  }
}
