internal import Base

/// YouTube's Data API: search, videos, channels, upload lists, and its three quotas.
final class YouTubeDialect: Dialect {
  let name = "youtube"
  let setting: DialectSetting
  let options: YouTubeOptions
  let state: Locked<State>

  struct State: Sendable {
    var quota: YouTubeQuota
    var world: YouTubeWorld
    /// Search results by text, until the world changes.
    var found: [String: [Int]] = [:]
    var foundAt = 0
  }

  private static let idsMax = 50
  private static let statistics = "videos:batchGetStats"
  private static let methods: Set = ["search", "videos", statistics, "channels", "playlistItems"]

  static let entry = DialectTable.Entry(
    name: "youtube", about: "YouTube Data API v3: search, videos, channels, uploads; three quotas",
    paths: [
      (
        "/search",
        "part, q, order (date), publishedAfter, publishedBefore, maxResults (5, at most 50), "
          + "pageToken; q=music has more than the 500 that tokens lead to"
      ),
      ("/videos", "part, id (up to 50): statistics as texts, some hidden"),
      (
        "/videos:batchGetStats",
        "part, id (up to 50): statistics, length and time; a quota of its own"
      ),
      (
        "/channels",
        "part, id: UCtrawlSandboxChannel000 and the next three; forHandle or forUsername: sandbox0"
      ),
      ("/playlistItems", "part, playlistId (UU... of a channel), maxResults, pageToken"),
    ],
    make: { YouTubeDialect($0) })

  init(_ setting: DialectSetting) {
    self.setting = setting
    options = setting.options.youTube
    state = Locked(
      State(
        quota: YouTubeQuota(options), world: YouTubeWorld(seed: setting.seed, options: options)))
    Self.addMedia(setting)
  }

  /// The thumbnails of all possible videos and channels.
  static func addMedia(_ setting: DialectSetting) {
    let (seed, channels) = (setting.seed, setting.options.youTube.channels)
    setting.media.add(
      MediaSet(name: YouTubeWriter.mediaSet, bytes: 2_000...40_000) { key in
        let parts = key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return false }
        if parts[0] == "ch" {
          return YouTubeID.channelNumber(parts[1], prefix: "UC", count: channels) != nil
            && ["default.jpg", "medium.jpg", "high.jpg"].contains(parts[2])
        }
        guard parts[0] == "vi", let index = YouTubeID.index(parts[1], seed: seed) else {
          return false
        }
        let bits = YouTubeVideo.bits(index, seed: seed)
        switch parts[2] {
        case "default.jpg", "mqdefault.jpg", YouTubeWriter.high: return true
        case "sddefault.jpg": return YouTubeVideo.hasStandard(bits)
        case "maxresdefault.jpg": return YouTubeVideo.hasLargest(bits)
        default: return false
        }
      })
  }

  // MARK: Answers

  func answer(_ request: SandboxRequest) -> Reply {
    let key = request.header("X-Goog-Api-Key") ?? request.query["key"] ?? ""
    if key.hasPrefix("bad") { return YouTubeErrors.badKey }
    if key.isEmpty, setting.options.needsKeys { return YouTubeErrors.noKey }
    let method = request.path.count == 1 ? request.path[0] : ""
    guard Self.methods.contains(method) else { return YouTubeErrors.notFound }
    // A failed request costs as much as a successful one.
    let bucket: YouTubeQuota.Bucket =
      switch method {
      case "search": .searches
      case Self.statistics: .statistics
      default: .units
      }
    guard state.withLock({ $0.quota.spend(bucket, at: request.now) }) else {
      switch bucket {
      case .searches: return YouTubeErrors.searchesSpent(limit: options.searchesPerDay)
      case .statistics: return YouTubeErrors.statisticsSpent
      case .units: return YouTubeErrors.unitsSpent
      }
    }
    var reply: Reply
    do throws(Reply) {
      let parts = try self.parts(request)
      switch method {
      case "search": reply = try search(request)
      case "videos": reply = try videos(request, parts)
      case Self.statistics: reply = try statistics(request, parts)
      case "channels": reply = try channels(request, parts)
      default: reply = try entries(request, parts)
      }
    } catch {
      return error
    }
    reply["Cache-Control"] = "private, max-age=120, must-revalidate, no-transform"
    reply["Vary"] = "Origin, X-Origin, Referer"
    if let tag = reply["ETag"], request.header("If-None-Match") == tag {
      // It counts nevertheless.
      reply.status = 304
      reply.body = []
    }
    return reply
  }

  private func search(_ request: SandboxRequest) throws(Reply) -> Reply {
    let search = try YouTubeSearch(request.query)
    let (results, world) = found(search)
    let list = SeededRandom.digest(search.text.utf8, seed: 1)
    let page = try YouTubePage(request, list: list, setting: setting, life: options.tokenLife)
    let shown = page.slots(results, reach: options.searchReach).filter { world.isVisible($0) }
    let writer = writer(world, at: request.now)
    let estimate = Self.estimate(results, world, page: page)
    let next = page.next(count: results.count, reach: options.searchReach, promisesMore: true)
    return self.reply(
      "youtube#searchListResponse", page, next: next, total: estimate, isRegional: true,
      tag: "\(search.text) \(world.revision)"
    ) { json in
      for index in shown { writer.writeFound(world.video(index), to: &json) }
    }
  }

  /// About three times the real number, and different on every page.
  private static func estimate(
    _ results: [Int], _ world: YouTubeWorld, page: YouTubePage
  ) -> Int {
    let visible = results.count { world.isVisible($0) }
    guard visible > 0 else { return 0 }
    let wobble = [0, 3, -2, 7, 1][page.offset / max(1, page.size) % 5]
    return min(1_000_000, visible * 3 + 4 + wobble)
  }

  func found(_ search: YouTubeSearch) -> ([Int], YouTubeWorld) {
    let (known, world) = state.withLock { state in
      if state.foundAt != state.world.revision {
        state.found = [:]
        state.foundAt = state.world.revision
      }
      return (state.found[search.text], state.world)
    }
    if let known { return (known, world) }
    let results = search.results(in: world)
    state.withLock { state in
      guard state.world.revision == world.revision else { return }
      state.found[search.text] = results
    }
    return (results, world)
  }

  /// Unknown ids are silently left out.
  private func videos(_ request: SandboxRequest, _ parts: Set<String>) throws(Reply) -> Reply {
    let ids = try self.ids(request)
    let world = state.withLock { $0.world }
    let videos = ids.compactMap { world.video(id: $0) }
    let writer = writer(world, at: request.now)
    let page = YouTubePage(whole: videos.count)
    return reply(
      "youtube#videoListResponse", page, next: nil, total: videos.count,
      tag: "\(parts.sorted()) \(ids) \(world.revision) \(writer.hours)"
    ) { json in
      for video in videos { writer.write(video, parts: parts, to: &json) }
    }
  }

  /// No pages, no total.
  private func statistics(_ request: SandboxRequest, _ parts: Set<String>) throws(Reply) -> Reply {
    let ids = try self.ids(request)
    let world = state.withLock { $0.world }
    let writer = writer(world, at: request.now)
    let kind = "youtube#batchGetStatsResponse"
    let text = "\(kind)\n\(parts.sorted()) \(ids) \(world.revision) \(writer.hours)"
    let etag = YouTubeWriter.tag(text, seed: setting.seed)
    var reply = Reply.object { json in
      json.member("kind", kind)
      json.member("etag", etag)
      json.array("items") { json in
        for id in ids {
          guard let video = world.video(id: id) else { continue }
          writer.writeStatistics(video, parts: parts, to: &json)
        }
      }
    }
    reply["ETag"] = "\"\(etag)\""
    return reply
  }

  /// If nothing is found there is an empty list, or none: both were observed.
  private func channels(_ request: SandboxRequest, _ parts: Set<String>) throws(Reply) -> Reply {
    let ids = try channelIDs(request)
    let numbers = ids.compactMap {
      YouTubeID.channelNumber($0, prefix: "UC", count: options.channels)
    }
    let world = state.withLock { $0.world }
    let writer = writer(world, at: request.now)
    let isBare = numbers.isEmpty && ids.allSatisfy { $0.hasPrefix("UC") }
    return reply(
      "youtube#channelListResponse", YouTubePage(whole: numbers.count), next: nil,
      total: numbers.count, tag: "\(parts.sorted()) \(ids) \(world.revision)", hasItems: !isBare
    ) { json in
      for number in numbers { writer.writeChannel(number, parts: parts, to: &json) }
    }
  }

  private func entries(_ request: SandboxRequest, _ parts: Set<String>) throws(Reply) -> Reply {
    guard let id = request.query["playlistId"] else { throw YouTubeErrors.missing("playlistId") }
    guard let number = YouTubeID.channelNumber(id, prefix: "UU", count: options.channels) else {
      throw YouTubeErrors.playlistNotFound
    }
    let list = SeededRandom.digest(id.utf8, seed: 2)
    let page = try YouTubePage(request, list: list, setting: setting, life: options.tokenLife)
    let world = state.withLock { $0.world }
    let slots = world.newestFirst(world.indices.filter { world.channel($0) == number })
    let shown = page.slots(slots, reach: .max)
    let writer = writer(world, at: request.now)
    let next = page.next(count: slots.count, reach: .max, promisesMore: false)
    return self.reply(
      "youtube#playlistItemListResponse", page, next: next, total: slots.count,
      tag: "\(parts.sorted()) \(id) \(world.revision)"
    ) { json in
      for (place, index) in shown.enumerated() {
        writer.writeEntry(world.video(index), place: page.offset + place, parts: parts, to: &json)
      }
    }
  }

  // MARK: Parts of an answer

  private func reply(
    _ kind: String, _ page: YouTubePage, next: String?, total: Int, isRegional: Bool = false,
    tag: String, hasItems: Bool = true, _ write: (inout JSONWriter) -> Void
  ) -> Reply {
    let text = "\(kind)\n\(tag)\n\(page.offset) \(page.size)"
    let etag = YouTubeWriter.tag(text, seed: setting.seed)
    var reply = Reply.object { json in
      json.member("kind", kind)
      json.member("etag", etag)
      if let next { json.member("nextPageToken", next) }
      if isRegional { json.member("regionCode", "US") }
      json.object("pageInfo") { json in
        json.member("totalResults", total)
        json.member("resultsPerPage", page.size)
      }
      if hasItems { json.array("items") { write(&$0) } }
    }
    reply["ETag"] = "\"\(etag)\""
    return reply
  }

  private func writer(_ world: YouTubeWorld, at now: Instant) -> YouTubeWriter {
    YouTubeWriter(
      world: world, media: setting.media,
      hours: (now - setting.startedAt).milliseconds / 3_600_000)
  }

  private static let knownParts: Set<String> = [
    "id", "snippet", "contentDetails", "statistics", "status", "player", "topicDetails",
    "localizations", "liveStreamingDetails", "recordingDetails", "brandingSettings",
    "paidProductPlacementDetails",
  ]

  private func parts(_ request: SandboxRequest) throws(Reply) -> Set<String> {
    guard let text = request.query["part"], !text.isEmpty else {
      throw YouTubeErrors.missing("part")
    }
    let parts = Set(text.split(separator: ",").map { String($0).trimmingBlanks })
    guard parts.isSubset(of: Self.knownParts) else { throw YouTubeErrors.unknownPart }
    return parts
  }

  /// By id, handle (with or without `@`), or the name of an old account.
  private func channelIDs(_ request: SandboxRequest) throws(Reply) -> [String] {
    if request.query["id"] != nil { return try ids(request) }
    let handle = request.query["forHandle"].map { $0.hasPrefix("@") ? String($0.dropFirst()) : $0 }
    guard let name = handle ?? request.query["forUsername"] else {
      throw YouTubeErrors.noFilter(["forHandle", "forUsername", "id"])
    }
    let number = (0..<options.channels).first {
      YouTubeID.handle($0).lowercased() == name.lowercased()
    }
    return [number.map(YouTubeID.channel) ?? "UC of \(name)"]
  }

  private func ids(_ request: SandboxRequest) throws(Reply) -> [String] {
    guard let text = request.query["id"] else { throw YouTubeErrors.missing("id") }
    let ids = text.split(separator: ",").map(String.init)
    guard ids.count <= Self.idsMax else {
      throw YouTubeErrors.invalid("id", "\(ids.count) ids")
    }
    return ids
  }
}
