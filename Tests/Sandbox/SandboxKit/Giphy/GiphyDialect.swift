internal import Base

/// GIPHY's API: trending, search, trending words and completions, GIFs by id, and its limits.
final class GiphyDialect: Dialect {
  let name = "giphy"
  let setting: DialectSetting
  let options: GiphyOptions
  let state: Locked<State>

  struct State: Sendable {
    var quota: RollingQuota
    var refused = 0
    var lists: GiphyLists
  }

  static let entry = DialectTable.Entry(
    name: "giphy", about: "GIPHY: trending, search, words, GIFs by id; ceilings, 100 calls an hour",
    paths: [
      ("/gifs/trending", "limit (25, at most 50), offset, rating; nothing past 499"),
      ("/gifs/search", "q (cat has most; nothing... has none), limit, offset, rating; 4,999"),
      ("/gifs/search/tags", "q, limit (5), offset: words that complete it"),
      ("/trending/searches", "words, most searched first"),
      ("/gifs?ids=A,B", "at most 100; unknown ids are left out"),
      ("/gifs/{id}", "one GIF; its media URLs differ on each call"),
    ],
    make: { GiphyDialect($0) })

  init(_ setting: DialectSetting) {
    self.setting = setting
    options = setting.options.giphy
    GiphyImages.add(to: setting.media, seed: setting.seed)
    state = Locked(
      State(
        quota: RollingQuota([(options.callsPerHour, .seconds(3600))]),
        lists: GiphyLists(seed: setting.seed, options: options)))
  }

  // MARK: Answers

  func answer(_ request: SandboxRequest) -> Reply {
    // The key is only accepted in the query.
    let key = request.query["api_key"] ?? ""
    if key.isEmpty, setting.options.needsKeys { return GiphyErrors.noKey }
    if key.hasPrefix("bad") { return GiphyErrors.badKey }
    let refused = state.withLock { state -> Int? in
      let isAllowed = state.quota.spend(key, at: request.now)
      if !isAllowed { state.refused += 1 }
      return isAllowed ? nil : state.refused
    }
    if let refused { return GiphyErrors.spent(refused) }
    return route(request, Call(request, key: key, setting: setting))
  }

  /// The parts that differ on each call.
  struct Call: Sendable {
    let responseID: String
    let writer: GiphyWriter

    init(_ request: SandboxRequest, key: String, setting: DialectSetting) {
      let salt = SeededRandom.mixed(setting.seed ^ 0x63_6964, UInt64(request.number))
      let words = [salt, SeededRandom.mixed(salt, 1)]
      responseID = words.map { Hexadecimal.text($0) }.joined() + "0badcafe"
      // The first eight digits identify the key, as in real URLs.
      let caller = Hexadecimal.text(SeededRandom.digest(key.utf8)).prefix(8) + responseID.prefix(32)
      writer = GiphyWriter(
        images: GiphyImages(media: setting.media, caller: String(caller), call: salt))
    }
  }

  private func route(_ request: SandboxRequest, _ call: Call) -> Reply {
    let path = request.path
    switch path {
    case ["gifs", "trending"]: return trending(request, call)
    case ["gifs", "search"]: return search(request, call)
    case ["gifs", "search", "tags"]: return tags(request, call)
    case ["trending", "searches"]: return words(call)
    case ["gifs"]: return several(request, call)
    case let path where path.count == 2 && path[0] == "gifs": return single(path[1], call)
    default: return GiphyErrors.notFound
    }
  }

  private func trending(_ request: SandboxRequest, _ call: Call) -> Reply {
    guard let rating = Self.rating(request) else { return GiphyErrors.badRequest }
    return page(.init(query: nil, rating: rating), ceiling: options.trendingMax, request, call)
  }

  private static let queryMax = 50

  private func search(_ request: SandboxRequest, _ call: Call) -> Reply {
    guard let text = request.query["q"], !text.isEmpty, let rating = Self.rating(request) else {
      return GiphyErrors.badRequest
    }
    guard text.unicodeScalars.count <= Self.queryMax else { return GiphyErrors.tooLong }
    return page(
      .init(query: Array(text.utf8), rating: rating), ceiling: options.searchMax, request, call)
  }

  /// Without a rating, everything is listed.
  private static func rating(_ request: SandboxRequest) -> GiphyGif.Rating? {
    guard let text = request.query["rating"], !text.isEmpty else { return .r }
    return GiphyGif.Rating(rawValue: text)
  }

  /// The largest page for a key on trial, and for one in production.
  private var limitMax: Int { setting.options.plan == .developer ? 50 : 100 }

  private func limit(_ request: SandboxRequest, default normal: Int) -> Int {
    guard let asked = request.query.int("limit"), asked > 0 else { return normal }
    return min(asked, limitMax)
  }

  private func offset(_ request: SandboxRequest) -> Int {
    min(max(0, request.query.int("offset") ?? 0), 1_000_000_000)
  }

  private func page(
    _ name: GiphyLists.Name, ceiling: Int, _ request: SandboxRequest, _ call: Call
  ) -> Reply {
    let limit = limit(request, default: 25)
    let offset = offset(request)
    // Beyond the ceiling the answer looks like an empty list, not a refusal.
    guard offset + limit <= ceiling else { return list([], total: 0, offset: 0, call) }
    let slots = state.withLock { $0.lists.list(name) }
    let shown = slots.page(offset: offset, limit: limit).filter { $0 != GiphyLists.hole }
    let gifs = shown.map { GiphyGif($0, seed: setting.seed) }
    // An estimate that varies between pages and counts holes that no page fills.
    let count = slots.slots.count
    let total = count == 0 ? 0 : count + offset / limit % 3
    return list(gifs, total: total, offset: offset, call)
  }

  private func list(_ gifs: [GiphyGif], total: Int, offset: Int, _ call: Call) -> Reply {
    .object { json in
      json.array("data") { json in for gif in gifs { call.writer.write(gif, to: &json) } }
      pagination(total: total, count: gifs.count, offset: offset, to: &json)
      GiphyErrors.writeMeta(200, "OK", responseID: call.responseID, to: &json)
    }
  }

  private func pagination(total: Int, count: Int, offset: Int, to json: inout JSONWriter) {
    json.object("pagination") { json in
      json.member("total_count", total)
      json.member("count", count)
      json.member("offset", offset)
    }
  }

  private func tags(_ request: SandboxRequest, _ call: Call) -> Reply {
    guard let typed = request.query["q"], !typed.isEmpty else { return GiphyErrors.badRequest }
    let all = GiphyWords.completions(of: typed)
    let offset = offset(request)
    let shown = all.dropFirst(offset).prefix(limit(request, default: 5))
    return .object { json in
      json.array("data") { json in
        for name in shown {
          json.object { json in
            json.member("name", name)
            json.member("analytics_response_payload", "e=\(call.responseID.prefix(16))")
          }
        }
      }
      pagination(total: all.count, count: shown.count, offset: offset, to: &json)
      GiphyErrors.writeMeta(200, "OK", responseID: call.responseID, to: &json)
    }
  }

  private func words(_ call: Call) -> Reply {
    .object { json in
      json.strings("data", trendingWords)
      GiphyErrors.writeMeta(200, "OK", responseID: call.responseID, to: &json)
    }
  }

  var trendingWords: [String] { Array(GiphyWords.trending.prefix(options.words)) }

  private static let idsMax = 100

  private func several(_ request: SandboxRequest, _ call: Call) -> Reply {
    let ids = (request.query["ids"] ?? "").split(separator: ",").map(String.init)
    guard !ids.isEmpty, ids.count <= Self.idsMax else { return GiphyErrors.badRequest }
    let gifs = ids.compactMap { gif(id: $0) }
    return list(gifs, total: gifs.count, offset: 0, call)
  }

  private func single(_ id: String, _ call: Call) -> Reply {
    guard let gif = gif(id: id) else { return GiphyErrors.notFound }
    return .object { json in
      json.key("data")
      call.writer.write(gif, to: &json)
      GiphyErrors.writeMeta(200, "OK", responseID: call.responseID, to: &json)
    }
  }

  private func gif(id: String) -> GiphyGif? {
    guard let index = GiphyGif.index(id: id, seed: setting.seed),
      index < state.withLock({ $0.lists.end })
    else { return nil }
    return GiphyGif(index, seed: setting.seed)
  }
}
