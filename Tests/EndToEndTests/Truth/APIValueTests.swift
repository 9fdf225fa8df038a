@testable import SandboxKit
import TestSupport
import Testing

/// What is special about each imitated API; for what they share see APITruthTests.
@Suite("The values of the imitated APIs", .prompt)
struct APIValueTests {
  private let home = Home()

  @Test("newsapi: removed articles are dropped, blanks are none, and every date has one width")
  func newsAPI() async throws {
    let sandbox = try Sandbox.changed()
    await home.run(home.arguments(of: "newsapi", sandbox), ends: 0)
    let counts = try home.tables.texts(
      "SELECT received, dropped, distinct_keys FROM trawl_certificates ORDER BY received DESC")
    #expect(counts.first?.hasPrefix("99|4|") == true, "\(counts)")
    let blanks = "author = '' OR description = '' OR image_url = '' OR content = ''"
    #expect(try home.count("newsapi_articles WHERE \(blanks)") == 0)
    let dates = try home.tables.texts("SELECT DISTINCT length(published_at) FROM newsapi_articles")
    #expect(dates == ["20"])
    #expect(try home.count("newsapi_articles WHERE published_at < '2000'") == 0)
  }

  @Test("newsapi: country=kr is complete, empty, and told why")
  func emptyCountry() async throws {
    let sandbox = try Sandbox.changed()
    await home.run(
      home.arguments(of: "newsapi", sandbox, ["--set", "country=kr", "--stream", "headlines"]),
      ends: 0)
    let trust = try home.tables.texts("SELECT verdict, rows, why FROM trawl_trust")
    #expect(trust.count == 1 && trust[0].hasPrefix("complete|0|"))
    #expect(trust[0].holds("the free plan has headlines for country=us only"))
    #expect(sandbox.requests(api: "newsapi").count == 1)
  }

  @Test("giphy: a time of zeros is none")
  func giphy() async throws {
    let sandbox = try Sandbox.changed()
    await home.run(home.arguments(of: "giphy", sandbox), ends: 0)
    let zeros = "imported_at < '2000' OR trending_at < '2000'"
    #expect(try home.count("giphy_gifs WHERE \(zeros)") == 0)
    #expect(try home.count("giphy_gifs WHERE imported_at IS NULL") > 0)
  }

  @Test("giphy: typed words are completed in their order, and more than 25 are told as the best 25")
  func tags() async throws {
    let sandbox = try Sandbox.changed()
    let typed = ["ca", "고", "r&", "zzz"]
    await home.run(
      home.arguments(
        of: "giphy", sandbox, ["--stream", "tags"] + typed.flatMap { ["--set", "typed=\($0)"] }),
      ends: 0)
    for word in typed {
      let of = "typed=\(word)"
      let keys = try #require(sandbox.truth("giphy", of: of)?.list("tags", of: of)).keys
      #expect(
        try home.tables.texts("SELECT name FROM giphy_tags WHERE q = '\(word)' ORDER BY position")
          == Array(keys.prefix(25)), "\(word)")
    }
    let verdicts = try home.tables.verdicts()
    #expect(verdicts["tags ca"] == "limited" && verdicts["tags 고"] == "complete", "\(verdicts)")
  }

  @Test("giphy: single GIFs come by id, told apart by case; an unknown one is absent, not an error")
  func byID() async throws {
    let sandbox = try Sandbox.changed { $0.giphy.cats = 5 }
    let ids = try #require(sandbox.truth("giphy")).records
    let twins = ids.filter { id in ids.contains { $0 != id && $0.lowercased() == id.lowercased() } }
    #expect(twins.count >= 2)
    let asked = twins + ["nobodyKnowsThis"]
    await home.run(
      home.arguments(
        of: "giphy", sandbox, ["--stream", "by_id"] + asked.flatMap { ["--set", "gif=\($0)"] }),
      ends: 3)
    #expect(try home.tables.texts("SELECT id FROM giphy_gifs").sorted() == twins.sorted())
    #expect(try home.tables.verdicts()["gif nobodyKnowsThis"] == "absent")
  }

  @Test(
    "openmarket: stores prices and dates as they are, to the day, in every zone",
    arguments: ["openmarket", "openmarket-gen2"])
  func values(api: String) async throws {
    let sandbox = try APITruthTests.sandbox()
    // A program that reads a date without a zone as an instant gets another day here.
    let endpoint = sandbox.endpoint(for: api)
    let arguments = ["run", "openmarket", "--endpoint", endpoint, "--data", home.data]
    await home.run(arguments, ["TZ": "America/Los_Angeles"], ends: 0)
    let rows = try home.tables.rows(
      "SELECT id, price, bargain_price, discounted_price, stock, created_on, issued_on, name, "
        + "coalesce(description, ''), vendor_id, currency FROM openmarket_products")
    #expect(rows.count == 43)
    var millions = 0
    for row in rows {
      let id = try #require(Int(row[0].shown))
      let index = try #require(OpenMarketProduct.index(id: id, seed: 1))
      let product = OpenMarketProduct(index, seed: 1)
      if product.price >= 1.0e7 { millions += 1 }
      #expect(
        row.dropFirst().map(\.shown) == [
          "\(product.price)", "\(product.bargainPrice)", "\(product.discountedPrice)",
          "\(product.stock)", OpenMarketDates.date(product.createdDay),
          OpenMarketDates.date(product.issuedDay), product.name, product.description,
          "\(product.vendorID)", product.currency,
        ], "product \(id)")
    }
    #expect(millions > 2)
    #expect(try home.count("trawl_rejects") == 0)
    let image =
      "SELECT count(*) FROM openmarket_images WHERE issued_on NOT GLOB '202[12]-[01]?-[0-3]?'"
    #expect(try home.tables.count(image) == 0)
  }

  @Test(
    "openmarket: a health check that answers OK in any form lets the run go on, anything else ends it with 69",
    arguments: [
      (OpenMarketOptions.Health.bare, true), (.quoted, true), (.newline, true), (.no, false),
      (.html, false), (.status500, false),
    ])
  func health(health: OpenMarketOptions.Health, isWell: Bool) async throws {
    let sandbox = try Sandbox.changed {
      $0.openMarket.health = health
      $0.openMarket.products = 3
    }
    let ended = await home.run(home.arguments(of: "openmarket", sandbox), ends: isWell ? 0 : 69)
    #expect(try home.count("openmarket_products") == (isWell ? 3 : 0))
    if isWell { return }
    #expect(ended.errors.holds("healthChecker"), "\(ended.errors)")
    let asked = sandbox.requests().map(\.target)
    #expect(!asked.isEmpty && asked.allSatisfy { $0.hasSuffix("/healthChecker") }, "\(asked)")
  }
}
