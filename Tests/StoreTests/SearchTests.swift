import Base
import Store
internal import Testing

@Suite("A search in the records that are here")
struct SearchTests {
  let fixture = Fixture()

  private static func job(searching columns: [String]) -> Job {
    .things([Column("id"), Column("title"), Column("text"), Column("link", nil, .url)]) {
      $0.searchable = columns
      $0.roles = ["title": "title", "link": "link"]
      $0.membership = Membership(table: "found", columns: [], keyNames: ["id"])
      $0.marksVanished = true
    }
  }

  private static let texts = [
    ("a", "서울에서 부산까지", "KTX로 간다"), ("b", "동서울 터미널", "Bus and TRAIN"),
    ("c", "Swift language", "100 % of C# & C++, \\\"quoted\\\" _x_"), ("d", "ÄPFEL und Öl", "a%b"),
    ("e", "고양이가 잔다", "🐈‍⬛ cat"),
  ]

  private static func page(_ texts: [(String, String, String)] = texts) -> String {
    let records = texts.map { id, title, text in
      #"{"id": "\#(id)", "title": "\#(title)", "text": "\#(text)", "link": "https://x.example/\#(id)"}"#
    }
    return "[\(records.joined(separator: ", "))]"
  }

  private func store() async throws -> RecordStore {
    try await fixture.walked(Self.job(searching: ["title", "text"]), Self.page())
  }

  private func found(_ store: RecordStore, _ words: String...) async throws -> String {
    try await store.search(words, limit: 50).hits.map(\.key).sorted().joined()
  }

  @Test(
    "finds words anywhere in a text, in any script, whatever the case",
    arguments: [
      ("서울", "ab"), ("서울에", "a"), ("고양이", "e"), ("이가", "e"), ("swift", "c"), ("WIF", "c"),
      ("äpfel", "d"), ("öl", "d"), ("ÖL", "d"), ("train", "b"), ("KTX", "a"), ("없다", ""),
      ("🐈", "e"), ("t l", "c"), ("t  l", ""),
    ])
  func finds(word: String, keys: String) async throws {
    let store = try await store()
    #expect(try await found(store, word) == keys)
  }

  @Test("finds words in odd forms of their case, and behind a NUL")
  func oddCase() async throws {
    let texts = [
      "Straße", "STRASSE", "ſtraſſe", "ΣΊΣΥΦΟΣ", "σίσυφος", "ISPARTA", "ısparta", "İsparta",
      "KELVIN", "\u{212A}elvin", #"before\u0000behind"#, "Ⱥlpha", "\u{1E922}dlam",
    ]
    let page = Self.page(
      texts.enumerated().map { (String(UnicodeScalar(UInt8(97 + $0.offset))), $0.element, "") })
    let store = try await fixture.walked(Self.job(searching: ["title", "text"]), page)
    for (word, keys) in [
      ("Straße", "a"), ("strass", "bc"), ("σίσυφος", "de"), ("ΣΊΣΥΦΟΣ", "de"), ("isp", "f"),
      ("ısp", "g"), ("İsp", "h"), ("kel", "ij"), ("before", "k"), ("behind", "k"), ("ⱥL", "l"),
      ("\u{1E900}D", "m"),
    ] {
      #expect(try await found(store, word) == keys, "\(word)")
    }
  }

  @Test("finds records that hold all words, each in any of the columns")
  func allWords() async throws {
    let store = try await store()
    #expect(try await found(store, "swift", "quoted") == "c")
    #expect(try await found(store, "서울", "train") == "b")
    #expect(try await found(store, "서울", "간다") == "a")
    #expect(try await found(store, "swift", "train") == "")
  }

  @Test(
    "takes every character for what it is",
    arguments: [
      ("\"", "c"), ("\"quoted\"", "c"), ("a%b", "d"), ("%", "cd"), ("_", "c"), ("_x_", "c"),
      ("\\", ""), ("C#", "c"), ("C++,", "c"), ("'", ""), ("'; DROP TABLE box_things; --", ""),
      ("*", ""), ("swi*", ""), ("^swift", ""), ("title:swift", ""), ("AND", "b"), ("NEAR(a b)", ""),
      ("(", ""), ("OR", ""), ("{title}", ""), ("-swift", ""), ("\u{1}\u{2}\u{3}", ""), ("???", ""),
      ("\"\"\"", ""), ("swift\" OR \"cat", ""),
    ])
  func hostile(word: String, keys: String) async throws {
    let store = try await store()
    #expect(try await found(store, word) == keys)
    // Beside another word it is no operator either.
    #expect(try await found(store, word, "swift") == (keys.contains("c") ? "c" : ""))
    let often = try await store.search(Array(repeating: word, count: 16), limit: 5)
    #expect(often.hits.map(\.key).sorted().joined() == keys)
  }

  @Test("follows every change at once, and a reset")
  func follows() async throws {
    let store = try await store()
    let changed = Self.page().replacing("고양이가", with: "강아지가")
    let counts = try await store.walk(things: changed).1[0].summary.counts
    #expect(counts.all == [0, 1, 4, 0, 0, 0])
    #expect(try await found(store, "고양이") == "")
    #expect(try await found(store, "강아지") == "e")

    try await store.walk(things: Self.page([Self.texts[0]]))
    let hits = try await store.search(["서울"], limit: 9).hits
    #expect(hits.map(\.key) == ["a", "b"])
    #expect(hits[0].vanishedAt == nil && hits[1].vanishedAt != nil)
    _ = try await store.reset(.records, of: "box")
    #expect(try await store.search(["서울"], limit: 9).tables.isEmpty)
  }

  @Test("costs a run nothing: it writes the same file whether its records are searched or not")
  func nothingWritten() async throws {
    func written(_ columns: [String]) async throws -> [String] {
      let fixture = Fixture()
      let store = try await fixture.open(Self.job(searching: columns))
      for page in [Self.page(), Self.page(Array(Self.texts[1...]))] {
        let run = try await store.newRun(of: "box")
        try await store.walk(things: page)
        try await store.endRun(run, outcome: "complete", exitCode: 0)
      }
      // These two are about the job file.
      return try fixture.everything(besides: ["trawl_jobs", "trawl_tables"])
    }
    let searched = try await written(["title", "text"])
    #expect(searched == (try await written([])))
    #expect(!searched.contains { $0.hasPrefix("trigger|") || $0.contains("VIRTUAL TABLE") })
  }

  @Test("tells what it found as the view items does, and whether there is more")
  func results() async throws {
    let store = try await store()
    let result = try await store.search(["swift"], in: "box", limit: 1)
    let hit = try #require(result.hits.first)
    #expect(hit.job == "box" && hit.table == "box_things" && hit.title == "Swift language")
    #expect(hit.link == "https://x.example/c" && hit.texts[0] == "Swift language")
    #expect(!result.hasMore && result.tables == ["box_things": ["title", "text"]])
    #expect(try await store.search(["서울"], limit: 1).hasMore)
    #expect(try await store.search(["swift"], in: "other", limit: 1).tables.isEmpty)
    #expect(try await found(fixture.openForReading(), "swift") == "c")
  }

  @Test("comes and goes with the job file, over tables that are there already")
  func migration() async throws {
    let plain = try await fixture.walked(Self.job(searching: []), Self.page())
    #expect(try await found(plain, "swift") == "")
    await plain.close()

    let titled = try await fixture.open(Self.job(searching: ["title"]))
    #expect(try await found(titled, "swift") == "c")
    #expect(try await found(titled, "quoted") == "")
    await titled.close()

    var wider = Self.job(searching: ["title", "text"])
    wider.streams[0].columns.append(Column("more"))
    let store = try await fixture.openBare()
    let told = try await store.adopt(wider)
    #expect(told.contains("box_things is searched by title, text now"), "\(told)")
    #expect(try await found(store, "quoted") == "c")

    wider.streams[0].columns.append(Column("less"))
    let same = try await store.adopt(wider)
    #expect(!same.contains { $0.contains("searched") }, "\(same)")
    #expect(try await found(store, "quoted") == "c")

    try await store.adopt(Self.job(searching: []))
    #expect(try await found(store, "quoted") == "")
    #expect(try await store.search(["swift"], limit: 9).tables.isEmpty)
  }

  @Test("looks into what is left where a person has removed a column, a table, or moved the rows")
  func changedByHand() async throws {
    try await store().close()
    // As after `.dump` into a new file.
    try fixture.alter("UPDATE box_things SET rowid = 100 - rowid")
    func tables(finding word: String) async throws -> [String: [String]] {
      let reader = try await fixture.openForReading()
      let result = try await reader.search([word], limit: 9)
      await reader.close()
      #expect(result.hits.map(\.key) == (result.tables.isEmpty ? [] : ["c"]))
      return result.tables
    }
    #expect(try await tables(finding: "quoted") == ["box_things": ["title", "text"]])
    try fixture.alter("ALTER TABLE box_things DROP COLUMN text")
    #expect(try await tables(finding: "swift") == ["box_things": ["title"]])
    try fixture.alter("PRAGMA foreign_keys = OFF; DROP TABLE box_things")
    #expect(try await tables(finding: "swift") == [:])
  }

  @Test("comes with the trust of its own moment")
  func trust() async throws {
    let store = try await store()
    let before = try await store.searchWithTrust(["swift"], limit: 9)
    try await store.walk(things: Self.page(), verdict: .incomplete, rule: .emptyPage)
    let after = try await store.searchWithTrust(["swift"], limit: 9)
    #expect(
      [before, after].map { $0.trust.lists.map(\.verdict) } == [["complete"], ["incomplete"]])
  }

  @Test("takes damaged texts as they come")
  func damage() async throws {
    let store = try await store()
    for bytes in ["F09F90", "80BF", "ED", "EDA080", "F7BFBFBF41", "C041", "FFFFFF"] {
      try fixture.alter("UPDATE box_things SET text = CAST(x'\(bytes)' AS TEXT) WHERE id = 'c'")
      #expect(try await found(store, "swift") == "c", "\(bytes)")
      #expect(try await found(store, "🐈") == "e", "\(bytes)")
    }
  }
}
