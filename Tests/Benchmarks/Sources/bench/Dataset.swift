import Glibc

/// Lists of records in files, served by nginx: newest first, the same bytes in each run of the bench. A record has 12
/// fields and 0.9 KB; newer ones have larger keys, with gaps.
struct Dataset {
  static let perPage = 100

  let folder: String
  let count: Int
  let perPage: Int

  /// Writes `1.json` and so on, and `empty.json` for pages beyond them.
  init(_ folder: String, count: Int, perPage: Int = Dataset.perPage) throws {
    self.folder = folder
    self.count = count
    self.perPage = perPage
    try File.makeFolder(folder)
    let head = Array(#"{"total":\#(count),"items":["#.utf8)
    let tail = Array("]}".utf8)
    try File.write(head + tail, to: "\(folder)/empty.json")
    var newest = count - 1
    var page = 1
    while newest >= 0 {
      var body = head
      body.reserveCapacity(head.count + perPage * 1200)
      for number in stride(from: newest, through: max(0, newest - perPage + 1), by: -1) {
        if number < newest { body.append(UInt8(ascii: ",")) }
        Self.append(number, to: &body)
      }
      try File.write(body + tail, to: "\(folder)/\(page).json")
      newest -= perPage
      page += 1
    }
  }

  // MARK: a record

  private static func append(_ number: Int, to body: inout [UInt8]) {
    var random = Random(number)
    let title = words(4 + random.below(6), &random)
    let author = random.below(40_000)
    // One record every five minutes, from 2015 on.
    let published = 1_420_070_400 + number * 300 + random.below(299)
    body += #"{"id":\#(500_000_000 + number * 7 + number % 5),"title":"\#(title)","summary":"#.utf8
    body += (random.happens(10) ? "null" : #""\#(summary(&random))""#).utf8
    body +=
      #","link":"https://news.example/\#(number)/\#(random.bits())/\#(random.bits()).html""#.utf8
    body +=
      #","picture":"https://pictures.example/\#(number % 20_000).jpg","author":{"id":\#(author)"#
      .utf8
    body += #","name":"person-\#(author)"},"language":\#(random.pick(languages))"#.utf8
    body +=
      #","score":\#(random.below(100)).\#(random.below(9) + 1),"replies":\#(random.below(300))"#
      .utf8
    body +=
      #","hidden":\#(random.happens(7)),"published_at":"\#(time(published))","edited_at":"#.utf8
    body +=
      (random.happens(15) ? "null" : #""\#(time(published + random.below(10_000_000)))""#).utf8
    body.append(UInt8(ascii: "}"))
  }

  private static func summary(_ random: inout Random) -> String {
    let before = words(20 + random.below(60), &random)
    let middle = random.pick(marks)
    return before + " " + middle + " " + words(22 + random.below(20), &random)
  }

  private static func words(_ count: Int, _ random: inout Random) -> String {
    var text = random.pick(vocabulary)
    for _ in 1..<count {
      text += " "
      text += random.pick(vocabulary)
    }
    return text
  }

  private static func time(_ seconds: Int) -> String {
    var instant = time_t(seconds)
    var parts = tm()
    gmtime_r(&instant, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }

  private static let languages = ["null", #""en""#, #""fr""#, #""de""#, #""ja""#, #""sv""#]

  private static let vocabulary = [
    "harbour", "lantern", "the", "of", "and", "a", "window", "signal", "north", "evening", "carpet",
    "in", "to", "with",
    "granite", "orchard", "by", "quiet", "engine", "ladder", "from", "copper", "meadow", "under",
    "letter", "is", "was",
    "thunder", "village", "at", "pepper", "sailor", "over", "bridge", "candle", "mirror", "for",
    "garden", "on", "rope",
  ]

  /// Text beyond ASCII, and what JSON escapes.
  private static let marks = [
    #"first line\nsecond line"#, #"\"quoted\" and\tindented"#, "ein schöner Größenvergleich",
    "crème brûlée", "朝の図書館",
    "вечерний свет", "🚢 at sea", "مساء الخير", "naïve façade – second edition", "żółta łódź",
  ]
}
