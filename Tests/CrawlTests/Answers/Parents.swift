import Base
import Crawl
import Store
import TestSupport
import Testing

/// Parents, and the lists requested for each: an API whose lists are named by their paths.
final class Parents: Sendable {
  let gallery: Gallery
  /// Items by path: `a t` for `/things/a/t`.
  let lists = Locked<[String: [String]]>([:])
  let missing = Locked<Set<String>>([])
  /// The status for missing ones.
  let status = Locked(404)
  let pageSize = Locked(100)

  init(in folder: String? = nil) { gallery = Gallery(in: folder) }

  /// Shops of these names, each with these things.
  convenience init(of names: [String], things: (String) -> [String] = { [$0] }) {
    self.init()
    for name in names { set(name, items(things(name))) }
    set("", names.enumerated().map { #"{"id":\#($0),"name":"\#($1)","rev":0}"# })
  }

  /// - Parameter shops: more of the stream of shops.
  static func job(
    _ streams: String, shops: String = #"vanish: "mark""#, parameters: String = ""
  ) throws -> Job {
    try Job.file(
      """
      shops: {
        get: "/shops", pages: { by: "single" }, records: "items", key: ["id"],
        columns: { id: "id", name: "name", rev: "rev" }, \(shops),
      },
      \(streams)
      """, name: "town", head: #"every: "1d", \#(parameters)"#)
  }

  static let paged = pages(of: 100)

  private static func pages(of size: Int) -> String {
    #"pages: { by: "number", to: "?page", size: \#(size) }, total: "total counted", records: "items""#
  }

  /// Things that are requested for each shop by one of its values.
  ///
  /// - Parameter rows: how their rows are declared; by default the shop is part of their key.
  static func things(
    when: String, each: String = "name", path: String? = nil, isPaged: Bool = true,
    size: Int = 100, _ rows: String? = nil, shops: String = #"vanish: "mark""#,
    parameters: String = ""
  ) throws -> Job {
    let ofShop = #"vanish: "mark", key: ["shop", "id"], columns: { shop: "{\#(each)}", id: "id" }"#
    return try job(
      """
      things: {
        for: { each: "shops.\(each)", when: "\(when)" }, get: "/things/\(path ?? "{\(each)}")",
        \(isPaged ? pages(of: size) : #"records: "items", total: "total counted""#), \(rows ?? ofShop),
      },
      """, shops: shops, parameters: parameters)
  }

  func set(_ list: String, _ items: [String]) { lists.withLock { $0[list] = items } }

  func shops(_ shops: (name: String, rev: Int)...) {
    set("", shops.enumerated().map { #"{"id":\#($0),"name":"\#($1.name)","rev":\#($1.rev)}"# })
  }

  var exchange: ScriptedExchange {
    .answering { [self] request, _ in
      let key = request.address.parts.dropFirst(2).joined(separator: " ")
      if missing.withLock({ $0.contains(key) }) {
        return .json(request, #"{"message":"Not Found"}"#, status: status.withLock { $0 })
      }
      let items = lists.withLock { $0[key] ?? [] }
      // The shops are one answer.
      let size = key.isEmpty ? items.count : pageSize.withLock { $0 }
      let number = request.number("page") ?? 1
      let page = number < 1 ? [] : items.dropFirst((number - 1) * size).prefix(size)
      return .json(request, listing(page, total: items.count))
    }
  }

  @discardableResult
  func night(_ job: Job, _ change: (inout CrawlOptions) -> Void = { _ in }) async throws -> RunFacts
  {
    gallery.time.advance(by: .day)
    return try await gallery.run(job, exchange, change).facts
  }

  /// Whether a timer that looks long after each list was read has nothing to tell of old ones.
  func expectNothingOld(_ job: Job, _ story: Comment = "") async throws -> [Telling] {
    let overviews = try await gallery.store { try await $0.overview(of: "town") }
    let tellings = overviews.map { Telling($0, job, now: gallery.time.timekeeper.now()) }
    #expect(tellings.count == 1, story)
    for telling in tellings {
      #expect(telling.old(over: .seconds(47 * 3600)).map(\.listName) == [], story)
      #expect(telling.old(over: nil).map(\.listName) == [], story)
    }
    return tellings
  }

  func rows(_ sql: String) throws -> [String] { try gallery.rows(sql).sorted() }

  func things() throws -> [String] {
    try rows("SELECT * FROM (SELECT id FROM town_things WHERE vanished_at IS NULL)")
  }
}

func items(_ names: [String]) -> [String] { names.map { #"{"id":"\#($0)"}"# } }
