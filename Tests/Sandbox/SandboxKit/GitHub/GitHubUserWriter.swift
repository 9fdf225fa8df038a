internal import Base

/// Writes a user in GitHub's two forms.
struct GitHubUserWriter: Sendable {
  /// `http://127.0.0.1:41873/github`
  let base: String
  let seed: UInt64
  let options: GitHubOptions
  let media: MediaLibrary

  /// The form in lists.
  func writeListed(_ user: GitHubUser, score: Bool = false, to json: inout JSONWriter) {
    json.object { json in
      writeFields(user, to: &json)
      if score {
        json.key("score")
        json.real(1)
      }
    }
  }

  /// The form of `GET /users/{login}`.
  func writeDetail(
    _ user: GitHubUser, followers: Int, following: Int, to json: inout JSONWriter
  ) {
    json.object { json in
      writeFields(user, to: &json)
      let profile = GitHubProfile(user, seed: seed)
      json.member("name", profile.name)
      json.member("company", profile.company)
      json.member("blog", profile.blog)
      json.member("location", profile.location)
      json.member("email", String?.none)
      json.member("hireable", profile.isHireable ? true : Bool?.none)
      json.member("bio", profile.bio)
      json.member("twitter_username", profile.twitterName)
      json.member("public_repos", profile.repos)
      json.member("public_gists", profile.gists)
      json.member("followers", followers)
      json.member("following", following)
      let created = user.createdAt(users: options.users)
      json.member("created_at", created.description)
      json.member("updated_at", (created + .seconds(86_400 * profile.ageDays)).description)
    }
  }

  private func writeFields(_ user: GitHubUser, to json: inout JSONWriter) {
    // `user-0101[bot]`: a path must not contain brackets.
    let login = PercentEncoding.encoded(user.login)
    let url = "\(base)/users/\(login)"
    json.member("login", user.login)
    json.member("id", user.id)
    json.member("node_id", user.nodeID)
    json.member("avatar_url", avatar(user))
    json.member("gravatar_id", "")
    json.member("url", url)
    json.member("html_url", "https://github.com/\(login)")
    json.member("followers_url", "\(url)/followers")
    json.member("following_url", "\(url)/following{/other_user}")
    json.member("gists_url", "\(url)/gists{/gist_id}")
    json.member("starred_url", "\(url)/starred{/owner}{/repo}")
    json.member("subscriptions_url", "\(url)/subscriptions")
    json.member("organizations_url", "\(url)/orgs")
    json.member("repos_url", "\(url)/repos")
    json.member("events_url", "\(url)/events{/privacy}")
    json.member("received_events_url", "\(url)/received_events")
    json.member("type", user.type)
    json.member("user_view_type", "public")
    json.member("site_admin", false)
  }

  func avatar(_ user: GitHubUser) -> String { media.url("u", "\(user.id)") + "?v=4" }
}

/// A user's profile. Every nullable field is null more often than not, as with real users.
struct GitHubProfile: Sendable {
  var name: String?
  var company: String?
  /// Empty, never null, if there is none.
  var blog = ""
  var location: String?
  var isHireable = false
  var bio: String?
  var twitterName: String?
  var repos: Int
  var gists: Int
  var ageDays: Int

  init(_ user: GitHubUser, seed: UInt64) {
    if user.index == 0 {
      name = "The Octocat"
      company = "@github"
      blog = "https://github.blog"
      location = "San Francisco"
      (repos, gists, ageDays) = (8, 8, 5000)
      return
    }
    var random = SeededRandom(seed ^ 0x7072_6F66, UInt64(user.index))
    name = random.below(10) < 6 ? "\(random.pick(Self.names)) \(user.index)" : nil
    company = random.below(10) < 2 ? random.pick(Self.companies) : nil
    blog = random.below(10) < 3 ? "https://example.com/\(user.index)" : ""
    location = random.below(10) < 4 ? random.pick(Self.locations) : nil
    isHireable = random.below(10) < 1
    bio = random.below(10) < 4 ? random.pick(Self.bios) : nil
    twitterName = random.below(10) < 1 ? "user\(user.index)" : nil
    repos = random.below(200)
    gists = random.below(20)
    ageDays = random.below(400)
  }

  /// Several scripts, letters of several code points, both forms of "é", quotes: what mapping, storing and printing
  /// must handle.
  private static let names = [
    "User", "Benutzer", "Utilisatrice é", "Utilisatrice e\u{301}", "사용자", "使用者", "مستخدم",
    "Ünïcödé", "\"Quoted\"", "O'User", "👩🏽‍💻",
  ]
  private static let companies = ["@github", "Example, Inc.", "ACME <b>Ltd</b> & Sons", " spaced "]
  private static let locations = [
    "Seoul", "서울", "São Paulo", "Zürich", "Earth", "51.5, -0.1", "/dev/null",
  ]
  private static let bios = [
    "Writes software.", "line one\r\nline two", "<script>alert(1)</script>", "100 % \"C:\\temp\"",
    "tab\there", "escape \u{1B}[31mred\u{1B}[0m", "🏳️‍🌈 🇰🇷", "a -- b; DROP TABLE users;",
    String(repeating: "long ", count: 31),
  ]
}
