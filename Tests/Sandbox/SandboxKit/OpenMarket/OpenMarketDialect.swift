internal import Base

/// The Open Market of a school for app developers, in two of its generations.
final class OpenMarketDialect: Dialect {
  let name: String
  let generation: OpenMarketGeneration
  private let setting: DialectSetting
  private let options: OpenMarketOptions
  private let writer: OpenMarketWriter
  private let moved: Locked<DriftingLists<String>>

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
    moved = Locked(DriftingLists())
    setting.media.add(
      MediaSet(
        name: OpenMarketWriter.mediaSet, bytes: 2_000...60_000, sharedShare: 0.1, mindsEnding: false
      ) { OpenMarketWriter.isKey($0, seed: seed) })
  }

  // MARK: Answers

  func answer(_ request: SandboxRequest) -> Reply {
    switch request.path {
    case ["healthChecker"]:
      let fault = request.fault == .healthNo ? request.fault : nil
      var reply = (fault == nil ? options.health : .no).reply(generation)
      reply.fault = fault
      return reply
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
      list().slots.contains(index)
    else { return Self.refusal(404) }
    return .json(
      JSONWriter.bytes {
        writer.writeDetail(OpenMarketProduct(index, seed: setting.seed), to: &$0)
      })
  }

  // MARK: Data

  /// Products whose name contains a text, byte by byte, newest first.
  private func products(with text: String) -> [Int] {
    list().slots.filter { OpenMarketProduct($0, seed: setting.seed).name.holds(text) }
  }

  /// Newest first.
  private func list() -> DriftingList {
    moved.withLock { $0[""] } ?? DriftingList((0..<options.products).reversed())
  }

  func drift(insert: Int, delete: Int, list: String?) {
    let now = self.list()
    moved.withLock {
      $0.move("", now, insert: insert, delete: delete, end: options.products)
    }
  }

  /// `of` names a search: `search=guitar`.
  func truth(now: Instant, of: String?) -> Truth {
    var truth = Truth()
    let products = list().slots.map { OpenMarketProduct($0, seed: setting.seed) }
    truth.lists = [
      Truth.List(name: "products", of: "", keys: products.map { String($0.id) })
    ]
    if let of, of.hasPrefix("search=") {
      let found = self.products(with: String(of.dropFirst(7)))
      truth.lists.append(
        Truth.List(
          name: "products", of: of,
          keys: found.map { String(OpenMarketProduct($0, seed: setting.seed).id) }))
    }
    truth.media = products.map {
      setting.media.truth(
        OpenMarketWriter.mediaSet, OpenMarketWriter.key(of: $0, 0, "thumb"))
    }
    return truth
  }
}
