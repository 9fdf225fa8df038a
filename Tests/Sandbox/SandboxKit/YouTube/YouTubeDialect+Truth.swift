internal import Base

/// Changes on demand, and the truth.
extension YouTubeDialect {
  /// Only the first topic and the first channel change, whatever list is named.
  func drift(insert: Int, delete: Int, list: String?) {
    state.withLock { state in
      if delete > 0 { state.world.delete(delete) }
      if insert > 0 { state.world.insert(insert) }
    }
  }

  static let usualSearch = "swift language"

  /// `of` names a search (`q=music`) or the uploads of a channel (`channel=UC...`).
  func truth(now: Instant, of: String?) -> Truth {
    var truth = Truth()
    let world = state.withLock { $0.world }
    var searches = [Self.usualSearch]
    if let of, of.hasPrefix("q="), of.dropFirst(2) != Self.usualSearch[...] {
      searches.append(String(of.dropFirst(2)))
    }
    truth.lists = searches.compactMap { found($0) }
    if let of, of.hasPrefix("channel=") {
      let number = YouTubeID.channelNumber(
        String(of.dropFirst(8)), prefix: "UC", count: options.channels)
      if let number { truth.lists.append(uploads(number, world)) }
    }
    truth.media = Set(truth.lists.flatMap(\.keys)).sorted().map {
      setting.media.truth(YouTubeWriter.mediaSet, YouTubeWriter.thumbnailKey($0))
    }
    return truth
  }

  private func found(_ words: String) -> Truth.List? {
    let target = "q=\(PercentEncoding.encoded(words))&type=video&order=date"
    // This query has no time, so nothing in it is refused.
    guard let search = try? YouTubeSearch(Query(target[...])) else { return nil }
    let (indices, world) = found(search)
    func keys(_ indices: some Sequence<Int>) -> [String] {
      indices.filter { world.isVisible($0) }.map { YouTubeID.text($0, seed: world.seed) }
    }
    let reach = min(indices.count, options.searchReach)
    let shown = keys(indices[..<reach])
    let behind = keys(indices[reach...])
    return Truth.List(
      name: "search", of: "q=\(words)", keys: shown,
      behindCeiling: behind.count)
  }

  private func uploads(_ number: Int, _ world: YouTubeWorld) -> Truth.List {
    let slots = world.newestFirst(world.indices.filter { world.channel($0) == number })
    let visible = slots.filter { world.isVisible($0) }
    return Truth.List(
      name: "uploads", of: YouTubeID.uploads(number),
      keys: visible.map { YouTubeID.text($0, seed: world.seed) },
      hidden: slots.count - visible.count)
  }
}
