// swift-format-ignore-file
// Made from jobs/newsapi.json5 by `UPDATE_GOLDEN=1 swift test --filter JobsTests`.
extension BuiltInJobs {
  static let newsapi = File(
    name: "newsapi",
    text: #"""
// NewsAPI: articles by words, headlines by country, and the sources.
//
//   trawl run newsapi --set q=swift --set country=us
//   trawl backfill newsapi --from 2026-11-01 --set q=swift
//
// The free plan (Developer) gives 100 requests a day, 100 results a query, articles a day late and
// a month back. Windows of time reach what lies behind the 100.
{
  name: "newsapi",
  about: "Articles by words, headlines by country, and their sources",
  terms: "The free plan is for development only, not for staging or production.",
  base: "https://newsapi.org/v2",

  auth: {
    header: "X-Api-Key",
    secret: "newsapi-key",
    env: "NEWSAPI_KEY",
    get: "https://newsapi.org/register",
  },

  params: {
    q: {
      default: ["swift programming"],
      about: "words of articles, with \"phrases\", +must, -not, AND, OR and brackets",
    },
    language: { default: [""], about: "a language such as en or ko; empty is all of them" },
    country: {
      default: ["us"],
      about: "a country whose headlines are wanted",
      pattern: "[a-z]{2}",
      hint: "a country is two small letters, such as us or kr",
    },
    category: {
      default: [""],
      about: "business, general, health, science, sports, technology and so on; empty is all",
    },
  },

  buckets: {
    day: { allow: 100, per: "day" }, // any 24 hours
    half: { allow: 50, per: "12h" },
  },

  // NewsAPI says in `code` what is wrong, now and then under another status: so no rule names one.
  errors: [
    {
      where: "code",
      is: ["apiKeyInvalid", "apiKeyMissing", "apiKeyDisabled"],
      then: "fatal",
      say: "NewsAPI does not accept the key",
    },
    {
      where: "code",
      is: "rateLimited",
      then: "defer",
      wait: "12h",
      say: "the requests of this half day are used up",
    },
    {
      where: "code",
      is: "apiKeyExhausted",
      then: "defer",
      wait: "1d",
      say: "the requests of the plan are used up",
    },
    { where: "code", is: "maximumResultsReached", then: "end", cap: true },
    // 426: the window begins before what the plan shows.
    { status: 426, where: "code", is: "parameterInvalid", then: "gap" },
    { where: "code", is: "unexpectedError", then: "retry", wait: "5s" },
    {
      where: "code",
      is: [
        "parameterInvalid",
        "parametersMissing",
        "sourcesTooMany",
        "sourceDoesNotExist",
        "sourcesDoesntExist",
      ],
      then: "fatal",
      say: "NewsAPI refuses the request itself; look at q, country and category",
    },
  ],

  streams: {
    sources: {
      about: "the newspapers and sites that headlines come from",
      get: "/top-headlines/sources",
      records: "sources",
      into: "sources",
      key: ["id"],
      columns: {
        id: "id",
        name: "name",
        description: "description",
        url: "url as url",
        category: "category",
        language: "language",
        country: "country",
      },
      vanish: "mark",
      foundBy: "sources",
    },

    headlines: {
      about: "what stands on top now, by country",
      get: "/top-headlines",
      query: { country: "{country}", category: "{category?}" },
      // A size that divides 100: a page that reaches beyond the cap is refused as a whole.
      pages: { by: "number", param: "page", size: { param: "pageSize", value: 100 } },
      total: { at: "totalResults", trust: "counted" },
      cap: { at: 100, expected: "headlines are what stands on top; the plan shows a hundred" },
      records: "articles",
      // What was taken back stays as a shell under one common address. It is dropped and counted.
      keep: "url <> 'https://removed.com' AND ifnull(title, '') <> '[Removed]'",
      into: "articles",
      key: ["url"],
      columns: {
        url: { at: "url", as: "url", sql: "trawl_plain_url(value)" }, // no fragment, no utm_…
        source_id: "source.id",
        source_name: "source.name",
        author: "author",
        title: "title",
        description: "description",
        image_url: "urlToImage as url",
        published_at: "publishedAt as time",
        content: "content",
      },
      media: { cover: "image_url" },
      list: {
        table: "found", // newsapi_found(list, url)
        columns: { list: { value: "headlines country={country} category={category}" } },
      },
      items: {
        title: "title",
        summary: "description",
        link: "url",
        image: "image_url",
        published_at: "published_at",
      },
      search: ["title", "description", "content", "author"],
      foundBy: "headlines country={country} category={category}",
      emptyHint: "the free plan has headlines for country=us only",
    },

    everything: {
      about: "articles by words, newest first",
      get: "/everything",
      query: { q: "{q}", language: "{language?}", sortBy: "publishedAt" },
      pages: { by: "number", param: "page", size: { param: "pageSize", value: 100 } },
      total: { at: "totalResults", trust: "counted" },
      cap: { at: 100 },
      window: {
        from: "from",
        to: "to",
        end: "outside", // nobody says whether the end belongs to it: windows share their second
        on: "published_at",
        overlap: "2d", // articles come a day late, and scraped dates are loose
        delay: "24h",
        reach: "29d",
      },
      newestFirst: "published_at",
      sameAs: "headlines", // the same records, into the same table
      list: { table: "found", columns: { list: { value: "everything q={q}" } } },
      foundBy: "everything q={q}",
    },
  },
}
"""#)
}
