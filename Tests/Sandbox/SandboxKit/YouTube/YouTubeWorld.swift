internal import Base

/// All videos and channels, and the drift so far.
struct YouTubeWorld: Sendable {
  let seed: UInt64
  let options: YouTubeOptions
  let topics: [YouTubeTopic]
  private let end: Int
  private(set) var newcomers: [Instant] = []
  private(set) var removed: Set<Int> = []
  /// Counts changes, to invalidate caches.
  private(set) var revision = 0

  static let first = Instant(seconds: 1_546_300_800)  // 2019-01-01
  static let last = Instant(seconds: 1_795_168_800)  // 2026-11-20

  init(seed: UInt64, options: YouTubeOptions) {
    self.seed = seed
    self.options = options
    var next = 0
    var topics: [YouTubeTopic] = []
    let all =
      [(YouTubeTopic.first, options.found)] + YouTubeTopic.small.map { ($0.title, $0.count) }
      + [(YouTubeTopic.crowd, options.crowd)]
    for (title, count) in all {
      let start = next
      var visible = 0
      // As many as needed until the promised number is visible.
      while visible < count {
        if YouTubeVideo.state(next, seed: seed) == .here { visible += 1 }
        next += 1
      }
      topics.append(YouTubeTopic(title: title, range: start..<next))
    }
    self.topics = topics
    end = next
  }

  /// The indices of all videos, deleted ones included.
  var indices: [Int] { (0..<(end + newcomers.count)).filter { !removed.contains($0) } }

  func exists(_ index: Int) -> Bool {
    (0..<(end + newcomers.count)).contains(index) && !removed.contains(index)
  }

  func isNewcomer(_ index: Int) -> Bool { index >= end }

  func isVisible(_ index: Int) -> Bool { exists(index) && state(index) == .here }

  func state(_ index: Int) -> YouTubeVideo.State {
    index >= end ? .here : YouTubeVideo.state(index, seed: seed)
  }

  func video(_ index: Int) -> YouTubeVideo {
    let topic = topics.first { $0.range.contains(index) } ?? topics[0]
    return YouTubeVideo(
      index, topic: topic, publishedAt: publishedAt(index), channel: channel(index), seed: seed)
  }

  func video(id: String) -> YouTubeVideo? {
    guard let index = YouTubeID.index(id, seed: seed), isVisible(index) else { return nil }
    return video(index)
  }

  /// Newcomers belong to the first channel.
  func channel(_ index: Int) -> Int { index >= end ? 0 : index % options.channels }

  func publishedAt(_ index: Int) -> Instant {
    if index >= end { return newcomers[index - end] }
    let span = UInt64(Self.last.milliseconds - Self.first.milliseconds)
    let draw = SeededRandom.mixed(YouTubeVideo.bits(index, seed: seed), 3) % span
    return Self.first + .milliseconds(Int64(draw))
  }

  /// Newest first; the index settles ties.
  func newestFirst(_ indices: [Int]) -> [Int] {
    indices.map { (at: publishedAt($0), index: $0) }
      .sorted { ($0.at, $0.index) > ($1.at, $1.index) }.map(\.index)
  }

  func channelPublishedAt(_ number: Int) -> Instant {
    Self.first - .seconds(86_400 * Int64(number + 1)) + .milliseconds(137 * Int64(number + 1))
  }

  /// Adds videos to the first topic, each newer than all before it.
  mutating func insert(_ count: Int) {
    revision += 1
    for _ in 0..<max(0, count) {
      newcomers.append(Self.last + .seconds(Int64(newcomers.count + 1)))
    }
  }

  /// Deletes the newest videos of the first topic for good.
  mutating func delete(_ count: Int) {
    revision += 1
    let here = Array(topics[0].range) + Array(end..<(end + newcomers.count))
    removed.formUnion(newestFirst(here.filter { isVisible($0) }).prefix(max(0, count)))
  }
}
