internal import Base

/// Changes on demand, and the truth.
extension GiphyDialect {
  /// `list` is a search (`q=cat`), or nil for trending; both rated g.
  func drift(insert: Int, delete: Int, list: String?) {
    let query = list.map { Array($0.hasPrefix("q=") ? $0.utf8.dropFirst(2) : $0.utf8[...]) }
    state.withLock {
      $0.lists.drift(
        .init(query: query.map(Array.init), rating: .g), insert: insert, delete: delete)
    }
  }

  /// Trending and the search for "cat", rated g, which are a job's defaults. `of` names one more list: `q=word`,
  /// `rating=pg`, `rating=pg q=word`, or `typed=go` for its completions.
  func truth(now: Instant, of: String?) -> Truth {
    var truth = Truth(api: name, seed: setting.seed, size: setting.size)
    let end = state.withLock { $0.lists.end }
    truth.tables = [
      Truth.Table(name: "gifs", keys: (0..<end).map { GiphyGif($0, seed: setting.seed).id })
    ]
    truth.lists = [
      members(of: "rating=g", query: nil, rating: .g),
      members(of: "q=cat", query: "cat", rating: .g),
      Truth.List(
        name: "trending_words", of: "", path: "/trending/searches",
        keys: trendingWords),
    ]
    if let of, let list = extra(of) { truth.lists.append(list) }
    let isGif = { (list: Truth.List) in ["trending", "search"].contains(list.name) }
    var seen: Set<String> = []
    for id in truth.lists.filter(isGif).flatMap(\.keys) where seen.insert(id).inserted {
      guard let index = GiphyGif.index(id: id, seed: setting.seed) else { continue }
      let file = GiphyImages.still(of: GiphyGif(index, seed: setting.seed))
      truth.media.append(setting.media.truth(GiphyImages.set(0), GiphyImages.key(id, file)))
    }
    return truth
  }

  private func extra(_ of: String) -> Truth.List? {
    if of.hasPrefix("typed=") {
      let typed = String(of.dropFirst(6))
      return Truth.List(
        name: "tags", of: of, path: "/gifs/search/tags", keys: GiphyWords.completions(of: typed))
    }
    var rest = of[...]
    var rating = GiphyGif.Rating.g
    if rest.hasPrefix("rating=") {
      let word = rest.dropFirst(7).prefix { $0 != " " }
      guard let known = GiphyGif.Rating(rawValue: String(word)) else { return nil }
      rating = known
      rest = rest.dropFirst(7 + word.count).drop { $0 == " " }
    }
    if rest.isEmpty { return members(of: of, query: nil, rating: rating) }
    guard rest.hasPrefix("q=") else { return nil }
    return members(of: of, query: String(rest.dropFirst(2)), rating: rating)
  }

  private func members(of: String, query: String?, rating: GiphyGif.Rating) -> Truth.List {
    let list = state.withLock {
      $0.lists.list(.init(query: query.map { Array($0.utf8) }, rating: rating))
    }
    let ceiling = query == nil ? options.trendingMax : options.searchMax
    let reached = list.slots.prefix(ceiling)
    var seen: Set<Int> = [GiphyLists.hole]
    let here = reached.filter { seen.insert($0).inserted }
    let behind = Set(list.slots.dropFirst(ceiling)).subtracting(seen).count
    let left = Set(list.deleted).subtracting(seen)
    let ids = { (index: Int) in GiphyGif(index, seed: self.setting.seed).id }
    return Truth.List(
      name: query == nil ? "trending" : "search", of: of,
      path: query == nil ? "/gifs/trending" : "/gifs/search", keys: here.map(ids),
      hidden: reached.count { $0 == GiphyLists.hole }, behindCeiling: behind,
      left: left.sorted().map(ids))
  }
}
