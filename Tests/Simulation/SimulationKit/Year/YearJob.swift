internal import TestSupport

/// How the API of a year pages and counts, and the user's job file for it.
struct YearJob: Sendable {
  /// `pages`: by links that name the last page.
  enum Paging: String, Sendable, CaseIterable { case number, offset, token, link, address, pages }

  let things: Paging
  let items: Paging
  let members: Paging
  let news: SimulatedArchive.Kind
  /// Whether answers contain the length of these lists; lists that are read by position always do.
  let countsItems: Bool
  let countsMembers: Bool

  /// The job says how often it runs.
  let isRegular: Bool

  /// How a stream pages, and whether it counts; nil: a single answer.
  func paging(_ stream: String) -> (how: Paging?, counts: Bool) {
    switch stream {
    case "things": (things, true)
    case "items": (items, countsItems)
    case "members": (members, countsMembers)
    case "wide": (.pages, false)
    case "deep": (.token, false)
    default: (nil, false)
    }
  }

  /// The job's name after this many renames.
  static func name(_ renamed: Int) -> String { renamed % 2 == 0 ? "shop" : "corner-shop" }

  /// The host of its API after this many moves.
  static func host(_ moved: Int) -> String { moved == 0 ? "api.example" : "api\(moved).example" }
  static let pictures = "https://img.example/p"
  static func topics(_ width: Int) -> [String] { width > 1 ? ["a", "b", "c"] : ["a", "b"] }
  static let groups = [0, 1, 2]
  static let (thingsSize, itemsSize, membersSize) = (12, 5, 4)
  static let staleDays: Int64 = 7
  /// How far back the API shows news: ten and a half nights.
  static let reach: Int64 = 252 * 3600
  /// Nights; half a day more is declared, since nights begin a little earlier or later.
  static let patienceDays = 3

  init(_ random: inout SeededRandom) {
    func any<T>(_ all: [T]) -> T { all[Int(random.next() % UInt64(all.count))] }
    things = any([.number, .offset])
    items = any([.number, .offset, .token, .link, .address])
    members = any([.token, .link, .address])
    news = any(SimulatedArchive.Kind.allCases)
    countsItems = items == .number || items == .offset || random.next() % 2 == 0
    countsMembers = random.next() % 2 == 0
    isRegular = random.next() % 2 == 0
  }

  /// - Parameters:
  ///   - width: how often the job was widened: by a column, then by a topic.
  ///   - renamed: how often it was renamed.
  ///   - moved: how often its API moved.
  func text(width: Int, renamed: Int, moved: Int) -> String {
    let was = renamed > 0 ? #" was: "\#(Self.name(renamed - 1))","# : ""
    return """
      {
        name: "\(Self.name(renamed))",\(was) about: "a shop that is read every night", 
        base: "https://\(Self.host(moved))/v1",\(isRegular ? #" every: "1d","# : "")
        patience: "\(24 * Self.patienceDays + 12)h",
        auth: { to: "header:Authorization Bearer {secret}", secret: "shop-key $SHOP_KEY" },
        params: { topic: { default: \(Self.topics(width)), about: "what the items are about" } },
        quotas: { hour: { allow: 400, per: "hour" } },
        errors: [
          { status: 401, then: "fatal", message: "the shop does not accept the key" },
          { status: 426, then: "cap" },
        ],
        streams: {
          things: {
            get: "/things", \(pages(things, Self.thingsSize)), \(Self.counted)
            records: "items", into: "things", key: ["id"],
            columns: {
              id: "id as integer", name: "name", \(Self.views)
              \(width > 0 ? #", title: "name""# : "")
            },
            vanish: "mark",
          },
          \(long("wide", .pages)),
          \(long("deep", .token)),
          items: {
            get: "/topics/{topic}/items", \(pages(items, Self.itemsSize)),
            \(countsItems ? Self.counted : "")
            records: "items", into: "items", key: ["id"],
            columns: { id: "id as integer", name: "name", \(Self.views) },
            list: "tagged", vanish: "mark",
          },
          details: {
            get: "/items", query: { ids: "{id}" },
            for: { each: "items.id", when: "stale \(Self.staleDays)d", batch: 10 },
            pages: { by: "single" }, records: "items", into: "items", key: ["id"],
            columns: { id: "id as integer", detail: "detail" },
          },
          groups: {
            get: "/groups", pages: { by: "single" },
            records: "items", into: "groups", key: ["id"],
            columns: { id: "id as integer", name: "name" },
          },
          members: {
            get: "/groups/{id}/members", for: { each: "groups.id", when: "run" },
            \(pages(members, Self.membersSize)), \(countsMembers ? Self.counted : "")
            records: "items", into: "people", key: ["id"], inserts: true,
            columns: { id: "id as integer", name: "name", photo: "photo as url" },
            media: { photo: "photo" },
            list: {
              table: "members", columns: { group_id: "{id} as integer" },
              names: { id: "person_id" },
            },
            vanish: "mark",
          },
          news: {
            get: "/news", \(newsPages)
            window: {
              from: "?from", to: "?to", on: "at", overlap: "1h", step: "1s", reach: "\(Self.reach / 3600)h",
              end: "\(news == .link ? "inside" : "outside")",
            },
            \(news == .counted ? #"order: "at falling","# : "")
            records: "items", into: "news", key: ["id"],
            columns: { id: "id as integer", at: "at as time" },
          },
        },
      }
      """
  }

  /// An uncounted list of many pages.
  private func long(_ name: String, _ paging: Paging) -> String {
    """
    \(name): {
      get: "/\(name)", \(pages(paging, Self.thingsSize)), records: "items", into: "\(name)",
      key: ["id"], columns: { id: "id as integer", name: "name", \(Self.views) }, vanish: "mark",
    }
    """
  }

  private static let counted = #"total: "total counted","#
  private static let views = #"views: "views as integer volatile""#

  private func pages(_ paging: Paging, _ size: Int) -> String {
    let how =
      switch paging {
      case .number: #"by: "number", to: "?page""#
      case .offset: #"by: "offset", to: "?offset""#
      case .token: #"by: "token", to: "?token", next: "next""#
      case .link, .pages: #"by: "link""#
      case .address: #"by: "url", next: "next""#
      }
    return #"pages: { \#(how), size: "?size=\#(size)" }"#
  }

  private var newsPages: String {
    switch news {
    case .counted:
      #"pages: { by: "number", to: "?page", size: "?size=100" }, "#
        + Self.counted + " cap: 100,"
    case .token:
      #"pages: { by: "token", to: "?token", next: "next", size: "?size=50" }, "#
        + #"total: "total none", cap: "500 doubt 450","#
    case .link:
      #"pages: { by: "link", size: "?size=100" }, cap: 1000,"#
    }
  }
}
