import Base
import Store

func path(_ text: String) -> JSONPath {
  // The tests' own paths are sound.
  guard let path = try? JSONPath(text) else { preconditionFailure("bad path \(text)") }
  return path
}

extension Column {
  static let id = Column("id", nil, .integer)

  init(
    _ name: String, _ at: String? = nil, _ kind: Kind = .text, expression: String? = nil,
    required: Bool = false, volatile: Bool = false, absent: [String] = []
  ) {
    self.init(
      name: name,
      source: .paths((at ?? name).split(separator: "|").map { path(String($0).trimmingBlanks) }),
      kind: kind, expression: expression, isRequired: required, isVolatile: volatile,
      absent: absent)
  }
}

extension [ParameterValue] {
  static func user(_ number: Int) -> Self { [ParameterValue("user", "\(number)")] }
}

extension UnitOpening {
  /// The pages of the walk that goes on; nil if none does.
  var resumed: [PageSummary]? {
    if case .resume(let pages, _) = state { pages } else { nil }
  }
}

extension Column.Kind {
  static let time = Column.Kind.time(digits: 0, zone: nil)
}

extension Job {
  /// A job of one stream `all` into the table `things`, for tests of mapping.
  static func things(
    _ columns: [Column], key: [String] = ["id"], name: String = "box",
    _ adjust: (inout Stream) -> Void = { _ in }
  ) -> Job {
    var stream = Stream(
      name: "all", path: Template([.text("/things")]), pager: .single, records: path("."),
      table: "things", key: key, columns: columns)
    adjust(&stream)
    return Job(
      name: name, about: "", base: WebAddress(origin: Fixture.origin, path: "/"),
      streams: [stream], source: "a test")
  }

  /// Profiles, and lists of followers that fill a part of the same table.
  static func people(_ adjust: (inout Job) -> Void = { _ in }) -> Job {
    let short = [Column.id, Column("login"), Column("avatar_url", nil, .url)]
    var profile = Stream(
      name: "profile", path: Template([.text("/users/"), .hole("user")]), pager: .single,
      records: path("."), table: "users", key: ["id"],
      columns: short + [
        Column("name"), Column("followers", nil, .integer, volatile: true),
        Column("created_at", nil, .time),
      ])
    profile.roles = ["title": "login", "image": "avatar_url"]
    var followers = Stream(
      name: "followers", path: Template([.text("/users/"), .hole("user"), .text("/followers")]),
      pager: .link, records: path("."), table: "users", key: ["id"], columns: short)
    followers.membership = Membership(
      table: "follows",
      columns: [Column(name: "user_id", source: .parameter("user"), kind: .integer)],
      keyNames: ["follower_id"])
    followers.marksVanished = true
    followers.media = [
      MediaRole(name: "avatar", column: "avatar_url", adding: [HeaderField("s", "120")])
    ]
    followers.listName = Template("followers of {user}")
    var job = Job(
      name: "people", about: "", base: WebAddress(origin: Fixture.origin, path: "/"),
      streams: [profile, followers], source: "a test")
    adjust(&job)
    return job
  }
}

/// A page of followers with these ids.
func people(_ ids: some Sequence<Int>, login: (Int) -> String = { "u\($0)" }) -> String {
  let records = ids.map { id in
    #"{"id": \#(id), "login": "\#(login(id))", "avatar_url": "https://img.example.org/\#(id)?v=4"}"#
  }
  return "[\(records.joined(separator: ", "))]"
}

/// A page of the profile of one of them.
func profile(
  _ id: Int, _ name: String = "N", followers: Int, createdAt: String = "2020-01-01T00:00:00Z"
) -> String {
  """
  [{"id": \(id), "login": "u\(id)", "avatar_url": "https://img.example.org/\(id)?v=4",
    "name": "\(name)", "followers": \(followers), "created_at": "\(createdAt)"}]
  """
}
