/// Who follows whom. Each list is a function of the seed until it drifts.
struct GitHubLists: Sendable {
  struct Name: Hashable, Sendable {
    enum Kind: String, Sendable { case followers, following }

    var kind: Kind
    /// The index of the user whose list it is.
    var of: Int
  }

  private let seed: UInt64
  private let options: GitHubOptions
  private var lists = DriftingLists<Name>()

  init(seed: UInt64, options: GitHubOptions) {
    self.seed = seed
    self.options = options
  }

  /// Indices below this are users that exist.
  var usersEnd: Int { options.users + lists.newcomers }

  mutating func list(_ name: Name) -> DriftingList {
    if let list = lists[name] { return list }
    let list = DriftingList(slots(name))
    lists[name] = list
    return list
  }

  /// The two lists of a pair are drawn independently. Only the lists of well-known users move, so they decide if they
  /// include the pair; else either list does.
  mutating func follows(_ user: Int, _ target: Int) -> Bool {
    let ofUser = Name(kind: .following, of: user)
    let ofTarget = Name(kind: .followers, of: target)
    let known = [ofUser, ofTarget].filter { $0.of < GitHubUser.knownCount }
    return (known.isEmpty ? [ofUser, ofTarget] : known).contains { name in
      list(name).slots.contains(name == ofUser ? target : user)
    }
  }

  mutating func drift(_ name: Name, insert: Int, delete: Int) {
    let list = list(name)
    lists.move(name, list, insert: insert, delete: delete, end: options.users)
  }

  /// One of octocat's followers, who will leave.
  var leaver: Int { followersOfOctocat().first { !GitHubUser($0, seed: seed).isSuspended } ?? -1 }

  private func slots(_ name: Name) -> [Int] {
    switch (name.kind, name.of) {
    case (.followers, 0): followersOfOctocat()
    case (.following, 0): followedByOctocat()
    // Every second follower of octocat also follows hubot.
    case (.followers, 1): stride(from: 0, to: options.followers, by: 2).map { shuffled($0) }
    default: few(name)
    }
  }

  /// As many as needed until the promised number is visible.
  private func followersOfOctocat() -> [Int] {
    var slots: [Int] = []
    var visible = 0
    for place in 0..<max(0, options.users - 2) where visible < options.followers {
      let index = shuffled(place)
      slots.append(index)
      if !GitHubUser(index, seed: seed).isSuspended { visible += 1 }
    }
    return slots
  }

  private func followedByOctocat() -> [Int] {
    let visible: (Int) -> Bool = { !GitHubUser($0, seed: seed).isSuspended }
    let followers = followersOfOctocat()
    let mutual = followers.filter(visible).suffix(options.mutual)
    let others = (0..<max(0, options.users - 2)).lazy.map { options.users - 1 - $0 }
      .filter { $0 > 1 && visible($0) && !followers.contains($0) }
    return Array(mutual) + others.prefix(max(0, options.following - mutual.count))
  }

  private func few(_ name: Name) -> [Int] {
    let salt = name.kind == .followers ? 0x66_6F6C : 0x66_6F6E
    var random = SeededRandom(seed ^ UInt64(salt), UInt64(name.of))
    // Many users have none at all, and a list on one page has no Link.
    let count = random.below(3) == 0 ? 0 : random.below(45)
    var seen: Set<Int> = [name.of]
    return (0..<count).compactMap { _ in
      let index = random.below(options.users)
      return seen.insert(index).inserted ? index : nil
    }
  }

  /// A permutation of 2..<users.
  private func shuffled(_ place: Int) -> Int {
    let count = max(1, options.users - 2)
    let stride = SeededRandom.stride(seed, over: count)
    return 2 + (place * stride + Int(seed % UInt64(count))) % count
  }
}
