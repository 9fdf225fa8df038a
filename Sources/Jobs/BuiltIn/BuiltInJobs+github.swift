// swift-format-ignore-file
// Made from jobs/github.json5 by `UPDATE_GOLDEN=1 swift test --filter JobsTests`.
extension BuiltInJobs {
  static let github = File(
    name: "github",
    text: #"""
// GitHub: the profile of a user, whom the user follows, and who follows the user.
//
//   trawl run github --set user=YOU
//
// This file is also the example to write your own from. It is JSON5: comments, keys without
// quotes, commas at the end. Every key is explained in jobs/README.md; what is not known is refused
// with its line, so a slip cannot pass unseen. `trawl try FILE` shows a page as it would be stored.
{
  name: "github", // tables are called after it: github_users, github_follows
  about: "Profiles, followers and following of GitHub users",

  // Every path below is put behind this. The secret, if there is one, goes to this origin only.
  base: "https://api.github.com",

  headers: {
    Accept: "application/vnd.github+json",
    "X-GitHub-Api-Version": "2022-11-28",
  },

  // The secret itself never stands in a job file. `trawl key github` asks for it and keeps it.
  auth: {
    header: "Authorization",
    prefix: "Bearer ",
    secret: "github-token",
    env: "GITHUB_TOKEN",
    get: "https://github.com/settings/tokens", // a token without any scope is enough
    optional: true, // without one GitHub answers too, 60 times an hour
  },

  // What a person may choose with --set. Several values are several profiles and several lists.
  params: {
    user: {
      default: ["octocat"],
      about: "login names of users or organisations",
      pattern: "[A-Za-z0-9][A-Za-z0-9_-]{0,38}",
      hint: "a GitHub login has up to 39 letters, digits and hyphens",
    },
    words: {
      default: [], // no value: the stream `search` rests
      about: "words to search users by",
    },
  },

  // Quotas, counted in the ledger over all runs and processes that use the same token. The numbers
  // that GitHub sends with each answer win when they say less.
  buckets: {
    core: { allow: 5000, allowWithoutKey: 60, per: "hour" },
    search: { allow: 30, allowWithoutKey: 10, per: "minute" },
    // The secondary limit: 900 points a minute. This keeps well below it.
    pace: { allow: 600, per: "minute", burst: 10, called: "pace" },
  },

  // What answers mean that are no pages. The first rule that fits decides.
  errors: [
    { status: 401, then: "fatal", say: "GitHub does not accept the token; make a new one" },
    // The hour is used up. GitHub says in a header when the next one begins.
    { status: [403, 429], header: "x-ratelimit-remaining", is: "0", then: "defer" },
    // Secondary limits: sometimes with Retry-After, sometimes with nothing but these words.
    { status: [403, 429], header: "retry-after", like: "*", then: "retry", wait: "1s" },
    {
      status: [403, 429],
      where: "message",
      like: ["*secondary rate limit*", "*abuse detection*"], // one of these
      then: "retry",
      wait: "60s",
    },
    {
      status: [403, 429],
      where: "documentation_url",
      like: "*rate-limits",
      then: "retry",
      wait: "60s",
    },
    { status: 403, then: "skip", say: "GitHub does not let this token see it" },
    // A search that GitHub broke off: the page is not what it should be.
    { status: 200, where: "incomplete_results", is: "true", then: "retry", wait: "5s" },
    { status: 451, then: "skip", say: "GitHub has blocked this for legal reasons" },
    // Ceilings: lists that GitHub does not page to their end.
    {
      status: 422,
      where: "message",
      like: ["*pagination is limited*", "Only the first*"],
      then: "end",
      cap: true,
    },
    { status: 422, then: "fatal", say: "GitHub refuses the request itself" },
  ],

  streams: {
    profile: {
      about: "one user, in full",
      get: "/users/{user}", // {user}: asked once for each value of the parameter
      spends: { core: 1, pace: 1 },
      conditional: true, // an unchanged profile costs nothing of the hour
      records: ".", // the whole answer is one record
      into: "users", // github_users
      key: ["id"], // not the login: that can be given up, and taken by somebody else
      columns: {
        // column: "path in the record as TYPE"; text where no type is said
        id: "id as integer",
        login: "login",
        name: "name",
        location: "location",
        bio: "bio",
        company: "company",
        blog: "blog",
        public_repos: "public_repos as integer",
        public_gists: "public_gists as integer",
        followers: "followers as integer",
        following: "following as integer",
        html_url: "html_url as url",
        avatar_url: "avatar_url as url",
        created_at: "created_at as time",
      },
      media: { avatar: { url: "avatar_url", add: { s: 120 } } }, // fetched as …?v=4&s=120
      items: { title: "login", summary: "bio", link: "html_url", image: "avatar_url" },
      search: ["login", "name", "bio", "location", "company"],
      foundBy: "profile of {user}",
    },

    followers: {
      about: "who follows the user",
      // Asked for each profile that this run has asked for. The profile brings the login as GitHub
      // spells it, and the number, which the list itself does not tell.
      for: { each: "profile.login", with: ["id"], when: "run" },
      get: "/users/{login}/followers",
      spends: { core: 1, pace: 1 },
      // Its links count pages, and do not die: an hourly quota may keep a walk waiting for long.
      pages: { by: "link", life: "1d", size: { param: "per_page", value: 100 } },
      conditional: true,
      records: ".",
      into: "users", // the same table: fills the columns that the short form of a user has
      inserts: true, // and brings users that no profile was asked for
      key: ["id"],
      columns: {
        id: "id as integer",
        login: "login",
        html_url: "html_url as url",
        avatar_url: "avatar_url as url",
      },
      media: { avatar: { url: "avatar_url", add: { s: 120 } } },
      // Which list brought which record is a fact of its own: github_follows(user_id, follower_id).
      // Here the records are those who follow, and the user is the one who is followed.
      list: {
        table: "follows",
        columns: { user_id: { param: "id", as: "integer" } },
        names: { id: "follower_id" },
      },
      vanish: "mark", // follows no longer: vanished_at, once a complete list shows it
      items: { title: "login", link: "html_url", image: "avatar_url" },
      foundBy: "followers of {login}",
    },

    following: {
      about: "whom the user follows",
      for: { each: "profile.login", with: ["id"], when: "run" },
      get: "/users/{login}/following",
      spends: { core: 1, pace: 1 },
      // Its links count pages, and do not die: an hourly quota may keep a walk waiting for long.
      pages: { by: "link", life: "1d", size: { param: "per_page", value: 100 } },
      conditional: true,
      sameAs: "followers", // the same records, into the same table
      inserts: true,
      // The same table from its other end.
      list: {
        table: "follows",
        columns: { follower_id: { param: "id", as: "integer" } },
        names: { id: "user_id" },
      },
      vanish: "mark",
      foundBy: "following of {login}",
    },

    search: {
      about: "users by words, cut by the day their accounts were made",
      get: "/search/users",
      // {from} and {to} are the ends of the window that a backfill asks for.
      query: { q: "{words} created:{from}..{to}" },
      window: { form: "time", grain: "1s" },
      // A list ends at 1,000 whatever its total says; a window with more is halved.
      cap: { at: 1000 },
      total: { at: "total_count", trust: "estimate" },
      spends: { search: 1, pace: 1 },
      pages: { by: "link", size: { param: "per_page", value: 100 } },
      sameAs: "followers",
      records: "items",
      list: { table: "found", names: { id: "user_id" } }, // github_found(words, user_id)
      foundBy: "search {words}",
    },
  },
}
"""#)
}
