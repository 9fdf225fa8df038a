import Base
import Glibc
@testable import Store
import TestSupport
internal import Testing

@Suite("A record that is forgotten")
struct ForgetTests {
  let fixture = Fixture()

  private static let withAvatars = Job.people {
    $0.streams[1].media = [MediaRole(name: "avatar", column: "avatar_url")]
  }

  static func key(_ id: Int64) -> [SQLValue] { [.integer(id)] }

  @discardableResult
  static func forget(
    _ ids: [Int64], _ store: RecordStore, _ wish: ForgettingWish = .person
  ) async throws -> Erasure {
    try await store.forget(ids.map(key), of: store.keyedTable("people_users"), nil, wish)
  }

  private func expectProven(_ store: RecordStore) async throws {
    #expect(try await store.prove().findings == [])
    let path = try fixture.folder.databasePath
    #expect(try await IndependentChecker.findings(in: [path])[path]?.map(\.what) == [])
  }

  @Test("leaves its table, its lists, its history and its images, and every proof holds")
  func everywhere() async throws {
    let store = try await fixture.walked(1...5)
    try await store.walk([people(1...5) { "changed-\($0)" }])
    _ = try await store.addFavorites(table: "people_users", keys: ["3"])
    let told = try await Self.forget([3], store)
    #expect(told.records == 1)
    #expect(
      told.forgotten.lines.map { "\($0.count) \($0.what)" } == [
        "1 record of people_users", "1 row of people_follows", "1 earlier value", "1 favorite",
        "1 image address",
      ])
    for (table, column) in [
      ("people_users", "id"), ("people_follows", "follower_id"), ("trawl_changes", "record_key"),
      ("trawl_favorites", "record_key"), ("trawl_media_urls", "record_key"),
    ] {
      #expect(try fixture.one("SELECT count(*) FROM \(table) WHERE \(column) = 3") == "0")
    }
    #expect(try fixture.one("SELECT count(*) FROM people_users") == "4")
    try await expectProven(store)
    #expect(try await store.prove().forgotten.map(\.records) == [1])
  }

  @Test("is not brought back by a page, nor by a reject; and is, once a person lets it return")
  func staysAway() async throws {
    let store = try await fixture.walked(1...5)
    try await Self.forget([3], store)
    let (_, receipts) = try await store.walk([people(1...6)])
    #expect(receipts[0].summary.counts.all == [1, 0, 4, 0, 1, 0])
    // What does not fit would be kept raw.
    let broken = #"[{"id": 3, "login": "u3", "avatar_url": {"a": 1}}]"#
    try await store.walk([broken])
    #expect(try fixture.one("SELECT count(*) FROM trawl_rejects") == "0")
    #expect(try fixture.one("SELECT count(*) FROM people_users WHERE id = 3") == "0")
    try await store.walk([people(1...6)])
    try await expectProven(store)
    let table = try await store.keyedTable("people_users")
    #expect(try await store.letReturn([Self.key(3), Self.key(4)], of: table) == ["3"])
    try await store.walk([people(1...6)])
    #expect(try fixture.one("SELECT login FROM people_users WHERE id = 3") == "u3")
    try await expectProven(store)
  }

  @Test("is kept away by a run that was at work when another process forgot it")
  func besideARun() async throws {
    let store = try await fixture.walked(1...5)
    let other = try await fixture.openBare()
    let unit = Unit(stream: "followers", values: .user(1))
    let opening = try await store.openAnswers(unit, of: "people")
    let first = try await store.commit(try Page(people(1...2)), step: Step(page: 1), of: opening.id)
    try await Self.forget([2, 4], other)
    await other.close()
    let second = try await store.commit(
      try Page(people(3...5)), step: Step(page: 2), of: opening.id)
    #expect(second.summary.counts.dropped == 1)
    _ = try await store.certifyAnswers(opening.id, Certificate([first, second]))
    #expect(try fixture.rows("SELECT id FROM people_users ORDER BY id") == ["1", "3", "5"])
    #expect(try await store.prove().findings == [])
  }

  @Test("leaves an image to the record that shows it, too, and takes its own")
  func images() async throws {
    let store = try await fixture.open(Self.withAvatars)
    func person(_ id: Int, _ image: String) -> String {
      #"{"id": \#(id), "login": "u\#(id)", "avatar_url": "https://img.example.org/\#(image)"}"#
    }
    try await store.walk(["[\(person(1, "own")), \(person(2, "shared")), \(person(3, "shared"))]"])
    try await store.recordImages(
      ["own", "shared"].map { .stored("https://img.example.org/\($0)", $0) }, of: "people")
    try await Self.forget([1, 2], store)
    #expect(
      try fixture.rows("SELECT identity, record_key FROM trawl_media_urls") == [
        "https://img.example.org/shared|3"
      ])
    #expect(try fixture.rows("SELECT digest FROM trawl_media") == ["shared"])
    #expect(try await store.unwipedFiles()?.map(\.digest) == ["own"])
    try await expectProven(store)
  }

  @Test("takes its image from beside one whose address differs in the spelling of a letter")
  func spellings() async throws {
    let job = Job.things([Column("id"), Column("image", nil, .url)]) {
      $0.media = [MediaRole(name: "image", column: "image")]
    }
    let store = try await fixture.open(job)
    let urls = ["th\u{e9}", "the\u{301}"].map { "https://img.example.org/\($0)" }
    try await store.walk(
      things:
        #"[{"id": "rec-1", "image": "\#(urls[0])"}, {"id": "rec-2", "image": "\#(urls[1])"}]"#)
    try await store.recordImages([.stored(urls[0], "own"), .stored(urls[1], "other")], of: "box")
    let table = try await store.keyedTable("box_things")
    _ = try await store.forget([[.text("rec-1")]], of: table, job, .person)
    #expect(try fixture.rows("SELECT record_key, digest FROM trawl_media_urls") == ["rec-2|other"])
    #expect(try fixture.rows("SELECT digest FROM trawl_media") == ["other"])
  }

  @Test("takes along the picture that another record queued and shows no more")
  func leftImage() async throws {
    let store = try await fixture.open(Self.withAvatars)
    func person(_ id: Int, _ image: String) -> String {
      #"{"id": \#(id), "login": "u\#(id)", "avatar_url": "https://img.example.org/\#(image)"}"#
    }
    for image in ["shared", "other"] {
      try await store.walk(["[\(person(2, image)), \(person(3, "shared"))]"])
    }
    try await store.recordImages(
      ["shared", "other"].map { .stored("https://img.example.org/\($0)", $0) }, of: "people")
    try await Self.forget([3], store)
    #expect(try await store.unwipedFiles()?.map(\.digest) == ["shared"])
    try await expectProven(store)
  }

  @Test("takes its picture along where the view that shows it was dropped; the others stay needed")
  func droppedView() async throws {
    let store = try await fixture.walked(1...2)
    let identities = try fixture.rows("SELECT identity FROM trawl_media_urls ORDER BY record_key")
    try await store.recordImages(
      zip(identities, ["one", "two"]).map { .stored($0, $1) }, of: "people")
    try fixture.alter("DROP VIEW people_users_media")
    try await Self.forget([1], store)
    #expect(try await store.unwipedFiles()?.map(\.digest) == ["one"])
    fixture.time.advance(by: .seconds(365 * 86_400))
    #expect(try await store.collectImages(before: fixture.time.now).images == [])
    #expect(try fixture.rows("SELECT digest FROM trawl_media") == ["two"])
  }

  @Test("is there or gone after a kill at any point; what is left to do is done by the next")
  func kills() async throws {
    try await fixture.walked(1...5).close()
    for place in [FaultPoint.Place.beforeForgetting, .afterForgetting, .afterWiping] {
      let copy = "\(fixture.scratch.path)/\(place.rawValue)"
      var settings = fixture.settings
      let folder = try fixture.folder
      settings.faults = FaultPoint { reached in
        guard reached == place else { return }
        mkdir(copy, 0o750)
        for name in ["trawl.db", "trawl.db-wal"] {
          // There may be no log.
          guard let bytes = Golden.bytes("\(folder.path)/\(name)") else { continue }
          Golden.write(bytes, to: "\(copy)/\(name)")
        }
      }
      let id: Int64 = place == .beforeForgetting ? 1 : place == .afterForgetting ? 2 : 3
      let forgetting = try await RecordStore.open(folder, settings)
      try await Self.forget([id], forgetting)
      _ = try await forgetting.wipe()
      await forgetting.close()
      let killed = try await RecordStore.open(DataFolder(existing: copy), fixture.settings)
      #expect(try await killed.prove().findings == [])
      let isThere = try await killed.hasUser(id)
      #expect(isThere == (place == .beforeForgetting))
      #expect((try await killed.unwipedFiles() != nil) == (place != .beforeForgetting))
      if !isThere {
        #expect(try await killed.wipe() == nil)
        #expect(try await killed.unwipedFiles() == nil)
      }
      await killed.close()
    }
  }

  @Test("leaves no byte of it in the file and its log, of hundreds among thousands")
  func bytes() async throws {
    let store = try await fixture.open()
    func login(_ id: Int) -> String { "whoever-\(id * 7_919 % 100_003)-this-is" }
    for first in stride(from: 1, to: 2_000, by: 250) {
      try await store.walk([people(1..<(first + 250), login: login)])
    }
    let gone = (1...2_000).filter { $0 % 7 == 0 }
    try await Self.forget(gone.map { Int64($0) }, store)
    #expect(try await store.wipe() == nil)
    let folder = try fixture.folder
    let log = try Fixture.bytes(of: folder.databasePath + "-wal")
    let bytes = try Fixture.bytes(of: folder.databasePath) + log
    let text = String(decoding: bytes, as: UTF8.self)
    let words = Set(
      text.split(separator: "whoever-").map { part in
        "whoever-\(part.prefix { $0.isNumber })-this-is"
      })
    #expect(words.contains(login(1)))
    #expect(gone.filter { words.contains(login($0)) } == [])
    try await expectProven(store)
  }

  @Test("makes who follows the table read all of it again, since nothing tells its key")
  func followers() async throws {
    let store = try await fixture.walked(1...3)
    let first = try fixture.follow("people_users").following
    fixture.time.advance(by: .seconds(1))
    try await Self.forget([2], store)
    let (rows, second) = try fixture.follow("people_users", after: first.next)
    #expect(second.isAnother)
    #expect(rows.filter { $0[0] == .text("put") }.map { $0[3] } == [1, 3])
    #expect(try !fixture.follow("people_users", after: second.next).following.isAnother)
  }

  @Test(
    "takes no walk along whose addresses have its key as a part of a word, a host or a scheme",
    arguments: ["https", "example", "page", "things", "ist", "complete"])
  func commonWords(key: String) async throws {
    let job = Job.things([Column("id"), Column("v")])
    let store = try await fixture.open(job)
    try await store.walk(things: #"[{"id": "\#(key)"}, {"id": "k2"}]"#, #"[{"id": "k3"}]"#)
    let table = try await store.keyedTable("box_things")
    let run = try await store.beginRun(job: "box", command: "run", arguments: ["box"])
    try await store.endRun(run, outcome: "complete", exitCode: 0)
    let told = try await store.forget([[.text(key)]], of: table, job, .person)
    #expect(told.records == 1)
    #expect(try fixture.one("SELECT outcome FROM trawl_runs ORDER BY run DESC") == "complete")
    #expect(try await store.mentions(of: NamedTexts([key])) == [])
    #expect(try fixture.one("SELECT count(*) FROM trawl_pages") == "2")
  }

  @Test("is not looked for, one by one, among all that child streams have requested")
  func manyRequests() async throws {
    func work(beside rows: Int) async throws -> Int {
      let fixture = Fixture()
      try await fixture.walked(1...200).close()
      try fixture.alter(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= \(rows)) "
          + "INSERT INTO trawl_due (job, stream, value) "
          + "SELECT 'people', 'profile', 'x' || i FROM n")
      let reports = Reports()
      let store = try await reports.open(fixture)
      _ = reports.taken()
      try await Self.forget((1...200).map { Int64($0) }, store, .retention)
      await store.close()
      return reports.taken()
    }
    let (few, many) = (try await work(beside: 1), try await work(beside: 10_000))
    #expect(many <= few + 10, "\(few), \(many)")
  }

  @Test("is not known by a key of another type, which the change of the table says")
  func retyped() async throws {
    let store = try await fixture.walked(1...5)
    try await Self.forget([2], store)
    let edited = Job.people { job in
      for index in job.streams.indices { job.streams[index].columns[0].kind = .text }
    }
    let messages = try await store.adopt(edited)
    #expect(
      messages.contains { $0.hasPrefix("1 record of people_users was forgotten by the key") },
      "\(messages)")
  }

  @Test("takes the lists along that have its key as a parameter, and a look finds what is left")
  func named() async throws {
    let job = Job.things([Column("id"), Column("name")])
    let store = try await fixture.open(job)
    try await store.walk(
      [#"[{"id": "rec-0001", "name": "Zo Qux"}, {"id": "rec-0002", "name": "other"}]"#],
      stream: "all", of: "box", values: [ParameterValue("q", "rec-0001")])
    // More conditions than SQLite takes at once.
    let many = NamedTexts((1_000..<2_000).map { "key-\($0)" })
    #expect(try await store.mentions(of: many) == [])
    try fixture.alter(
      "CREATE TABLE mine AS SELECT 'https://example.org/Zo%20Qux/' AS who, 'rec-00012' AS other")
    let table = try await store.keyedTable("box_things")
    let keys: [[SQLValue]] = [[.text("rec-0001")]]
    let traces = try await store.traces(of: keys, in: table, isThorough: true)
    #expect(try await store.mentions(of: traces.names).map(\.table).contains("trawl_lists"))
    let told = try await store.forget(keys, of: table, nil, .person)
    #expect(told.forgotten.lines.contains { $0.what == "list that was requested for it" })
    #expect(
      try await store.mentions(of: traces.names).map { "\($0.table).\($0.column)" } == ["mine.who"])
    try await expectProven(store)
  }

  @Test("makes no news of the rows of a watch that only show a text of it, and leaves none there")
  func watched() async throws {
    let store = try await fixture.open()
    try await store.walk([people(1...4) { "Somebody\($0)" }])
    func row(_ id: Int, _ text: String = "follows Somebody4") -> WatchedRow {
      WatchedRow(key: "[\(id)]", content: #"{"id":\#(id),"text":"\#(text)"}"#)
    }
    func note(_ rows: [WatchedRow]) async throws -> WatchNews {
      try await store.note(watched: rows, of: "who", job: "people", isWhole: true)
    }
    let named = WatchedRow(key: #"["Somebody4"]"#, content: "{}")
    _ = try await note([row(1), row(3), row(4), named])
    // One has changed, one is new, and no program has taken them yet.
    let changed = [row(1), row(2), row(3, "followed Somebody4"), row(4), named]
    #expect(try await note(changed).due.count == 2)
    try await Self.forget([4], store)
    #expect(
      try fixture.rows(
        "SELECT subject FROM trawl_facts WHERE kind = 'watched' AND (fact LIKE '%Somebody4%' "
          + "OR subject LIKE '%Somebody4%' OR subject LIKE '%[4]')") == [])
    let news = try await note(Array(changed[..<3]))
    #expect(news.new == 0 && news.changed == 0)
    #expect(news.due.map(\.content) == [row(2), row(3, "followed Somebody4")].map(\.content))
    try await store.delivered(news.due, of: "who", job: "people")
    #expect(try await note(Array(changed[..<3])) == WatchNews())
  }

  @Test("leaves no content in a watch's row of its key, however short, nor makes that news")
  func watchedByKey() async throws {
    let store = try await fixture.open()
    try await store.walk([people(1...4)])
    var rows = [3, 4].map { id in
      WatchedRow(key: "[\(id)]", content: #"{"id":\#(id),"login":"u\#(id)"}"#)
    }
    for known in [[], rows] {
      _ = try await store.note(watched: known, of: "who", job: "people", isWhole: true)
    }
    try await Self.forget([3, 4], store)
    #expect(
      try fixture.rows("SELECT 1 FROM trawl_facts WHERE kind = 'watched' AND fact LIKE '%u4%'")
        == [])
    // They may be of another table, and one of them changes.
    rows[0].content = #"{"id":3,"login":"other"}"#
    let news = try await store.note(watched: rows, of: "who", job: "people", isWhole: true)
    #expect(news.new == 0 && news.changed == 1)
  }

  @Test("is told where the bookkeeping has it of another record, with which it goes")
  func ofAnother() async throws {
    let job = Job.things([Column("id"), Column("friend"), Column("n", nil, .integer)])
    let store = try await fixture.open(job)
    for friend in ["rec-0001", "nobody"] {
      try await store.walk(
        things: """
          [{"id": "rec-0001"}, {"id": "rec-0002", "friend": "\(friend)", "n": {"by": "rec-0001"}}]
          """)
    }
    let table = try await store.keyedTable("box_things")
    _ = try await store.forget([[.text("rec-0001")]], of: table, job, .person)
    let texts = NamedTexts(["rec-0001"])
    #expect(
      try await store.mentions(of: texts).map { "\($0.table).\($0.column) \($0.owner)" }
        == ["trawl_changes.old part", "trawl_rejects.raw part"])
    _ = try await store.forget([[.text("rec-0002")]], of: table, job, .person)
    #expect(try await store.mentions(of: texts) == [])
  }

  @Test("takes the former bytes of its picture along, and one that comes behind it")
  func formerImages() async throws {
    let store = try await fixture.open(Self.withAvatars)
    let url = "https://img.example.org/own"
    try await store.walk([#"[{"id": 1, "login": "u1", "avatar_url": "\#(url)"}]"#])
    func record(_ name: String) async throws {
      try await store.recordImages([.stored(url, name)], of: "people")
    }
    try await record("former")
    try await record("own")
    try await Self.forget([1], store)
    #expect(Set(try await store.unwipedFiles()?.map(\.digest) ?? []) == ["former", "own"])
    // The number of its first row would name it.
    #expect(try fixture.one("SELECT counts FROM trawl_runs")?.holds(#""first_row":2"#) == true)
    #expect(try await store.wipe() == nil)
    try await record("late")
    #expect(try fixture.one("SELECT count(*) FROM trawl_media") == "0")
    #expect(try await store.unwipedFiles()?.map(\.digest) == ["late"])
    try await expectProven(store)
  }
}

extension RecordStore {
  fileprivate func hasUser(_ id: Int64) throws -> Bool {
    try keyedTables().contains { table in
      try table.name == "people_users" && !keys(of: table, where: "id = \(id)").isEmpty
    }
  }
}
