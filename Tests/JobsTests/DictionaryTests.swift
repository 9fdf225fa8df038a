import Base
@testable import Jobs
@testable import Store
import TestSupport
import Testing

@Suite("What the shipped jobs store")
struct DictionaryTests {
  static let library = JobLibrary(userFolder: nil, systemFolder: nil)

  /// The columns of each table in a database, without those that Trawl adds.
  private func columns(of job: Job) async throws -> [String: [String]] {
    let scratch = ScratchFolder()
    let folder = try DataFolder(creating: scratch.path)
    let store = try await RecordStore.open(
      folder, RecordStore.Settings(time: VirtualTime().timekeeper))
    _ = try await store.adopt(job, origin: job.base.origin)
    await store.close()
    let connection = try Connection(folder.databasePath, .readOnly)
    defer { connection.close() }
    let tables = try connection.rows(
      "SELECT table_name FROM trawl_tables"
    ) { $0.text(0) ?? "" }
    return try Dictionary(
      uniqueKeysWithValues: tables.map { table in
        let names = try connection.rows(
          "SELECT name FROM pragma_table_info('\(table)') WHERE name NOT LIKE 'trawl\\_%' "
            + "ESCAPE '\\' AND name NOT IN ('first_seen_at', 'changed_at', 'vanished_at') "
            + "ORDER BY cid"
        ) { $0.text(0) ?? "" }
        // Tables of lists end with a position of their own; in tables of records it is a declared column.
        return (table, names.last == "position" ? names.dropLast() : names)
      })
  }

  @Test(
    "has the tables and columns that are documented, and no others; UPDATE_GOLDEN=1 writes them")
  func tables() async throws {
    var text = ""
    for job in BuiltInJobs.all {
      for (table, names) in try await columns(of: Self.library.job(job.name)).sorted(by: {
        $0.key < $1.key
      }) {
        text += "\(job.name) \(table): \(names.joined(separator: " "))\n"
      }
    }
    Golden.expect("Tests/JobsTests/Golden/tables.txt", equals: text)
  }

  @Test(
    "may be computed by the expressions that it is computed by",
    arguments: BuiltInJobs.all.map(\.name))
  func expressions(name: String) throws {
    #expect(ExpressionProof.problems(in: try Self.library.job(name)) == [])
  }

  @Test(
    "may call every function that the check of job files lets pass",
    arguments: ExpressionRules.allFunctions)
  func functions(name: String) throws {
    let refusals = try ["value", "value, 'a'", "value, 'a', 'b'"].map { arguments in
      let text = Books.with(
        "title: \"title\"", "title: { at: \"title\", sql: \"\(name)(\(arguments))\" }")
      return ExpressionProof.problems(in: try Books.read(text))
    }
    #expect(refusals.contains { $0.isEmpty }, "\(refusals)")
  }

  @Test("comes to a user by the profile and by lists alike, and to a list from both its ends")
  func github() throws {
    let job = try Self.library.job("github")
    #expect(job.streams.map(\.name) == ["profile", "followers", "following", "search"])
    #expect(job.streams.allSatisfy { $0.table == "users" && $0.key == ["id"] && $0.ownsTable })
    let following = try #require(job.stream("following"))
    let followers = try #require(job.stream("followers"))
    #expect(following.membership?.columns.map(\.name) == ["follower_id"])
    #expect(following.membership?.keyNames == ["user_id"])
    #expect(followers.membership?.columns.map(\.name) == ["user_id"])
    #expect(followers.membership?.keyNames == ["follower_id"])
    let feed = ParentFeed(stream: "profile", column: "login", carries: ["id"], when: .run, batch: 1)
    #expect(following.parent == feed && followers.parent == feed)
    #expect(followers.columns == following.columns)
    #expect(
      followers.pager == .link && followers.size == PageSize(parameter: "per_page", value: 100))
    #expect(followers.media.first?.adding == [HeaderField("s", "120")])
    #expect(
      job.quotas.first
        == Quota(
          name: "core", allow: 5_000, window: .rolling(.seconds(3_600)), burst: 5_000,
          allowWithoutKey: 60))
    #expect(job.problem(setting: "user", to: "a b/..") != nil)
    #expect(job.problem(setting: "user", to: "nobody-404") == nil)
    #expect(job.problem(setting: "usr", to: "x")?.hasSuffix("did you mean \"user\"?") == true)
  }

  @Test("fills columns of rows that are there, where a stream hangs on another")
  func inserts() throws {
    let youtube = try Self.library.job("youtube")
    let inserting = youtube.streams.filter(\.ownsTable).map(\.name)
    #expect(inserting == ["channels", "uploads", "search"])
    let market = try Self.library.job("openmarket")
    #expect(market.streams.map(\.ownsTable) == [false, true])
    #expect(try Self.library.job("giphy").streams.allSatisfy(\.ownsTable))
  }

  @Test("is asked for as the five APIs want it")
  func requests() throws {
    let news = try Self.library.job("newsapi")
    let everything = try #require(news.stream("everything"))
    #expect(everything.spends == ["day": 1, "half": 1])
    #expect(everything.query.map(\.isLeftOutIfEmpty) == [false, true, false])
    #expect(everything.window?.reach == .seconds(29 * 86_400))
    #expect(everything.columns == news.stream("headlines")?.columns)
    #expect(everything.membership != news.stream("headlines")?.membership)
    #expect(news.errors.count { $0.action == .fatal } == 5)
    #expect(news.errors.count { $0.action == .key } == 3)

    let giphy = try Self.library.job("giphy")
    #expect(giphy.authentication?.place == .query(name: "api_key"))
    #expect(giphy.stream("favorites_by_id")?.parent?.stream == ParentFeed.favorites)
    #expect(giphy.problem(setting: "q", to: "@trending_words.word") == nil)
    #expect(giphy.problem(setting: "q", to: "@trending") == nil)
    #expect(giphy.problem(setting: "q", to: "@trnding") != nil)

    let market = try Self.library.job("openmarket")
    #expect(market.health == Health(path: "/healthChecker", says: "OK"))
    #expect(market.stream("products")?.more.map(\.text) == ["hasNext", "has_next"])
    #expect(market.stream("details")?.children.last?.parentKeyNames == [])
    // {host} is the API's own, although the parent has a column of that name.
    #expect(market.stream("details")?.parent?.carries == [])

    let youtube = try Self.library.job("youtube")
    #expect(
      youtube.quotas.first?.window == .daily(hour: 0, minute: 0, zone: "America/Los_Angeles"))
    #expect(youtube.stream("statistics")?.parent?.batch == 50)
    #expect(
      youtube.stream("statistics")?.columns.filter(\.isVolatile).map(\.name) == ["views", "likes"])
  }
}
