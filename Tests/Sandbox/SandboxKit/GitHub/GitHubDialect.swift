internal import Base

/// GitHub's REST API: users, followers, following, the search for users, and its limits.
final class GitHubDialect: Dialect {
  let name = "github"
  let setting: DialectSetting
  let options: GitHubOptions
  private let writer: GitHubUserWriter
  private let base: String
  let leaver: Int
  let state: Locked<State>

  struct State: Sendable {
    var quota: GitHubQuota
    var lists: GitHubLists
    /// The results of searches, by query.
    var found: [String: [Int]] = [:]
  }

  static let entry = DialectTable.Entry(
    name: "github", about: "GitHub REST: users, followers, search; Link, limits, ETag",
    paths: [
      ("/users/{login}", "profile; octocat and hubot have long lists"),
      ("/users/{login}/followers", "per_page (30, at most 100), page; Link to /user/{id}/..."),
      ("/users/{login}/following", "the same; a single page may carry only rel=\"deprecation\""),
      ("/users/{login}/following/{target}", "204: follows, 404: does not"),
      ("/user/{id}", "profile by number"),
      ("/user/{id}/followers", "what Link leads to"),
      ("/search/users", "q with created:A..B, type:, words; 422 past 1,000 results"),
      ("/rate_limit", "60 an hour without a token, 5,000 with; costs nothing"),
    ],
    make: { GitHubDialect($0) })

  init(_ setting: DialectSetting) {
    self.setting = setting
    options = setting.options.gitHub
    base = setting.origin + "/github"
    writer = GitHubUserWriter(
      base: base, seed: setting.seed, options: options, media: setting.media)
    let lists = GitHubLists(seed: setting.seed, options: options)
    leaver = lists.leaver
    state = Locked(State(quota: GitHubQuota(options), lists: lists))
    let seed = setting.seed
    setting.media.add(
      MediaSet(name: "u", bytes: 2_000...60_000, sharedShare: 0.1) { key in
        Int(key).flatMap { GitHubUser.index(id: $0, seed: seed) } != nil
      })
  }

  // MARK: Answers

  func answer(_ request: SandboxRequest) -> Reply {
    if (request.header("User-Agent") ?? "").isEmpty { return GitHubErrors.noUserAgent }
    if let version = request.header("X-GitHub-Api-Version"),
      !["2022-11-28", "2026-03-10"].contains(version)
    {
      return GitHubErrors.version(version)
    }
    if let token = request.bearer, token.hasPrefix("bad") { return GitHubErrors.badCredentials }
    if let fault = request.fault, let reply = GitHubErrors.secondary(fault) { return reply }
    let account = request.bearer ?? ""
    if request.path == ["rate_limit"] { return rateLimit(account, at: request.now) }

    let isSearch = request.path.first == "search"
    let key = GitHubQuota.Key(account: account, resource: isSearch ? .search : .core)
    var reply = route(request)
    if isUnchanged(&reply, request, account: account) {
      // An unchanged answer is free only for authorised clients.
      if !account.isEmpty {
        let quota = state.withLock { $0.quota.state(key, at: request.now) }
        return finished(reply, key, quota, request)
      }
    }
    let (quota, isAllowed) = state.withLock { $0.quota.spend(key, at: request.now) }
    if !isAllowed { reply = GitHubErrors.spent(account: account) }
    return finished(reply, key, quota, request)
  }

  private func route(_ request: SandboxRequest) -> Reply {
    let path = request.path
    switch (path.count, path.first) {
    case (2, "users"):
      guard let user = user(login: path[1], at: request.now) else { return GitHubErrors.notFound }
      return profile(user)
    case (2, "user"):
      guard let user = user(id: path[1], at: request.now) else { return GitHubErrors.notFound }
      return profile(user)
    case (4, "users") where path[2] == "following":
      guard let user = user(login: path[1], at: request.now),
        let target = self.user(login: path[3], at: request.now),
        // According to the lists that a client walks: those of the well-known users.
        state.withLock({ $0.lists.follows(user.index, target.index) })
      else { return GitHubErrors.notFound }
      return Reply(204, [])
    case (2, "search") where path[1] == "users":
      return search(request)
    case (3, _):
      guard let name = listName(path, at: request.now) else { return GitHubErrors.notFound }
      return list(name, request)
    default:
      return GitHubErrors.notFound
    }
  }

  private func profile(_ user: GitHubUser) -> Reply {
    let counts = state.withLock { state in
      (
        followers: state.lists.list(.init(kind: .followers, of: user.index)).slots.count,
        following: state.lists.list(.init(kind: .following, of: user.index)).slots.count
      )
    }
    return .json(
      JSONWriter.bytes {
        writer.writeDetail(
          user, followers: counts.followers, following: counts.following, to: &$0)
      })
  }

  private func list(_ name: GitHubLists.Name, _ request: SandboxRequest) -> Reply {
    let page = GitHubPage(request.query)
    let (slots, count) = state.withLock { state in
      let list = state.lists.list(name)
      return (Array(list.page(offset: page.offset, limit: page.size)), list.slots.count)
    }
    let users = slots.map { GitHubUser($0, seed: setting.seed) }
      .filter { isVisible($0, at: request.now) }
    var reply = Reply.json(
      JSONWriter.bytes { json in
        json.array { json in for user in users { writer.writeListed(user, to: &json) } }
      })
    let owner = GitHubUser(name.of, seed: setting.seed)
    reply.list = "\(name.kind.rawValue)/\(owner.login)"
    let pages = (count + page.size - 1) / page.size
    // The link names the user by number, whatever the request did.
    reply["Link"] =
      page.link(
        to: "\(base)/user/\(owner.id)/\(name.kind.rawValue)", rawQuery: request.rawQuery,
        pages: pages)
      ?? (name.kind == .following && name.of.isMultiple(of: 2)
        ? "<https://developer.github.com/changes/>; rel=\"deprecation\"" : nil)
    return reply
  }

  private func search(_ request: SandboxRequest) -> Reply {
    let search: GitHubSearch
    do throws(GitHubSearch.Problem) {
      search = try GitHubSearch(request.query["q"])
    } catch {
      return GitHubErrors.validation(error)
    }
    let page = GitHubPage(request.query)
    guard page.offset < GitHubSearch.resultsMax else { return GitHubErrors.beyondSearch }
    let found = results(of: search, for: request.query["q"] ?? "")
    let from = min(page.offset, found.count)
    let shown = found[from..<min(found.count, from + page.size)]
    var reply = Reply.object { json in
      json.member("total_count", found.count)
      json.member("incomplete_results", false)
      json.array("items") { json in
        for index in shown {
          writer.writeListed(GitHubUser(index, seed: setting.seed), score: true, to: &json)
        }
      }
    }
    let reach = min(found.count, GitHubSearch.resultsMax)
    reply["Link"] = page.link(
      to: "\(base)/search/users", rawQuery: request.rawQuery,
      pages: (reach + page.size - 1) / page.size)
    return reply
  }

  func results(of search: GitHubSearch, for text: String) -> [Int] {
    if let known = state.withLock({ $0.found[text] }) { return known }
    let found = (0..<options.users).filter {
      search.matches(GitHubUser($0, seed: setting.seed), options: options)
    }
    state.withLock { $0.found[text] = found }
    return found
  }

  private func rateLimit(_ account: String, at now: Instant) -> Reply {
    let key = GitHubQuota.Key(account: account, resource: .core)
    let (core, search) = state.withLock { state in
      (
        state.quota.state(key, at: now),
        state.quota.state(.init(account: account, resource: .search), at: now)
      )
    }
    let reply = Reply.object { json in
      json.object("resources") { json in
        json.object("core") { GitHubErrors.write(core, to: &$0) }
        json.object("search") { GitHubErrors.write(search, to: &$0) }
      }
      json.object("rate") { GitHubErrors.write(core, to: &$0) }
    }
    return GitHubErrors.counted(reply, key, core)
  }

  // MARK: Parts of an answer

  /// Turns the answer into a 304 if the client already has it. The tag differs by account and media type, as `Vary`
  /// says.
  private func isUnchanged(
    _ reply: inout Reply, _ request: SandboxRequest, account: String
  ) -> Bool {
    guard reply.status == 200, request.path.first != "search" else { return false }
    let vary = SeededRandom.digest("\(account)\n\(request.header("Accept") ?? "")".utf8)
    let digest = SeededRandom.digest(reply.body, seed: vary)
    let tag = "W/\"\(Hexadecimal.text(digest))\(Hexadecimal.text(SeededRandom.mixed(digest, 1)))\""
    reply["ETag"] = tag
    guard request.header("If-None-Match") == tag else { return false }
    reply.status = 304
    reply.body = []
    return true
  }

  private func finished(
    _ reply: Reply, _ key: GitHubQuota.Key, _ quota: GitHubQuota.State, _ request: SandboxRequest
  ) -> Reply {
    var reply = GitHubErrors.counted(reply, key, quota)
    let isSearch = key.resource == .search
    reply["Cache-Control"] = isSearch ? "no-cache" : "private, max-age=60, s-maxage=60"
    reply["Vary"] = "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding"
    reply["X-GitHub-Media-Type"] = "github.v3; format=json"
    reply["X-GitHub-Api-Version-Selected"] =
      request.header("X-GitHub-Api-Version") ?? "2022-11-28"
    return reply
  }

  // MARK: Data

  func isVisible(_ user: GitHubUser, at now: Instant) -> Bool {
    if user.isSuspended { return false }
    return user.index != leaver || now < setting.startedAt + options.leaverLeavesAfter
  }

  func user(login: String, at now: Instant) -> GitHubUser? {
    GitHubUser.index(login: login).flatMap { user($0, at: now) }
  }

  private func user(id: String, at now: Instant) -> GitHubUser? {
    let index = Int(id).flatMap { GitHubUser.index(id: $0, seed: setting.seed) }
    return index.flatMap { user($0, at: now) }
  }

  private func user(_ index: Int, at now: Instant) -> GitHubUser? {
    guard index < state.withLock({ $0.lists.usersEnd }) else { return nil }
    let user = GitHubUser(index, seed: setting.seed)
    return isVisible(user, at: now) ? user : nil
  }

  /// `users/{login}/followers` and `user/{id}/followers`.
  private func listName(_ path: [String], at now: Instant) -> GitHubLists.Name? {
    guard let kind = GitHubLists.Name.Kind(rawValue: path[2]) else { return nil }
    let found: GitHubUser?
    switch path[0] {
    case "users": found = user(login: path[1], at: now)
    case "user": found = user(id: path[1], at: now)
    default: found = nil
    }
    return found.map { GitHubLists.Name(kind: kind, of: $0.index) }
  }
}
