internal import Base

/// All articles, their places in lists, and the drift so far.
///
/// Their times precede the day on which the sandbox started: a developer sees a month back.
struct NewsAPIWorld: Sendable {
  /// One subject of `everything`.
  struct Subject: Sendable {
    var title: String
    /// The indices of its articles.
    var range: Range<Int>
    /// How many of its places hold withdrawn articles, and how many repeated ones.
    var removed = 0
    var repeated = 0
  }

  /// One place in a list. A later copy of an article has a different end of its address.
  struct Slot: Sendable {
    var index: Int
    var copy = 0
    var at: Instant
  }

  let seed: UInt64
  let options: NewsAPIOptions
  let subjects: [Subject]
  /// Articles that only the headlines have.
  let headlines: Range<Int>
  private let startedAt: Instant
  private let midnight: Instant
  private(set) var newcomers = 0
  private(set) var dropped: Set<Int> = []

  /// More would be published in the future.
  static let newcomersMax = 3000
  static let usualSubject = "Swift programming"
  static let crowdSubject = "Linux"

  init(seed: UInt64, options: NewsAPIOptions, startedAt: Instant) {
    self.seed = seed
    self.options = options
    self.startedAt = startedAt
    midnight = Instant(seconds: startedAt.seconds - startedAt.seconds % 86_400)
    var subjects: [Subject] = []
    var next = 0
    func add(_ title: String, _ places: Int, removed: Int = 0, repeated: Int = 0) {
      let count = places - repeated
      subjects.append(
        Subject(
          title: title, range: next..<(next + count), removed: removed, repeated: repeated))
      next += count
    }
    add(Self.usualSubject, 99, removed: 4, repeated: 3)
    add("SQLite", 57)
    add("고양이 & 강아지", 23)
    add("C++ = #1 / 2", 9)
    add(Self.crowdSubject, options.crowd, removed: options.crowd / 60)
    self.subjects = subjects
    headlines = next..<(next + options.headlines)
  }

  func article(_ index: Int) -> NewsAPIArticle {
    let subject = subjects.first { $0.range.contains(index) }
    let isHeadline = headlines.contains(index)
    let number = Int(SeededRandom.mixed(seed ^ 0x737263, UInt64(index)) % UInt64(sourcesEnd))
    let title = isHeadline ? "Today" : subject?.title ?? Self.usualSubject
    return NewsAPIArticle(
      index, subject: title, source: NewsAPISource(number, listed: options.sources),
      publishedAt: publishedAt(index), isRemoved: isRemoved(index), seed: seed)
  }

  /// As many again have no id.
  private var sourcesEnd: Int { options.sources * 2 }

  /// Spread over a subject, but never the first or last.
  func isRemoved(_ index: Int) -> Bool {
    guard let subject = subjects.first(where: { $0.range.contains(index) }), subject.removed > 0
    else { return false }
    let step = subject.range.count / (subject.removed + 1)
    let place = index - subject.range.lowerBound
    return place > 0 && place.isMultiple(of: step) && place / step <= subject.removed
  }

  func publishedAt(_ index: Int) -> Instant {
    if index >= headlines.upperBound {
      return startedAt - .seconds(25 * 3600) + .seconds(Int64(index - headlines.upperBound + 1))
    }
    let draw = SeededRandom.mixed(seed ^ 0x7469_6D65, UInt64(index))
    if headlines.contains(index) {
      return midnight - .seconds(60 + Int64(draw % 72_000))
    }
    let place = index - (subjects.last?.range.lowerBound ?? 0)
    if let days = options.crowdDays, place >= 0 {
      return midnight - .seconds(26 * 3600 + Int64((draw >> 8) % (UInt64(max(days, 1)) * 86_400)))
    }
    // From 26 hours to 27 days before that midnight; one in eight is older than a developer sees (except in the first
    // subjects, whose numbers tests rely on).
    let isOld = subjects.last?.range.contains(index) == true && draw % 8 == 0
    let least: Int64 = isOld ? 31 * 86_400 : 26 * 3600
    let span: UInt64 = isOld ? 300 * 86_400 : 27 * 86_400 - 26 * 3600
    return midnight - .seconds(least + Int64((draw >> 8) % span))
  }

  /// All places of `everything`, before words and dates select some.
  var slots: [Slot] {
    var slots: [Slot] = []
    for subject in subjects {
      var copies = 0
      for index in subject.range where !dropped.contains(index) {
        let at = publishedAt(index)
        slots.append(Slot(index: index, at: at))
        guard copies < subject.repeated, !isRemoved(index), (index + 3).isMultiple(of: 5) else {
          continue
        }
        // The same article an hour earlier, as in another site's feed.
        copies += 1
        slots.append(Slot(index: index, copy: copies, at: at - .seconds(3600)))
      }
    }
    let newest = headlines.upperBound..<(headlines.upperBound + newcomers)
    slots += newest.filter { !dropped.contains($0) }.map { Slot(index: $0, at: publishedAt($0)) }
    return slots
  }

  /// The headlines, newest first, followed by three articles that `everything` has too.
  var headlineSlots: [Slot] {
    let own = headlines.map { Slot(index: $0, at: publishedAt($0)) }
      .sorted { ($0.at, $0.index) > ($1.at, $1.index) }
    let shared = subjects[0].range.filter { !isRemoved($0) && !dropped.contains($0) }.prefix(3)
    return own + shared.map { Slot(index: $0, at: publishedAt($0)) }
  }

  mutating func insert(_ count: Int) {
    newcomers = min(Self.newcomersMax, newcomers + max(0, count))
  }

  /// Deletes the newest articles of the first subject for good.
  mutating func delete(_ count: Int) {
    let here =
      Array(subjects[0].range)
      + Array(headlines.upperBound..<(headlines.upperBound + newcomers))
    let newest = here.filter { !dropped.contains($0) && !isRemoved($0) }
      .sorted { (publishedAt($0), $0) > (publishedAt($1), $1) }
    dropped.formUnion(newest.prefix(max(0, count)))
  }
}
