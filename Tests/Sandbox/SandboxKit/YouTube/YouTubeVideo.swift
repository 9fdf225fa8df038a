internal import Base

/// One synthetic video: everything is a function of the seed, the index and its topic.
struct YouTubeVideo: Sendable {
  enum State: Sendable { case here, deleted, private_ }

  let index: Int
  let id: String
  let channel: Int
  let title: String
  let text: String
  let publishedAt: Instant
  let bits: UInt64

  init(_ index: Int, topic: YouTubeTopic, publishedAt: Instant, channel: Int, seed: UInt64) {
    self.index = index
    self.publishedAt = publishedAt
    self.channel = channel
    bits = Self.bits(index, seed: seed)
    id = YouTubeID.text(index, seed: seed)
    var random = SeededRandom(bits)
    title = "\(topic.title): \(random.pick(Self.aspects)) (\(index))"
    var lines = ["\(random.pick(Self.openings)) \(topic.title)."]
    // Every fifth names a second topic, so that two searches share videos.
    if index % 5 == 2 { lines.append("Also about \(random.pick(YouTubeTopic.guests)).") }
    let more = random.below(4)
    for line in 0..<more { lines.append("\(line + 1). \(random.pick(Self.sentences))") }
    text = lines.joined(separator: "\n\n")
  }

  static func bits(_ index: Int, seed: UInt64) -> UInt64 {
    SeededRandom.mixed(seed ^ 0x766964, UInt64(index))
  }

  /// Deleted and private videos keep their place in the channel's list, but no answer shows them.
  static func state(_ index: Int, seed: UInt64) -> State {
    switch (bits(index, seed: seed) >> 8) % 46 {
    case 0: .deleted
    case 1: .private_
    default: .here
    }
  }

  /// RFC 3339 with up to six fraction digits, like answers of different years.
  var publishedText: String { Self.time(publishedAt, digits: [0, 0, 3, 0, 6, 3, 1, 4][index % 8]) }

  static func time(_ instant: Instant, digits: Int) -> String {
    let whole = instant.description
    guard digits > 0 else { return whole }
    let thousandths = String(1000 + instant.milliseconds - instant.seconds * 1000).dropFirst()
    let fraction = (thousandths + "000").prefix(digits)
    return whole.dropLast() + "." + fraction + "Z"
  }

  /// Grows by the hour, so that a chart is worth drawing.
  func views(hours: Int64) -> UInt64 {
    (bits >> 20) % 3_000_000 + UInt64(max(0, hours)) * (bits % 97)
  }

  /// Nil if the owner hides them.
  func likes(hours: Int64) -> UInt64? { bits % 9 == 4 ? nil : views(hours: hours) / 31 }
  func comments(hours: Int64) -> UInt64? { bits % 7 == 3 ? nil : views(hours: hours) / 211 }

  /// ISO 8601; `P0D` for a live stream.
  var duration: String {
    if bits % 41 == 5 { return "P0D" }
    let seconds = Int((bits >> 30) % 7_400) + 15
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
    return "PT" + (hours > 0 ? "\(hours)H" : "") + (minutes > 0 ? "\(minutes)M" : "")
      + (rest > 0 ? "\(rest)S" : "")
  }

  /// Which of the two large thumbnails exist; the three small ones always do.
  static func hasStandard(_ bits: UInt64) -> Bool { bits % 3 != 0 }
  static func hasLargest(_ bits: UInt64) -> Bool { bits % 3 == 1 }

  /// Characters that HTML escapes, letters of several scripts, both forms of "é".
  private static let aspects = [
    "Tips & Tricks", "What's new", "\"Hello\" to <World>", "from zero to 100 %", "a < b && b > c",
    "입문 강좌", "caf\u{E9} edition", "cafe\u{301} edition", "part 1/2", "a deep dive",
    "live Q&A", "👩🏽‍💻 workshop", "in 10 minutes", "Überblick", "100 #shorts",
  ]
  private static let openings = [
    "Everything worth knowing about", "Notes & slides on", "A talk about", "오늘의 주제:",
    "Don't miss this part of our series on",
  ]
  private static let sentences = [
    "Slides: https://example.com/slides?a=1&b=2", "Recorded in one take, errors included.",
    "Chapters: 00:00 start 01:30 first steps 12:45 \"why\" 30:00 questions & answers",
    "구독과 좋아요 부탁드립니다.", "Corrections are welcome: <https://example.com/errata>",
    "The second half shows what happens when nothing goes as planned, and how to notice it.",
  ]
}

/// The topic of videos; a search for the words of its title finds them.
struct YouTubeTopic: Sendable {
  var title: String
  /// The indices of its videos.
  var range: Range<Int>

  /// Search words and their number of videos; `swift language` and `music` depend on the size.
  static let small: [(title: String, count: Int)] = [
    ("SQLite", 37), ("C++ & C#", 12), ("고양이", 23), ("1/2 + 1/2 = 1", 9),
  ]
  static let first = "Swift Language"
  static let crowd = "Music"
  /// Second topics of videos.
  static let guests = ["Linux", "SQLite", "테스트", "parsers & printers"]
}
