/// A job on the imitated NewsAPI with a window: 100 of its records at once, without pictures.
public enum PressJob {
  /// - Parameter more: members of the job before its streams.
  public static func text(_ base: String, more: String = "") -> String {
    """
    {
      name: "press", about: "articles of years", base: "\(base)",
      params: { q: { default: ["linux"], about: "words" } }, \(more)
      errors: [{ where: "code", is: "maximumResultsReached", then: "cap" }],
      streams: {
        everything: {
          get: "/everything",
          query: { q: "{q}", sortBy: "publishedAt" },
          pages: { by: "number", to: "?page", size: "?pageSize=100" },
          total: "totalResults counted",
          cap: 100,
          window: { from: "?from", to: "?to", end: "outside", on: "published_at", overlap: "2d" },
          order: "published_at falling",
          records: "articles", keep: "url <> 'https://removed.com'",
          into: "articles", key: ["url"],
          columns: {
            url: { at: "url as url", sql: "trawl_plain_url(value)" },
            title: "title", published_at: "publishedAt as time",
          },
          listName: "everything q={q}",
        },
      },
    }
    """
  }
}
