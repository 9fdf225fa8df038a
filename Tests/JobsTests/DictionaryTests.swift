import Base
@testable import Jobs
@testable import Store
import TestSupport
import Testing

@Suite("What the shipped jobs store")
struct DictionaryTests {
  static let library = JobLibrary(userFolder: nil, systemFolder: nil)

  /// The columns of each table as a database has them, without those that Trawl adds.
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
        // Every list has a position of its own, last; in a table of records it is a declared one.
        return (table, names.last == "position" ? names.dropLast() : names)
      })
  }

  @Test(
    "has the tables and columns that are documented",
    arguments: [
      (
        "github", "github_users",
        "id login name location bio company blog public_repos public_gists followers following"
          + " html_url avatar_url created_at"
      ),
      ("github", "github_follows", "user_id follower_id"),
      ("github", "github_found", "words user_id"),
      (
        "youtube", "youtube_videos",
        "video_id title description published_at channel_id channel_title thumbnail_url views"
          + " likes duration"
      ),
      ("youtube", "youtube_found", "q video_id"),
      ("youtube", "youtube_uploads", "playlist_id video_id"),
      (
        "youtube-proxy", "youtube_proxy_videos",
        "video_id title description thumbnail_url watch_url"
      ),
      (
        "newsapi", "newsapi_articles",
        "url source_id source_name author title description image_url published_at content"
      ),
      ("newsapi", "newsapi_found", "list url"),
      ("newsapi", "newsapi_sources", "id name description url category language country"),
      (
        "giphy", "giphy_gifs", "id title username rating url still_url imported_at trending_at"
      ),
      ("giphy", "giphy_found", "list q gif_id"), ("giphy", "giphy_trending_words", "position word"),
      ("giphy", "giphy_tags", "q position name"),
      (
        "openmarket", "openmarket_products",
        "host id vendor_id name description thumbnail_url currency price bargain_price"
          + " discounted_price stock created_on issued_on"
      ),
      ("openmarket", "openmarket_found", "search host id"),
      ("openmarket", "openmarket_images", "host product_id id url thumbnail_url issued_on"),
      ("openmarket", "openmarket_vendors", "host id name"),
      (
        "hackernews", "hackernews_stories",
        "id kind title url author text parent_id story_id points comments created_at updated_at"
      ),
      ("hackernews", "hackernews_found", "tags id"),
      (
        "crossref", "crossref_works",
        "doi kind title container publisher url abstract language volume issue pages cites cited_by"
          + " created_at deposited_at indexed_at"
      ),
      ("crossref", "crossref_authors", "doi place given family sequence orcid"),
      ("crossref", "crossref_found", "filter words doi"),
      (
        "github-repos", "github_repos_repositories",
        "id full_name owner description homepage language license topics is_fork is_archived"
          + " default_branch stars watchers forks open_issues size_kb html_url avatar_url created_at"
          + " pushed_at updated_at"
      ),
      (
        "github-repos", "github_repos_issues",
        "id number title body state state_reason is_draft author author_association milestone comments"
          + " reactions pull_url merged_at html_url created_at updated_at closed_at"
      ),
      ("github-repos", "github_repos_tracker", "repo id"),
      ("github-repos", "github_repos_files", "release_id id name bytes downloads url"),
      (
        "stackexchange", "stackexchange_questions",
        "site id title body author author_id author_image score views answers is_answered"
          + " accepted_answer_id closed_reason license url created_at edited_at active_at"
      ),
      ("stackexchange", "stackexchange_tags", "site question_id tag"),
      ("stackexchange", "stackexchange_found", "tag site id"),
      (
        "mastodon", "mastodon_posts",
        "id uri account account_name text warning language visibility is_sensitive reply_to_id"
          + " boost_of url link image_url replies boosts favourites created_at edited_at"
      ),
      ("mastodon", "mastodon_posted", "account_id post_id"),
      ("mastodon", "mastodon_found", "tag post_id"),
      (
        "mediawiki", "mediawiki_pages",
        "id namespace title url language bytes is_redirect revision_id touched_at"
      ),
      ("mediawiki", "mediawiki_members", "category page_id namespace title kind added_at"),
    ])
  func hasTables(name: String, table: String, names: String) async throws {
    let job = try Self.library.job(name)
    #expect(try await columns(of: job)[table]?.joined(separator: " ") == names)
  }

  @Test("has no table beside those that are documented")
  func noOthers() async throws {
    var all: [String] = []
    for job in BuiltInJobs.all { all += try await columns(of: Self.library.job(job.name)).keys }
    #expect(
      all.sorted() == [
        "crossref_authors", "crossref_found", "crossref_works",
        "giphy_found", "giphy_gifs", "giphy_tags", "giphy_trending_words", "github_follows",
        "github_found", "github_repos_files", "github_repos_issues", "github_repos_labels",
        "github_repos_published", "github_repos_releases", "github_repos_repositories",
        "github_repos_tracker", "github_users", "hackernews_found", "hackernews_stories",
        "mastodon_accounts", "mastodon_attachments", "mastodon_found", "mastodon_posted",
        "mastodon_posts", "mastodon_tags", "mediawiki_changes", "mediawiki_listed",
        "mediawiki_members", "mediawiki_pages", "newsapi_articles", "newsapi_found",
        "newsapi_sources",
        "openmarket_found", "openmarket_images", "openmarket_products", "openmarket_vendors",
        "stackexchange_found", "stackexchange_questions", "stackexchange_tags",
        "youtube_channels", "youtube_found", "youtube_proxy_videos", "youtube_uploads",
        "youtube_videos",
      ])
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
    let feed = ParentFeed(
      stream: "profile", column: "login", hole: "login", carries: ["id"], when: .run, batch: 1)
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
    // {host} is the API's own, though the parent has a column of that name.
    #expect(market.stream("details")?.parent?.carries == [])

    let youtube = try Self.library.job("youtube")
    #expect(
      youtube.quotas.first?.window == .daily(hour: 0, minute: 0, zone: "America/Los_Angeles"))
    #expect(youtube.stream("statistics")?.parent?.batch == 50)
    #expect(
      youtube.stream("statistics")?.columns.filter(\.isVolatile).map(\.name) == ["views", "likes"])
  }
}
