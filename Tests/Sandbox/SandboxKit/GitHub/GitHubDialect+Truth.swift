internal import Base

/// Changes on demand, and the truth.
extension GitHubDialect {
  /// `list` is `followers/octocat`, which is also the default.
  func drift(insert: Int, delete: Int, list: String?) {
    let parts = (list ?? "followers/octocat").split(separator: "/").map(String.init)
    guard parts.count == 2, let kind = GitHubLists.Name.Kind(rawValue: parts[0]),
      let index = GitHubUser.index(login: parts[1])
    else { return }
    state.withLock {
      $0.lists.drift(.init(kind: kind, of: index), insert: insert, delete: delete)
    }
  }

  func truth(now: Instant, of: String?) -> Truth {
    var truth = Truth()
    let search = of.flatMap { $0.hasPrefix("q=") ? String($0.dropFirst(2)) : nil }
    if let search { truth.lists += [found(search)].compactMap { $0 } }
    let logins = ["octocat", "hubot"] + (search == nil ? [of].compactMap { $0 } : [])
    for login in logins {
      guard let owner = user(login: login, at: now) else { continue }
      for kind in [GitHubLists.Name.Kind.followers, .following] {
        truth.lists.append(members(.init(kind: kind, of: owner.index), owner, at: now))
      }
    }
    let seen = Set(truth.lists.flatMap(\.keys)).union(["583231"])
    truth.media = seen.sorted().map { setting.media.truth("u", $0, suffix: "?v=4") }
    return truth
  }

  private func members(
    _ name: GitHubLists.Name, _ owner: GitHubUser, at now: Instant
  ) -> Truth.List {
    let list = state.withLock { $0.lists.list(name) }
    let users = list.slots.map { GitHubUser($0, seed: setting.seed) }
    let visible = users.filter { isVisible($0, at: now) }
    var left = list.left
    if list.slots.contains(leaver), now >= setting.startedAt + options.leaverLeavesAfter {
      left.append(leaver)
    }
    return Truth.List(
      name: name.kind.rawValue, of: owner.login, keys: visible.map { String($0.id) },
      hidden: users.count - visible.count,
      left: left.map { String(GitHubUser($0, seed: setting.seed).id) })
  }

  private func found(_ text: String) -> Truth.List? {
    // A query that the search refuses has no list.
    guard let search = try? GitHubSearch(text) else { return nil }
    let all = results(of: search, for: text).map { String(GitHubUser($0, seed: setting.seed).id) }
    return Truth.List(
      name: "search", of: "q=\(text)", keys: Array(all.prefix(GitHubSearch.resultsMax)),
      behindCeiling: max(0, all.count - GitHubSearch.resultsMax))
  }
}
