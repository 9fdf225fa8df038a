@testable import SandboxKit
import TestSupport
import Testing

@Suite("A run of openmarket", .prompt)
struct OpenMarketRunTests {
  private static let generations = ["openmarket", "openmarket-gen2"]

  private static func sandbox(
    faults: String? = nil, _ change: (inout OpenMarketOptions) -> Void = { _ in }
  ) throws -> Sandbox {
    try Sandbox.changed {
      $0.openMarket.products = 43
      change(&$0.openMarket)
      if let faults { $0.faults = try FaultSpec(parsing: faults) }
    }
  }

  private static func run(
    _ home: Home, _ sandbox: Sandbox, api: String = "openmarket", job: String = "openmarket",
    _ more: [String] = []
  ) async -> BinaryRun.Ended {
    await home.run(home.arguments(of: api, job: job, sandbox, more))
  }

  private static func expectTruth(
    of sandbox: Sandbox, api: String = "openmarket", in home: Home, mayRefuse: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let truth = try #require(sandbox.truth(api))
    let tables = Tables(home)
    let present = "vanished_at IS NULL"
    #expect(
      try tables.texts("SELECT id FROM openmarket_products WHERE \(present) ORDER BY id DESC")
        == truth.lists[0].keys, sourceLocation: sourceLocation)
    #expect(
      try tables.texts(
        "SELECT id FROM openmarket_found WHERE search = '' AND \(present) ORDER BY position")
        == truth.lists[0].keys, sourceLocation: sourceLocation)
    for (table, wanted) in [("images", 1), ("vendors", 2)] {
      #expect(
        try tables.texts("SELECT id FROM openmarket_\(table) WHERE \(present)").sorted()
          == truth.tables[wanted].keys.sorted(), "\(table)", sourceLocation: sourceLocation)
    }
    let stored = try tables.texts(
      "SELECT url || ' ' || digest FROM trawl_media_urls WHERE record_key IS NOT NULL")
    let wanted = truth.media.map { "\($0.url) \($0.sha256 ?? "")" }
    // A file that was broken on its way is asked for tomorrow.
    let refused = try tables.count(
      "SELECT count(*) FROM trawl_media_urls WHERE digest IS NULL AND reason IS NOT NULL")
    let missing = Set(wanted).subtracting(stored).count
    #expect(missing <= refused && (mayRefuse || refused == 0), sourceLocation: sourceLocation)
  }

  @Test(
    "holds every product, image and vendor, in both generations, and with 5 % faults",
    arguments: generations, ["", "plain=5%"])
  func truth(api: String, faults: String) async throws {
    let sandbox = try Self.sandbox(faults: faults.isEmpty ? nil : faults)
    defer { sandbox.stop() }
    let home = Home()
    let ended = await Self.run(home, sandbox, api: api, ["--max-wait", "10s"])
    #expect(ended.status == 0, "\(ended.errors)")
    try Self.expectTruth(of: sandbox, api: api, in: home, mayRefuse: !faults.isEmpty)
    let verdicts = try Tables(home).verdicts()
    #expect(!verdicts.isEmpty && Set(verdicts.values) == ["complete"], "\(verdicts)")
    if faults.isEmpty {
      let all = sandbox.requests(api: api).map(\.target)
      #expect(all.first?.hasSuffix("/healthChecker") == true)
      // The check, one page, and each product once.
      #expect(all.count == 2 + 43 && Set(all).count == all.count)
    }
  }

  @Test("stores prices and dates as they are, to the day, in every zone", arguments: generations)
  func values(api: String) async throws {
    let sandbox = try Self.sandbox()
    defer { sandbox.stop() }
    let home = Home()
    // A program that takes a date without a zone for an instant comes to another day here.
    let endpoint = sandbox.endpoint(for: api)
    let arguments = ["run", "openmarket", "--endpoint", endpoint, "--data", home.data]
    await home.run(arguments, ["TZ": "America/Los_Angeles"], ends: 0)
    let rows = try Tables(home).rows(
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
    #expect(try Tables(home).count("SELECT count(*) FROM trawl_rejects") == 0)
    let image =
      "SELECT count(*) FROM openmarket_images WHERE issued_on NOT GLOB '202[12]-[01]?-[0-3]?'"
    #expect(try Tables(home).count(image) == 0)
  }

  @Test("pages longer than asked cost no product, store none twice and count for what was asked")
  func longPages() async throws {
    // Seven and a half pages of ten: by page 4 a hundred products came, and 70 of 75 of them.
    let sandbox = try Self.sandbox { $0.products = 75 }
    defer { sandbox.stop() }
    let home = Home()
    let parts = JobText.read("jobs/openmarket.json5")
      .pieces(around: "?items_per_page=100")
    #expect(parts.count == 2)
    let job = home.write(
      parts.joined(separator: "?items_per_page=10"), to: "openmarket.json5")
    let ended = await Self.run(home, sandbox, job: job)
    #expect(ended.status == 0, "\(ended.errors)")
    try Self.expectTruth(of: sandbox, in: home)
    let verdicts = try Tables(home).verdicts()
    #expect(Set(verdicts.values) == ["complete"], "\(verdicts)")
    let pages = sandbox.requests(api: "openmarket").filter { $0.target.holds("page_no=") }
    // Up to the page that brings the last product, and the first once more.
    #expect(pages.map { $0.target.pieces(around: "page_no=").last?.first } == Array("123451"))
  }

  @Test(
    "a health check that answers OK in any of its forms lets the run go on",
    arguments: [OpenMarketOptions.Health.bare, .quoted, .newline])
  func healthy(health: OpenMarketOptions.Health) async throws {
    let sandbox = try Self.sandbox {
      $0.health = health
      $0.products = 3
    }
    defer { sandbox.stop() }
    let home = Home()
    let ended = await Self.run(home, sandbox)
    #expect(ended.status == 0, "\(ended.errors)")
    try Self.expectTruth(of: sandbox, in: home)
  }

  @Test(
    "a health check that answers anything else ends the run with 69, and no stream is asked",
    arguments: [OpenMarketOptions.Health.no, .html, .status500])
  func unhealthy(health: OpenMarketOptions.Health) async throws {
    let sandbox = try Self.sandbox { $0.health = health }
    defer { sandbox.stop() }
    let home = Home()
    let ended = await Self.run(home, sandbox)
    #expect(ended.status == 69, "\(ended.errors)")
    #expect(ended.errors.holds("healthChecker"), "\(ended.errors)")
    let asked = sandbox.requests().map(\.target)
    #expect(!asked.isEmpty && asked.allSatisfy { $0.hasSuffix("/healthChecker") }, "\(asked)")
    #expect(try Tables(home).count("SELECT count(*) FROM openmarket_products") == 0)
  }

  @Test("searches byte for byte, and tells apart what each found")
  func search() async throws {
    let sandbox = try Self.sandbox()
    defer { sandbox.stop() }
    let home = Home()
    let texts = ["기타", "& 배", "1+1=2", "c#", "A/S", "100%", "nobody sells this"]
    let ended = await Self.run(
      home, sandbox, ["--stream", "products"] + texts.flatMap { ["--set", "search=\($0)"] })
    #expect(ended.status == 0, "\(ended.errors)")
    for text in texts {
      let of = "search=\(text)"
      let keys = sandbox.truth("openmarket", of: of)?.list("products", of: of)?.keys
      #expect(
        try Tables(home).texts(
          "SELECT id FROM openmarket_found WHERE search = '\(text)' ORDER BY position") == keys,
        "\(text)")
    }
  }

  @Test("a second run asks no detail again; new products are asked for, vanished ones are marked")
  func again() async throws {
    let sandbox = try Self.sandbox()
    defer { sandbox.stop() }
    let home = Home()
    #expect(await Self.run(home, sandbox).status == 0)
    let dump = "SELECT * FROM openmarket_products ORDER BY id"
    let before = try Tables(home).texts(dump)
    var mark = sandbox.lastRequest
    let second = await Self.run(home, sandbox)
    #expect(second.status == 0, "\(second.errors)")
    #expect(try Tables(home).texts(dump) == before)
    #expect(sandbox.requests(api: "openmarket", since: mark).count == 2)
    #expect(sandbox.requests(api: "media", since: mark).isEmpty)

    sandbox.drift("openmarket", insert: 3, delete: 2)
    mark = sandbox.lastRequest
    let third = await Self.run(home, sandbox)
    #expect(third.status == 0, "\(third.errors)")
    let truth = try #require(sandbox.truth("openmarket"))
    let details = sandbox.requests(api: "openmarket", since: mark).map(\.target)
      .filter { $0.holds("/products/") }.compactMap { $0.pieces(around: "/").last }
    #expect(details.sorted() == truth.lists[0].keys.prefix(3).sorted())
    #expect(
      try Tables(home).texts(
        "SELECT id FROM openmarket_products WHERE vanished_at IS NULL ORDER BY id DESC")
        == truth.lists[0].keys)
    #expect(
      try Tables(home).texts(
        "SELECT id FROM openmarket_products WHERE vanished_at IS NOT NULL ORDER BY id DESC")
        == truth.lists[0].left)
  }
}
