/// The job file format on two pages, for `trawl help job`: enough to write one that `trawl check` accepts. Keys are
/// explained as in the reference, up to the first semicolon; rare keys are only named.
public enum FormatSummary {
  public struct Part: Sendable {
    public let title: String
    public let keys: [(name: String, meaning: String)]
    /// Keys that are only named.
    public let others: [String]
  }

  public static let opening = """
    A job file is JSON5 and describes one API. Every mistake is named with its place by trawl check FILE --offline \
    (--json for programs); trawl try FILE shows page 1 as rows; trawl new URL drafts a file; man trawl.json5 has all.
    """

  public static let examples: [(about: String, text: String)] = [
    (
      "library.json5: books about a subject, page by page; --set subject=NAME for another",
      """
      {
        base: "https://openlibrary.org",
        params: { subject: { default: ["sailing"], about: "what it is about" } },
        streams: {
          books: {
            get: "/search.json", query: { subject: "{subject}" },
            pages: { by: "number", to: "?page", size: "?limit=100" },
            total: "numFound counted",
            records: "docs", key: ["work"], list: "found",
            columns: [{ work: "key", author: "author_name.0" }, "title",
              "first_publish_year integer"],
          },
        },
      }
      """
    ),
    (
      "shop.json5: a key, a list by cursor, and a list of its own for each of its records",
      """
      {
        base: "https://api.example.com/v1",
        auth: { to: "header:Authorization Bearer {secret}", secret: "shop-key" },
        streams: {
          orders: {
            get: "/orders", records: "data", order: "created_at falling",
            pages: { by: "token", to: "?cursor", next: "meta.next" },
            columns: ["id", "created_at time", "customer.name", "total real"],
          },
          notes: {
            for: { each: "orders.id", when: "changed" },
            get: "/orders/{id}/notes", pages: { by: "single" }, records: ".",
            columns: { id: "id", order_id: "{id}", text: "body" },
          },
        },
      }
      """
    ),
  ]

  public static let places = """
    Paths: a.b.0.c; . is the record itself; a.b | c the first that has a value; * each entry; header:NAME where a key \
    says so. Types: \(PathText.types). In a list of columns "owner.login text" is called owner_login; \
    in an object the type follows as: "path as time". "views integer volatile" always changes; "{user}" is a value of the \
    request, "'books'" a fixed text. "*" makes a column of every member.
    """

  /// The explained keys of each object; the others are only named.
  private static let told: [(shape: String, keys: [String])] = [
    ("Job", ["base", "auth", "params", "quotas", "streams"]),
    ("Auth", ["to", "secret"]), ("Quota", ["allow", "per"]),
    (
      "Stream",
      [
        "get", "query", "for", "kind", "pages", "order", "total", "records", "into", "key",
        "columns", "keep", "list", "vanish",
      ]
    ),
    ("Pages", ["by", "to", "next", "size", "more"]),
    ("For", ["each", "when"]), ("Column", ["at", "sql", "absent"]),
  ]

  public static let parts: [Part] = told.compactMap { name, keys in
    guard let shape = JobShape.objects.first(where: { $0.name == name }) else { return nil }
    return Part(
      title: name,
      keys: keys.compactMap { key in shape.key(key).map { (key, meaning(of: $0)) } },
      others: shape.keys.map(\.name).filter { !keys.contains($0) && $0 != "$schema" })
  }

  /// The first sentence, except for choices only up to the first semicolon.
  private static func meaning(of key: KeyShape) -> String {
    var clause = key.clause
    if case .text(let form) = key.shape, !form.choices.isEmpty || form.words == TextForm.when.words
    {
      clause = key.about[...]
    }
    let ends = clause.indices.filter { clause[$0] == "." && clause[$0...].dropFirst().first == " " }
    if let end = ends.first(where: { clause[$0...].dropFirst(2).first?.isUppercase ?? false }) {
      clause = clause[..<end]
    }
    return clause.filter { $0 != "`" } + (key.isRequired ? " (needed)" : "")
  }
}
