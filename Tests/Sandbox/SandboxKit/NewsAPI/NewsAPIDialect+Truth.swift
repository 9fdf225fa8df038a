internal import Base

/// Changes on demand, and the truth.
extension NewsAPIDialect {
  /// Only the first subject of `everything` changes, whatever list is named.
  func drift(insert: Int, delete: Int, list: String?) {
    state.withLock { state in
      if delete > 0 { state.world.delete(delete) }
      if insert > 0 { state.world.insert(insert) }
    }
  }

  static let usualSearch = "swift programming"

  /// Keys are addresses without fragment and `utm_` parameters. `of` names one more search (`q=linux`). Results after
  /// the hundredth are beyond the ceiling, although time windows reach them.
  func truth(now: Instant, of: String?) -> Truth {
    var truth = Truth()
    let world = state.withLock { $0.world }
    var searches = [Self.usualSearch]
    if let of, of.hasPrefix("q="), of.dropFirst(2) != Self.usualSearch[...] {
      searches.append(String(of.dropFirst(2)))
    }
    var shown: [NewsAPIWorld.Slot] = []
    for words in searches {
      let target = "q=\(PercentEncoding.encoded(words))"
      // Words alone are refused only if too long; then there is no list.
      guard let filter = try? NewsAPIFilter(Query(target[...])) else { continue }
      let found = found(filter, world, at: now)
      let reach = isDeveloper ? min(found.count, options.resultsMax) : found.count
      let list = found[..<reach]
      shown += list
      truth.lists.append(
        Truth.List(
          name: "everything", of: "q=\(words)", keys: keys(list, world),
          behindCeiling: keys(found[reach...], world).count))
    }
    let headlines = headlines(world, country: "us", category: "")
    shown += headlines
    truth.lists.append(
      Truth.List(name: "headlines", of: "country=us", keys: keys(headlines[...], world)))
    truth.lists.append(Truth.List(name: "sources", of: "", keys: allSources.compactMap(\.id)))
    truth.media = images(shown, world)
    return truth
  }

  /// Each key once, in the order of the list.
  private func keys(_ slots: ArraySlice<NewsAPIWorld.Slot>, _ world: NewsAPIWorld) -> [String] {
    var seen: Set<Int> = []
    return slots.compactMap { slot in
      guard !world.isRemoved(slot.index), seen.insert(slot.index).inserted else { return nil }
      return world.article(slot.index).url
    }
  }

  private func images(_ slots: [NewsAPIWorld.Slot], _ world: NewsAPIWorld) -> [Truth.Image] {
    Set(slots.map(\.index)).sorted().compactMap { index in
      let article = world.article(index)
      guard !article.isRemoved, article.picture == .here else { return nil }
      return setting.media.truth(
        NewsAPIWriter.mediaSet, String(index), suffix: NewsAPIWriter.imageSuffix(article))
    }
  }
}
