internal import Model
internal import SQLite
@testable import Store
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

  /// - Parameter isBroughtUp: false: as within a run, or after a kill.
  private func store(isBroughtUp: Bool = true) async throws -> RecordStore {
    let store = try await fixture.open(Self.job(searching: ["title", "text"]))
    try await store.walk([Self.page()], stream: "all", of: "box", values: [])
    if isBroughtUp { try await store.bringUp("box") }
    return store
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
    let waiting = try await SearchTests().store(isBroughtUp: false)
    #expect(try await found(waiting, word) == keys, "what the index does not know yet is looked at")
  }

  @Test("finds the same whether the index knows a record or not, also where case has odd forms")
  func oddCase() async throws {
    let texts = [
      "Straße", "STRASSE", "ſtraſſe", "ΣΊΣΥΦΟΣ", "σίσυφος", "ISPARTA", "ısparta", "İsparta",
      "KELVIN",
      "\u{212A}elvin", #"before\u0000behind"#, "ᏣᎳᎩ", "ꮳꮃꭹ",
    ]
    func all(isBroughtUp: Bool) async throws -> [String] {
      let (tests, job) = (SearchTests(), Self.job(searching: ["title", "text"]))
      let store = try await tests.fixture.open(job)
      let page = Self.page(
        texts.enumerated().map { (String(UnicodeScalar(UInt8(97 + $0.offset))), $0.element, "") })
      try await store.walk([page], stream: "all", of: "box", values: [])
      if isBroughtUp { try await store.bringUp("box") }
      var found: [String] = []
      for word in texts + ["behind", "before", "isp", "kel", "strass"] {
        found.append("\(word): \(try await tests.found(store, word))")
      }
      return found
    }
    let known = try await all(isBroughtUp: true)
    #expect(known == (try await all(isBroughtUp: false)))
    #expect(known.contains("Straße: a") && known.contains("σίσυφος: de"), "\(known)")
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
      ("\\", ""),
      ("C#", "c"), ("C++,", "c"), ("'", ""), ("'; DROP TABLE box_things; --", ""), ("*", ""),
      ("swi*", ""), ("^swift", ""), ("title:swift", ""), ("AND", "b"), ("NEAR(a b)", ""), ("(", ""),
      ("OR", ""), ("{title}", ""), ("-swift", ""), ("\u{1}\u{2}\u{3}", ""),
      ("???", ""),
      ("\"\"\"", ""), ("swift\" OR \"cat", ""),
    ])
  func hostile(word: String, keys: String) async throws {
    let store = try await store()
    #expect(try await found(store, word) == keys)
    // Beside another word it is no operator either.
    _ = try await store.search([word, "swift"], limit: 5)
    _ = try await store.search(Array(repeating: word, count: 16), limit: 5)
  }

  @Test("follows every change, and a record that is as it was writes nothing")
  func follows() async throws {
    let store = try await store()
    func shadow() throws -> [String] {
      try fixture.rows("SELECT id, hex(block) FROM trawl_search_box_things_data")
        + fixture.rows("SELECT id, hex(sz) FROM trawl_search_box_things_docsize")
        + fixture.rows("SELECT * FROM trawl_search_box_things_due")
    }
    let before = try shadow()
    let again = try await store.walk([Self.page()], stream: "all", of: "box", values: [])
    #expect(again.1[0].summary.counts.all == [0, 0, 5, 0, 0, 0])
    #expect(try shadow() == before)

    // The link is not searched: a change of it is one of the record alone.
    var changed = Self.page()
    changed = changed.replacing("x.example/a", with: "y.example/a")
    let moved = try await store.walk([changed], stream: "all", of: "box", values: [])
    #expect(moved.1[0].summary.counts.all == [0, 1, 4, 0, 0, 0])
    #expect(try shadow() == before)

    changed = changed.replacing("고양이가", with: "강아지가")
    let counts = try await store.walk([changed], stream: "all", of: "box", values: [])
    #expect(counts.1[0].summary.counts.all == [0, 1, 4, 0, 0, 0])
    #expect(try await found(store, "고양이") == "")
    #expect(try await found(store, "강아지") == "e")
    #expect(
      try fixture.rows("SELECT is_known, old_1, old_2 FROM trawl_search_box_things_due")
        == ["1|고양이가 잔다|🐈‍⬛ cat"])
    try await store.bringUp("box")
    #expect(try await found(store, "고양이") == "")
    #expect(try await found(store, "강아지") == "e")
    try fixture.check("box_things")

    try await store.walk([Self.page([Self.texts[0]])], stream: "all", of: "box", values: [])
    let hits = try await store.search(["서울"], limit: 9).hits
    #expect(hits.map(\.key) == ["a", "b"])
    #expect(hits[0].vanishedAt == nil && hits[1].vanishedAt != nil)
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
    let reader = try await RecordStore.openForReading(fixture.folder, fixture.settings)
    #expect(try await found(reader, "swift") == "c")
  }

  @Test("comes and goes with the job file, over tables that are there already")
  func migration() async throws {
    let plain = try await fixture.open(Self.job(searching: []))
    try await plain.walk([Self.page()], stream: "all", of: "box", values: [])
    #expect(try await found(plain, "swift") == "")
    await plain.close()

    let titled = try await fixture.open(Self.job(searching: ["title"]))
    #expect(try await found(titled, "swift") == "c")
    #expect(try await found(titled, "quoted") == "")
    await titled.close()

    var wider = Self.job(searching: ["title", "text"])
    wider.streams[0].columns.append(Column("more"))
    let store = try await RecordStore.open(fixture.folder, fixture.settings)
    let told = try await store.adopt(wider, origin: Fixture.origin)
    #expect(told.contains("box_things is searched by title, text now"), "\(told)")
    #expect(try await found(store, "quoted") == "c")
    try fixture.check("box_things")

    _ = try await store.adopt(Self.job(searching: []), origin: Fixture.origin)
    #expect(
      try fixture.rows(
        "SELECT name FROM sqlite_schema WHERE name LIKE 'trawl\\_search%' ESCAPE '\\'")
        == [])
  }

  @Test("goes with the records when they are forgotten")
  func reset() async throws {
    let store = try await store()
    _ = try await store.forget(.records, of: "box")
    #expect(
      try fixture.rows(
        "SELECT name FROM sqlite_schema WHERE name LIKE 'trawl\\_search%' ESCAPE '\\'")
        == [])
    #expect(try await found(store, "swift") == "")
  }

  @Test("is right where rows have other places than the index knew, and the next run mends it")
  func copied() async throws {
    let store = try await store()
    await store.close()
    // As after `.dump` into a new file: no trigger saw it.
    try fixture.alter("UPDATE box_things SET rowid = 100 - rowid")
    let reader = try await RecordStore.openForReading(fixture.folder, fixture.settings)
    #expect(try await found(reader, "swift") == "c")
    await reader.close()
    let again = try await RecordStore.open(fixture.folder, fixture.settings)
    let told = try await again.adopt(
      Self.job(searching: ["title", "text"]), origin: Fixture.origin)
    #expect(told.count == 1 && told[0].contains("box_things"), "\(told)")
    #expect(try await found(again, "swift") == "c")
    try fixture.check("box_things")
  }
}

extension RecordStore {
  fileprivate func bringUp(_ job: String) throws { try bringUpSearch(of: design(of: job)) }
}

extension Fixture {
  /// SQLite's own comparison of the index with the rows; throws where they differ.
  fileprivate func check(_ table: String) throws {
    try alter(
      "INSERT INTO trawl_search_\(table)(trawl_search_\(table), rank) VALUES ('integrity-check', 1)"
    )
  }
}

extension String {
  /// Byte for byte, the first occurrence.
  fileprivate func replacing(_ old: String, with new: String) -> String {
    let wanted = Array(old.utf8)
    let bytes = Array(utf8)
    guard bytes.count >= wanted.count else { return self }
    for start in 0...(bytes.count - wanted.count)
    where bytes[start..<start + wanted.count].elementsEqual(wanted) {
      return String(
        decoding: bytes[..<start] + Array(new.utf8) + bytes[(start + wanted.count)...],
        as: UTF8.self)
    }
    return self
  }
}
