internal import Base

/// NewsAPI: articles by words, headlines by country, sources, and the limits of its free plan.
final class NewsAPIDialect: Dialect {
  let name = "newsapi"
  let setting: DialectSetting
  let options: NewsAPIOptions
  let state: Locked<State>

  struct State: Sendable {
    var quota: RollingQuota
    var world: NewsAPIWorld
  }

  static let entry = DialectTable.Entry(
    name: "newsapi", about: "NewsAPI v2: everything, headlines, sources; 426 past 100 results",
    paths: [
      (
        "/everything",
        "q, from, to, pageSize (100), page; newest first; q=linux has more than the 100 that a "
          + "developer may read"
      ),
      ("/top-headlines", "country (only us has any), category, q, pageSize (20), page"),
      ("/top-headlines/sources", "all in one answer"),
    ],
    make: { NewsAPIDialect($0) })

  init(_ setting: DialectSetting) {
    self.setting = setting
    options = setting.options.newsAPI
    state = Locked(
      State(
        quota: RollingQuota(
          setting.options.plan == .developer
            ? [(options.perDay, .seconds(86_400)), (options.perHalfDay, .seconds(43_200))] : []),
        world: NewsAPIWorld(
          seed: setting.seed, options: options, startedAt: setting.startedAt)))
    setting.media.add(
      MediaSet(name: NewsAPIWriter.mediaSet, bytes: 3_000...90_000, sharedShare: 0.05) { key in
        Int(key).map { (0..<1 << 24).contains($0) && String($0) == key } ?? false
      })
  }

  var isDeveloper: Bool { setting.options.plan == .developer }
  private var resultsMax: Int? { isDeveloper ? options.resultsMax : options.businessResultsMax }

  // MARK: Answers

  func answer(_ request: SandboxRequest) -> Reply {
    if (request.header("User-Agent") ?? "").isEmpty { return NewsAPIErrors.noUserAgent }
    let key = Self.key(request)
    if let reply = NewsAPIErrors.refused(key: key) { return reply }
    if key.isEmpty, setting.options.needsKeys { return NewsAPIErrors.keyMissing }
    guard state.withLock({ $0.quota.spend(key, at: request.now) }) else {
      return NewsAPIErrors.rateLimited
    }
    var reply: Reply
    do throws(Reply) {
      switch request.path {
      case ["everything"]: reply = try everything(request)
      case ["top-headlines"]: reply = try headlines(request)
      case ["top-headlines", "sources"], ["sources"]: reply = sources
      default: reply = NewsAPIErrors.notFound
      }
    } catch {
      reply = error
    }
    reply["Cache-Control"] = "no-cache"
    reply["X-Cached-Result"] = "false"
    return reply
  }

  private static func key(_ request: SandboxRequest) -> String {
    request.header("X-Api-Key") ?? request.query["apiKey"] ?? request.bearer
      ?? request.header("Authorization") ?? ""
  }

  private func everything(_ request: SandboxRequest) throws(Reply) -> Reply {
    let world = state.withLock { $0.world }
    let filter = try NewsAPIFilter(request.query)
    if filter.isTooBroad { throw NewsAPIErrors.tooBroad }
    let page = try NewsAPIPage(request.query, usualSize: 100, max: resultsMax)
    let floor = request.now - options.reach
    if isDeveloper, let from = filter.from, from < floor {
      throw NewsAPIErrors.tooFarBack(floor: floor, asked: from)
    }
    let found = found(filter, world, at: request.now)
    return articles(page.shown(found), total: found.count, world)
  }

  /// Newest first. A developer sees one month, a day late.
  func found(_ filter: NewsAPIFilter, _ world: NewsAPIWorld, at now: Instant) -> [NewsAPIWorld.Slot]
  {
    let newest = isDeveloper ? now - options.delay : now
    let oldest = isDeveloper ? now - options.reach : Instant(milliseconds: .min)
    let found = world.slots.filter { slot in
      (oldest...newest).contains(slot.at) && filter.wants(slot)
        && filter.wants(world.article(slot.index))
    }
    return found.sorted { ($0.at, $0.index, $0.copy) > ($1.at, $1.index, $1.copy) }
  }

  private func headlines(_ request: SandboxRequest) throws(Reply) -> Reply {
    let query = request.query
    let country = query["country"] ?? ""
    let category = query["category"] ?? ""
    let world = state.withLock { $0.world }
    let filter = try NewsAPIFilter(query)
    if country.isEmpty, category.isEmpty, filter.isTooBroad { throw NewsAPIErrors.noFilter }
    let page = try NewsAPIPage(query, usualSize: 20, max: resultsMax)
    let found = headlines(world, country: country, category: category).filter {
      filter.wants(world.article($0.index))
    }
    return articles(page.shown(found), total: found.count, world)
  }

  /// Only the United States have any. Some are in `everything` too.
  func headlines(
    _ world: NewsAPIWorld, country: String, category: String
  ) -> [NewsAPIWorld.Slot] {
    guard country.isEmpty || country == "us" else { return [] }
    return world.headlineSlots.filter {
      category.isEmpty || world.article($0.index).source.category == category
    }
  }

  private func articles(
    _ slots: ArraySlice<NewsAPIWorld.Slot>, total: Int, _ world: NewsAPIWorld
  ) -> Reply {
    let writer = NewsAPIWriter(media: setting.media)
    return .object { json in
      json.member("status", "ok")
      json.member("totalResults", total)
      json.array("articles") { json in
        for slot in slots {
          writer.write(world.article(slot.index), copy: slot.copy, to: &json)
        }
      }
    }
  }

  /// All at once, without a total.
  private var sources: Reply {
    let writer = NewsAPIWriter(media: setting.media)
    return .object { json in
      json.member("status", "ok")
      json.array("sources") { json in for source in allSources { writer.write(source, to: &json) } }
    }
  }

  var allSources: [NewsAPISource] {
    (0..<options.sources).map { NewsAPISource($0, listed: options.sources) }
  }
}
