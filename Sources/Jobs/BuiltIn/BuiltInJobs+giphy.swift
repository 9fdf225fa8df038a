// swift-format-ignore-file
// Made from jobs/giphy.json5 by `UPDATE_GOLDEN=1 swift test --filter JobsTests`.
extension BuiltInJobs {
  static let giphy = File(
    name: "giphy",
    text: #"""
// GIPHY: what is trending, searches, trending words, words that complete what you type, and single
// GIFs by id.
//
//   trawl run giphy --set q="good morning" --set rating=pg
//   trawl run giphy --set q=@trending_words      a search for each word that trends now
//
// No list of GIPHY can be read beyond its ceiling: 499 trending, 4,999 of a search.
{
  name: "giphy",
  about: "Trending GIFs, searches, trending words and GIFs by id",
  terms: "GIPHY asks that trending and search be called from the client side, in an app; a batch \
job is outside that. Ask GIPHY before you run this on a timer.",
  base: "https://api.giphy.com/v1",

  // GIPHY knows no header for its key. Trawl takes it out of every URL that it stores or shows.
  auth: {
    query: "api_key",
    secret: "giphy-key",
    env: "GIPHY_API_KEY",
    get: "https://developers.giphy.com/dashboard",
  },

  params: {
    q: {
      default: ["cat"],
      about: "search words (up to 50 characters); @trending_words stands for all that trend",
    },
    rating: {
      default: ["g"],
      about: "g, pg, pg-13 or r",
      pattern: "g|pg|pg-13|r",
      hint: "a rating is g, pg, pg-13 or r",
    },
    typed: { default: [], about: "the beginning of a word, to be completed" },
    gif: { default: [], about: "ids of single GIFs", pattern: "[A-Za-z0-9]{1,40}" },
  },

  buckets: {
    hour: { allow: 100, per: "hour" }, // a beta key; settings of your own may say more
  },

  errors: [
    // Three bodies mean the same, and one of them comes with status 200. None of them says which
    // limit it was or when it ends: an hour is what GIPHY gives, and asking again sooner has only
    // kept clients locked out. An answer that brings a Retry-After is believed.
    { status: 429, then: "defer", wait: "1h", say: "the requests of the hour are used up" },
    {
      where: "meta.status",
      is: 429,
      then: "defer",
      wait: "1h",
      say: "the requests of the hour are used up",
    },
    { status: [401, 403], then: "fatal", say: "GIPHY does not accept the key" },
    { where: "meta.status", is: [401, 403], then: "fatal", say: "GIPHY does not accept the key" },
    { status: 414, then: "fatal", say: "the search words are longer than 50 characters" },
    { status: 400, then: "fatal", say: "GIPHY refuses the request itself" },
  ],

  streams: {
    trending_words: {
      about: "words that are searched most now, in their order",
      get: "/trending/searches",
      records: "data", // a list of plain texts
      into: "trending_words",
      key: ["position"],
      columns: {
        position: { position: true }, // its place in the list
        word: ".", // the record is the word itself
      },
      offers: "word", // what @trending_words stands for
      vanish: "mark",
      foundBy: "trending words",
    },

    trending: {
      about: "what is trending now",
      get: "/gifs/trending",
      query: { rating: "{rating}" },
      pages: { by: "offset", param: "offset", size: { param: "limit", value: 50 } },
      total: { at: "pagination.total_count", trust: "estimate" },
      cap: { at: 499, doubt: 450, expected: "the trending list is its first 499" },
      records: "data",
      into: "gifs",
      key: ["id"],
      columns: {
        id: "id",
        title: "title",
        username: "username",
        rating: "rating",
        url: "url as url",
        // Host and query of a media URL differ on each call, and the query holds a part of the key:
        // it is cut off, and all hosts are taken for the first. They hold the same files.
        still_url: {
          at: "images.fixed_height_still.url | images.fixed_width_still.url \
| images.downsized_still.url | images.original_still.url | images.fixed_height.url",
          as: "url",
          sql: "replace(replace(replace(replace(substr(value, 1, instr(value || '?', '?') - 1), \
'/media1.', '/media0.'), '/media2.', '/media0.'), '/media3.', '/media0.'), '/media4.', '/media0.')",
        },
        imported_at: "import_datetime as time in UTC",
        trending_at: "trending_datetime as time in UTC", // "never" is 0000-00-00: no value
      },
      // The id tells one still from another, whatever URL it has today.
      media: { still: { url: "still_url", identity: ["id"] } },
      // The rating is not part of it: what several ratings brought stands there together. Each
      // GIF has its own in giphy_gifs.
      list: {
        table: "found", // giphy_found(list, q, gif_id)
        columns: { list: { value: "trending" }, q: { value: "" } },
        names: { id: "gif_id" },
      },
      items: { title: "title", link: "url", image: "still_url", published_at: "imported_at" },
      search: ["title", "username"],
      foundBy: "trending {rating}",
    },

    search: {
      about: "what a search finds",
      get: "/gifs/search",
      query: { q: "{q}", rating: "{rating}" },
      pages: { by: "offset", param: "offset", size: { param: "limit", value: 50 } },
      total: { at: "pagination.total_count", trust: "estimate" },
      // Past it GIPHY answers 200 with nothing and zeros.
      cap: { at: 4999, doubt: 4900 },
      sameAs: "trending", // the same records in the same table; only the list is another
      list: {
        table: "found",
        columns: { list: { value: "search" }, q: { param: "q" } },
        names: { id: "gif_id" },
      },
      foundBy: "search q={q}",
    },

    tags: {
      about: "words that complete what was typed",
      get: "/gifs/search/tags",
      query: { q: "{typed}", limit: 25 },
      cap: { at: 25, expected: "the best 25 are asked for" },
      records: "data",
      into: "tags", // giphy_tags(q, position, name)
      key: ["q", "position"],
      columns: { q: { param: "typed" }, position: { position: true }, name: "name" },
      foundBy: "tags {typed}",
    },

    by_id: {
      about: "single GIFs that were asked for",
      get: "/gifs/{gif}",
      sameAs: "trending", // an object in place of a list is one record
      foundBy: "gif {gif}",
    },

    favorites_by_id: {
      about: "favourites that no list has brought",
      for: { each: "favorites.id", when: "stale 30d", batch: 50 },
      get: "/gifs",
      query: { ids: "{id}" },
      sameAs: "trending",
      inserts: true,
      foundBy: "favourites",
    },
  },
}
"""#)
}
