import Base
import SandboxKit
import TestSupport
import Testing

/// One answer of NewsAPI, in the parts that tests look at.
struct NewsAPIAnswer {
  var status: Int
  var code: String?
  var message: String
  var total: Int?
  var articles: [JSONValue]

  static func get(
    _ client: RawClient, _ target: String, _ fields: [String] = []
  ) async throws -> NewsAPIAnswer {
    let answer = try await client.get("/newsapi" + target, fields)
    let root = try answer.json()
    return NewsAPIAnswer(
      status: answer.status, code: root["code"]?.string, message: root["message"]?.string ?? "",
      total: root["totalResults"]?.integer.map { Int($0) },
      articles: root.list("articles"))
  }

  /// Addresses without fragment and campaign, each once, without what was taken back.
  var keys: [String] {
    var seen: Set<String> = []
    return articles.compactMap { article in
      let url = article["url"]?.string ?? ""
      let plain = String(url.prefix { $0 != "?" && $0 != "#" })
      guard plain != "https://removed.com", seen.insert(plain).inserted else { return nil }
      return plain
    }
  }

  func texts(_ name: String) -> [String?] { articles.map { $0[name]?.string } }
}

@Suite("The sandbox's NewsAPI")
struct NewsAPITests {
  static let usual = "/everything?q=swift%20programming"
  static let crowd = "/everything?q=linux"

  @Test("one page of a hundred reaches what the truth tells", arguments: SandboxSize.allCases)
  func reachesTruth(size: SandboxSize) async throws {
    try await withSandbox(options(size)) { sandbox, client in
      let truth = try #require(sandbox.truth("newsapi"))
      let answer = try await NewsAPIAnswer.get(client, Self.usual)
      let list = try #require(truth.list("everything", of: "q=swift programming"))
      #expect(answer.keys == list.keys)
      #expect(answer.total == 100 && answer.articles.count == 100)
      #expect(list.keys.count == 93 && list.hidden == 4, "3 more of 100 are there twice")
      let top = try await NewsAPIAnswer.get(client, "/top-headlines?country=us&pageSize=100")
      #expect(top.keys == truth.list("headlines", of: "country=us")?.keys)
      #expect(!Set(top.keys).isDisjoint(with: answer.keys), "one article, two lists")
      for path in ["/top-headlines/sources", "/sources"] {
        let root = try await client.get("/newsapi" + path).json()
        let ids = root.list("sources").compactMap { $0["id"]?.string }
        #expect(ids == truth.list("sources", of: "")?.keys && ids.count == 24)
        #expect(root["totalResults"] == nil)
      }
    }
  }

  @Test("what was taken back is a shell of 1970 under one common address")
  func removed() async throws {
    try await withSandbox { _, client in
      let answer = try await NewsAPIAnswer.get(client, Self.usual)
      let shells = answer.articles.filter { $0["url"]?.string == "https://removed.com" }
      #expect(shells.count == 4)
      for shell in shells {
        #expect(shell["title"]?.string == "[Removed]")
        #expect(shell["publishedAt"]?.string == "1970-01-01T00:00:00Z")
        #expect(shell["urlToImage"]?.isNull == true)
      }
      // A client that stops at the first article older than its cursor stops here.
      #expect(answer.articles.last?["title"]?.string != "[Removed]")
    }
  }

  @Test("null and empty texts are as common as in real answers, and dates come in three forms")
  func absent() async throws {
    try await withSandbox { _, client in
      let names = ["author", "description", "urlToImage", "content"]
      var nulls = [0, 0, 0, 0]
      var blanks = nulls
      var dates: Set<Int> = []
      var count = 0
      for page in ["/everything?q=linux", "/everything?q=linux&sortBy=popularity", Self.usual] {
        let answer = try await NewsAPIAnswer.get(client, page)
        count += answer.articles.count
        for article in answer.articles {
          for (place, name) in names.enumerated() {
            if article[name]?.isNull == true { nulls[place] += 1 }
            if article[name]?.string == "" { blanks[place] += 1 }
          }
          dates.insert(article["publishedAt"]?.string?.utf8.count ?? 0)
        }
      }
      #expect(count == 300)
      #expect(zip(nulls, [30, 1, 8, 60]).allSatisfy { $0 >= $1 } && nulls.allSatisfy { $0 < 150 })
      #expect(blanks.allSatisfy { (1...60).contains($0) })
      #expect(dates == [20, 25, 28])
    }
  }

  @Test(
    "426 is decided by the window that was asked for, not by what there is",
    arguments: [
      ("pageSize=100&page=1", 200), ("pageSize=100&page=2", 426), ("pageSize=30&page=3", 200),
      ("pageSize=30&page=4", 426), ("pageSize=50&page=2", 200), ("pageSize=500&page=1", 200),
      ("page=2", 426),
    ])
  func window(query: String, status: Int) async throws {
    try await withSandbox { _, client in
      for target in [Self.crowd, "/everything?q=sqlite"] {
        let answer = try await NewsAPIAnswer.get(client, "\(target)&\(query)")
        #expect(answer.status == status)
        #expect(answer.code == (status == 426 ? "maximumResultsReached" : nil))
        if query == "pageSize=30&page=4" { #expect(answer.message.contains("90 to 120")) }
      }
    }
    try await withSandbox(options { $0.plan = .business }) { _, client in
      let answer = try await NewsAPIAnswer.get(client, "\(Self.crowd)&\(query)")
      #expect(answer.status == 200)
    }
  }

  @Test("a developer sees a month, a day late; an earlier from is refused though both dates agree")
  func reach() async throws {
    let time = VirtualTime()
    try await withSandbox(options { $0.time = time.timekeeper }) { _, client in
      let floor = (time.now - .seconds(30 * 86_400)).description.prefix(10)
      let refused = try await NewsAPIAnswer.get(client, "\(Self.crowd)&from=\(floor)")
      #expect(refused.status == 426 && refused.code == "parameterInvalid")
      #expect(refused.message.contains("as far back as \(floor), but you have requested \(floor)"))
      let next = (time.now - .seconds(29 * 86_400)).description.prefix(10)
      #expect(try await NewsAPIAnswer.get(client, "\(Self.crowd)&from=\(next)").status == 200)
      let all = try #require(try await NewsAPIAnswer.get(client, Self.crowd).total)
      #expect(all < 360, "what is older is not there at all")
      let newest = time.now - .seconds(86_400)
      for date in try await NewsAPIAnswer.get(client, Self.usual).texts("publishedAt") {
        #expect(date.map { $0 <= newest.description } == true)
      }
    }
    try await withSandbox(options { $0.plan = .business }) { _, client in
      let answer = try await NewsAPIAnswer.get(client, "\(Self.crowd)&from=2020-01-01")
      #expect(answer.total == 360)
    }
  }

  @Test("windows of time tile a list, newest first, and reach behind the hundred")
  func windows() async throws {
    let time = VirtualTime()
    try await withSandbox(options { $0.time = time.timekeeper }) { _, client in
      let all = try #require(try await NewsAPIAnswer.get(client, Self.crowd).total)
      var sum = 0
      for day in stride(from: 28, through: 1, by: -3) {
        let from = (time.now - .seconds(Int64(day) * 86_400)).description
        let to = (time.now - .seconds(Int64(day - 3) * 86_400 + 1)).description
        let answer = try await NewsAPIAnswer.get(client, "\(Self.crowd)&from=\(from)&to=\(to)")
        #expect(answer.total == answer.articles.count && answer.articles.count < 100)
        sum += answer.articles.count
      }
      #expect(sum == all && all > 200)
      for wrong in ["from=yesterday", "sortBy=age", "page=0", "pageSize=x", "searchIn=author"] {
        let answer = try await NewsAPIAnswer.get(client, "\(Self.crowd)&\(wrong)")
        #expect(answer.status == 400 && answer.code == "parameterInvalid")
      }
    }
  }

  @Test("only the United States have headlines; kr answers nothing and is no error")
  func countries() async throws {
    try await withSandbox { _, client in
      for country in ["kr", "jp", "xx"] {
        let answer = try await NewsAPIAnswer.get(client, "/top-headlines?country=\(country)")
        #expect(answer.status == 200 && answer.total == 0 && answer.articles.isEmpty)
      }
      let us = try await NewsAPIAnswer.get(client, "/top-headlines?country=us")
      #expect(us.articles.count == 20 && us.total == 44)
      let some = try await NewsAPIAnswer.get(
        client, "/top-headlines?country=us&category=technology&pageSize=100")
      #expect((1..<44).contains(some.articles.count))
      for (query, code) in [
        ("", "parametersMissing"), ("?country=us&sources=news-1", "parametersIncompatible"),
        ("?sources=news-9999", "sourceDoesNotExist"),
      ] {
        let answer = try await NewsAPIAnswer.get(client, "/top-headlines\(query)")
        #expect(answer.status == 400 && answer.code == code)
      }
      let broad = try await NewsAPIAnswer.get(client, "/everything?language=en")
      #expect(broad.status == 400 && broad.code == "parametersMissing")
    }
  }

  @Test(
    "words, phrases and operators decide; they arrive byte for byte",
    arguments: [
      ("sqlite", 57), ("고양이 & 강아지", 23), ("C++ = #1 / 2", 9), ("\"swift programming\"", 100),
      ("\"programming swift\"", 0), ("sqlite OR C++", 66), ("sqlite NOT sqlite", 0),
      ("-sqlite C++", 9), ("(sqlite OR 고양이) AND 고양이", 23), ("+sqlite", 57), ("nothingatall", 0),
    ])
  func words(query: String, total: Int) async throws {
    try await withSandbox { sandbox, client in
      let encoded = PercentEncoding.encoded(query)
      let answer = try await NewsAPIAnswer.get(client, "/everything?q=\(encoded)")
      #expect(answer.total == total)
      let truth = sandbox.truth("newsapi", of: "q=\(query)")
      #expect(answer.keys == truth?.list("everything", of: "q=\(query)")?.keys)
    }
  }

  @Test("50 requests in 12 hours, 100 in 24: then 429 without a hint when it ends")
  func limit() async throws {
    let time = VirtualTime()
    try await withSandbox(options { $0.time = time.timekeeper }) { _, client in
      let target = "/top-headlines?country=kr"
      func spend() async throws -> Int {
        var count = 0
        while try await client.get("/newsapi" + target, ["X-Api-Key: a"]).status == 200 {
          count += 1
          try #require(count <= 100)
        }
        return count
      }
      #expect(try await spend() == 50)
      let refused = try await client.get("/newsapi" + target, ["X-Api-Key: a"])
      #expect(refused.status == 429 && refused["Retry-After"] == nil)
      #expect(try refused.json()["code"]?.string == "rateLimited")
      #expect(try await client.get("/newsapi" + target, ["X-Api-Key: b"]).status == 200)
      time.advance(by: .seconds(12 * 3600 - 1))
      #expect(try await spend() == 0)
      time.advance(by: .seconds(1))
      #expect(try await spend() == 50)
      time.advance(by: .seconds(12 * 3600))
      #expect(try await spend() == 50)
    }
  }

  @Test(
    "bad keys are refused, each in its own way, wherever they stand",
    arguments: [
      ("bad", 401, "apiKeyInvalid"), ("bad-disabled", 401, "apiKeyDisabled"),
      ("bad-exhausted", 429, "apiKeyExhausted"), ("", 401, "apiKeyMissing"),
    ])
  func keys(key: String, status: Int, code: String) async throws {
    try await withSandbox(options { $0.newsAPI.requiresKey = true }) { _, client in
      let header = try await NewsAPIAnswer.get(client, Self.usual, ["X-Api-Key: \(key)"])
      let query = try await NewsAPIAnswer.get(client, "\(Self.usual)&apiKey=\(key)")
      for answer in [header, query] {
        #expect(answer.status == status && answer.code == code)
      }
      #expect(try await NewsAPIAnswer.get(client, Self.usual, ["X-Api-Key: k"]).status == 200)
    }
  }

  @Test("new articles come to the front, and drift is told by the truth")
  func drift() async throws {
    try await withSandbox { sandbox, client in
      let before = try await NewsAPIAnswer.get(client, Self.usual)
      sandbox.drift("newsapi", insert: 3, delete: 2)
      let after = try await NewsAPIAnswer.get(client, Self.usual)
      let list = try #require(
        sandbox.truth("newsapi")?.list("everything", of: "q=swift programming"))
      #expect(after.keys == list.keys)
      #expect(Set(after.keys).subtracting(before.keys).count == 3)
      #expect(Set(after.keys.prefix(3)).isDisjoint(with: before.keys), "at the front")
      #expect(list.left.count == 2 && Set(list.left).isSubset(of: before.keys))
    }
  }

  @Test("images are the sandbox's own, and a resizer's address holds another")
  func images() async throws {
    try await withSandbox { sandbox, client in
      let truth = try #require(sandbox.truth("newsapi"))
      #expect(truth.media.contains { $0.url.contains("src=https%3A") })
      for image in truth.media.prefix(8) {
        let path = String(image.url.dropFirst(sandbox.origin.utf8.count))
        let answer = try await client.get(path)
        #expect(answer.status == 200 && answer.body.count == image.bytes)
      }
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
        let answer = try await client.get("/newsapi" + Self.usual)
        return answer.text.split(separator: sandbox.origin).joined(separator: "ORIGIN")
      }
    }
    let first = try await body(seed: 1)
    #expect(try await body(seed: 1) == first)
    #expect(try await body(seed: 2) != first)
  }
}
