internal import Base

/// Changes on demand, and the truth.
extension GiphyDialect {
  /// `list` is a search (`q=cat`), one of another rating (`rating=pg q=cat`), or nil for trending.
  func drift(insert: Int, delete: Int, list: String?) {
    guard let name = listName(list ?? "") else { return }
    state.withLock { $0.lists.drift(name, insert: insert, delete: delete) }
  }

  /// `q=word`, `rating=pg`, or both; rated g by default.
  private func listName(_ text: String) -> GiphyLists.Name? {
    var rest = text[...]
    var rating = GiphyGif.Rating.g
    if rest.hasPrefix("rating=") {
      let word = rest.dropFirst(7).prefix { $0 != " " }
      guard let known = GiphyGif.Rating(rawValue: String(word)) else { return nil }
      rating = known
      rest = rest.dropFirst(7 + word.count).drop { $0 == " " }
    }
    if rest.isEmpty { return GiphyLists.Name(query: nil, rating: rating) }
    guard rest.hasPrefix("q=") else { return nil }
    return GiphyLists.Name(query: Array(rest.utf8.dropFirst(2)), rating: rating)
  }

  /// Trending and the search for "cat", rated g, which are a job's defaults. `of` names one more list: `q=word`,
  /// `rating=pg`, `rating=pg q=word`, or `typed=go` for its completions.
  func truth(now: Instant, of: String?) -> Truth {
    var truth = Truth()
    let end = state.withLock { $0.lists.end }
    truth.records = (0..<end).map { GiphyGif($0, seed: setting.seed).id }
    truth.lists = [
      members(.init(query: nil, rating: .g), of: "rating=g"),
      members(.init(query: Array("cat".utf8), rating: .g), of: "q=cat"),
      Truth.List(name: "trending_words", of: "", keys: trendingWords),
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
      return Truth.List(name: "tags", of: of, keys: GiphyWords.completions(of: typed))
    }
    return listName(of).map { members($0, of: of) }
  }

  private func members(_ name: GiphyLists.Name, of: String) -> Truth.List {
    let list = state.withLock { $0.lists.list(name) }
    let isTrending = name.query == nil
    let ceiling = isTrending ? options.trendingMax : options.searchMax
    let reached = list.slots.prefix(ceiling)
    var seen: Set<Int> = [GiphyLists.hole]
    let here = reached.filter { seen.insert($0).inserted }
    let behind = Set(list.slots.dropFirst(ceiling)).subtracting(seen).count
    return Truth.List(
      name: isTrending ? "trending" : "search", of: of,
      keys: here.map { GiphyGif($0, seed: setting.seed).id }, behindCeiling: behind)
  }
}
