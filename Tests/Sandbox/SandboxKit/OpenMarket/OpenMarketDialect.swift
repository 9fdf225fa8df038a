internal import Base

/// The Open Market of a school for app developers, in two of its generations.
final class OpenMarketDialect: Dialect {
  let name: String
  let generation: OpenMarketGeneration
  private let setting: DialectSetting
  private let options: OpenMarketOptions
  private let writer: OpenMarketWriter
  private let state: Locked<State>

  private struct State: Sendable {
    /// Newest first.
    var products: DriftingList
    var newcomers = 0
  }

  private static let newcomersMax = 100_000

  static let entry = DialectTable.Entry(
    name: "openmarket", about: "Open Market, third generation: camel case, pages longer than asked",
    paths: [
      ("/healthChecker", "OK as plain text"),
      ("/api/products", "page_no, items_per_page (20), search_value; page N may hold N times more"),
      ("/api/products/{id}", "one product with images and vendor"),
    ],
    make: { OpenMarketDialect($0, .third) })

  static let secondEntry = DialectTable.Entry(
    name: "openmarket-gen2", about: "Open Market, second generation: snake case, \"OK\" in quotes",
    paths: [
      ("/healthChecker", "\"OK\" with its quotes, as plain text"),
      ("/api/products", "page_no, items_per_page (20), search_value"),
      ("/api/products/{id}", "one product with images and vendor"),
    ],
    make: { OpenMarketDialect($0, .second) })

  init(_ setting: DialectSetting, _ generation: OpenMarketGeneration) {
    self.setting = setting
    self.generation = generation
    name = generation == .third ? "openmarket" : "openmarket-gen2"
    options = setting.options.openMarket
    let seed = setting.seed
    writer = OpenMarketWriter(generation: generation, media: setting.media, seed: seed)
    state = Locked(State(products: DriftingList(Array((0..<options.products).reversed()))))
    setting.media.add(
      MediaSet(
        name: OpenMarketWriter.mediaSet, bytes: 2_000...60_000, sharedShare: 0.1, mindsEnding: false
      ) { OpenMarketWriter.isKey($0, seed: seed) })
  }

  // MARK: Answers

  func answer(_ request: SandboxRequest) -> Reply {
    switch request.path {
    case ["healthChecker"]:
      if let fault = request.fault, let health = OpenMarketHealth(fault) { return health.reply }
      return OpenMarketHealth(options.health, generation: generation).reply
    case ["api", "products"]: return list(request)
    case let path where path.count == 3 && path.starts(with: ["api", "products"]):
      return detail(path[2])
    default: return Self.refusal(404)
    }
  }

  /// The text of its errors is unknown: clients can only use the status.
  private static func refusal(_ status: Int) -> Reply {
    Reply(status, [("Content-Type", "application/json")])
  }

  private static let sizeMax = 1000

  private struct Page {
    var number: Int
    var size: Int
    var total: Int
    var shown: [Int]

    var offset: Int { (number - 1) * size }
    var last: Int { (total + size - 1) / size }
    var hasNext: Bool { number < last }
    var hasPrevious: Bool { number > 1 }
  }

  private func list(_ request: SandboxRequest) -> Reply {
    guard let number = Self.number(request, "page_no", default: 1),
      let size = Self.number(request, "items_per_page", default: 20), number <= 1_000_000_000
    else { return Self.refusal(400) }
    let found = products(with: request.query["search_value"] ?? "")
    var page = Page(
      number: number, size: min(size, Self.sizeMax), total: found.count, shown: [])
    let from = min(page.offset, found.count)
    // A bug of the third generation: it passes the end of the page to its database as the count.
    let count = generation == .third ? page.offset + page.size : page.size
    page.shown = Array(found[from..<min(found.count, from + count)])
    move(after: request)
    return .json(JSONWriter.bytes { write(page, to: &$0) })
  }

  private static func number(
    _ request: SandboxRequest, _ name: String, default normal: Int
  ) -> Int? {
    guard let text = request.query[name], !text.isEmpty else { return normal }
    return request.query.int(name).flatMap { $0 > 0 ? $0 : nil }
  }

  private func write(_ page: Page, to json: inout JSONWriter) {
    let isThird = generation == .third
    json.object { json in
      json.member(isThird ? "pageNo" : "page_no", page.number)
      json.member(isThird ? "itemsPerPage" : "items_per_page", page.size)
      json.member(isThird ? "totalCount" : "total_count", page.total)
      json.member("offset", page.offset)
      // Not a size but the end of the page.
      json.member("limit", page.offset + page.size)
      json.member(isThird ? "lastPage" : "last_page", page.last)
      json.member(isThird ? "hasNext" : "has_next", page.hasNext)
      json.member(isThird ? "hasPrev" : "has_prev", page.hasPrevious)
      json.array("pages") { json in
        for index in page.shown {
          writer.writeListed(OpenMarketProduct(index, seed: setting.seed), to: &json)
        }
      }
    }
  }

  private func detail(_ text: String) -> Reply {
    guard let id = Int(text) else { return Self.refusal(400) }
    guard let index = OpenMarketProduct.index(id: id, seed: setting.seed),
      state.withLock({ $0.products.slots.contains(index) })
    else { return Self.refusal(404) }
    return .json(
      JSONWriter.bytes {
        writer.writeDetail(OpenMarketProduct(index, seed: setting.seed), to: &$0)
      })
  }

  // MARK: Data

  /// Products whose name contains a text, byte by byte, newest first.
  private func products(with text: String) -> [Int] {
    let all = state.withLock { $0.products.slots }
    guard !text.isEmpty else { return all }
    let wanted = Array(text.utf8)
    return all.filter { index in
      let name = Array(OpenMarketProduct(index, seed: setting.seed).name.utf8)
      guard name.count >= wanted.count else { return false }
      return (0...(name.count - wanted.count)).contains { name[$0...].starts(with: wanted) }
    }
  }

  private func move(after request: SandboxRequest) {
    guard setting.drift > 0, !request.isSpoiled, !request.isHead else { return }
    change { list, newcomer in list.moveAfterPage(by: setting.drift, newcomer: newcomer) }
  }

  func drift(insert: Int, delete: Int, list: String?) {
    change { list, newcomer in
      list.delete(delete)
      list.insert(insert, newcomer: newcomer)
    }
  }

  private func change(_ body: @Sendable (inout DriftingList, () -> Int) -> Void) {
    let products = options.products
    state.withLock { state in
      var list = state.products
      var fresh = state.newcomers
      body(&list) {
        fresh = min(fresh + 1, Self.newcomersMax)
        return products + fresh - 1
      }
      state.products = list
      state.newcomers = fresh
    }
  }

  /// `of` names a search: `search=guitar`.
  func truth(now: Instant, of: String?) -> Truth {
    var truth = Truth(api: name, seed: setting.seed, size: setting.size)
    let list = state.withLock { $0.products }
    let products = list.slots.map { OpenMarketProduct($0, seed: setting.seed) }
    let vendors = Set(products.map(\.vendorID)).sorted()
    truth.tables = [
      Truth.Table(name: "products", keys: products.map { String($0.id) }),
      Truth.Table(
        name: "images",
        keys: products.flatMap { product in
          (0..<product.imageCount).map { String(product.imageID(at: $0)) }
        }),
      Truth.Table(name: "vendors", keys: vendors.map(String.init)),
    ]
    let here = Set(list.slots)
    truth.lists = [
      Truth.List(
        name: "products", of: "", path: "/api/products", keys: products.map { String($0.id) },
        left: list.deleted.filter { !here.contains($0) }.map {
          String(OpenMarketProduct($0, seed: setting.seed).id)
        })
    ]
    if let of, of.hasPrefix("search=") {
      let found = self.products(with: String(of.dropFirst(7)))
      truth.lists.append(
        Truth.List(
          name: "products", of: of, path: "/api/products",
          keys: found.map { String(OpenMarketProduct($0, seed: setting.seed).id) }))
    }
    truth.media = products.map {
      setting.media.truth(
        OpenMarketWriter.mediaSet, OpenMarketWriter.key(of: $0, 0, "thumb"))
    }
    return truth
  }
}
