internal import Base

/// A private proxy for YouTube with its own form: numbered pages, an exact total, and records without ids. It lists
/// what the search for `swift language` shows, newest first.
final class YouTubeProxyDialect: Dialect {
  let name = "youtube-proxy"
  private let setting: DialectSetting
  private let world: Locked<YouTubeWorld>

  private static let usualSize = 10
  private static let sizeMax = 50

  static let entry = DialectTable.Entry(
    name: "youtube-proxy", about: "a private proxy before YouTube: page numbers, no ids",
    paths: [("/", "page from 1, maxResults (10, at most 50); the total is exact")],
    make: { YouTubeProxyDialect($0) })

  init(_ setting: DialectSetting) {
    self.setting = setting
    world = Locked(YouTubeWorld(seed: setting.seed, options: setting.options.youTube))
    YouTubeDialect.addMedia(setting)
  }

  func answer(_ request: SandboxRequest) -> Reply {
    let key = request.header("X-Goog-Api-Key") ?? request.query["key"] ?? ""
    if key.hasPrefix("bad") { return YouTubeErrors.badKey }
    guard request.path.isEmpty || request.path == [""] else { return YouTubeErrors.notFound }
    let size = min(max(1, request.query.int("maxResults") ?? Self.usualSize), Self.sizeMax)
    // 10^12 pages are more than any list has; the bound prevents overflow.
    let page = min(max(1, request.query.int("page") ?? 1), 1_000_000_000_000)
    let world = self.world.withLock { $0 }
    let listed = Self.listed(in: world)
    let from = min((page - 1) * size, listed.count)
    let shown = listed[from..<min(listed.count, from + size)]
    return .object { json in
      json.object("pageInfo") { json in json.member("totalResults", listed.count) }
      json.array("items") { json in for index in shown { write(world.video(index), to: &json) } }
    }
  }

  /// Three members only; the id is only in the thumbnail's path.
  private func write(_ video: YouTubeVideo, to json: inout JSONWriter) {
    json.object { json in
      json.object("snippet") { json in
        json.member("title", video.title)
        json.member("description", YouTubeWriter.shortened(video.text))
        json.object("thumbnails") { json in
          json.object("high") { json in
            let key = YouTubeWriter.thumbnailKey(video.id)
            json.member("url", setting.media.url(YouTubeWriter.mediaSet, key))
          }
        }
      }
    }
  }

  private static func listed(in world: YouTubeWorld) -> [Int] {
    let all = world.indices.filter {
      world.isVisible($0) && (world.topics[0].range.contains($0) || world.isNewcomer($0))
    }
    return world.newestFirst(all)
  }

  func drift(insert: Int, delete: Int, list: String?) {
    world.withLock { world in
      if delete > 0 { world.delete(delete) }
      if insert > 0 { world.insert(insert) }
    }
  }

  func truth(now: Instant, of: String?) -> Truth {
    let world = self.world.withLock { $0 }
    let keys = Self.listed(in: world).map { YouTubeID.text($0, seed: world.seed) }
    var truth = Truth()
    truth.lists = [Truth.List(name: "videos", of: "", keys: keys)]
    return truth
  }
}
