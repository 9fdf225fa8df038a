/// Mistakes in paging.
extension JobProblemTable {
  static let pages = paged + plain

  private static let starts = [
    "token": "by: \"token\", to: \"?t\", next: \"next\"", "next": "by: \"token\", to: \"?t\"",
    "after": "by: \"after\", to: \"?a\"", "url": "by: \"url\"",
    "state": "by: \"token\", next: \"continue.*\"",
  ]

  private static let paged = read(
    #"""
    token ⟶ first: "*", stops: ["0", "*"]
      11:60: "*" cannot be the first token and mean the end
    token ⟶ more: { at: "end", is: false }
      11:59: more must be a path, or "not" and a path, not an object
    token ⟶ more: "not "
      11:59: more: an empty path; the whole value is written "."
    after ⟶ next: "ids"
      11:45: next: there is no column "ids"; did you mean "id"?
    after ⟶ next: "title"
      11:45: next: several records may have one value of title, and those at a page's edge are lost;
        name the one column of the key, or a time
    after ⟶ next: { at: "meta.last" }
      11:45: next must be a path, or "header:NAME", not an object
    next ⟶ next: { header: "X-Next" }
      11:45: next must be a path, or "header:NAME", not an object
    next ⟶ next: "links[rel].href"
      11:45: next: path "links[rel].href", character 6: in brackets is [-1], the last entry of a
        list, or [rel=next], the one that says so; another place is written .0
    next ⟶ next: "docs.-1.id"
      11:45: next: path "docs.-1.id", character 6: the last entry of a list is written items[-1]; a
        member of this name is in double quotes
    next ⟶ next: "continue.*"
      11:33: the members of an object name their parameters themselves; take "to" away
    state ⟶ first: "x"
      11:56: "first" is of one token; it does not go with the members of an object
    state ⟶ stops: "x"
      11:56: "stops" is of one token; it does not go with the members of an object
    url ⟶ next: "continue.*"
      11:33: the members of an object are parameters; they go with paging by token
    url ⟶ next: "next", stops: ["empty", "0"]
      11:58: paging by url has no token; it stops by "empty" alone
    """#
  ) { Row(paging, "pages: { \(starts[$0] ?? ""), \($1) }", $2) }

  private static let plain = read(
    #"""
    to: "?page", ⟶ to: "?page", first: "*",
      11:50: the first of numbered pages is 0, 1 or "none"
    to: "?page", ⟶ to: "?page", stops: "repeat",
      11:50: "stops" does not go with paging by number
    total: "count counted" ⟶ total: { at: "count", trust: "counted" }
      12:14: total must be a place and what it says ("meta.total counted"), not an object
    total: "count counted" ⟶ total: "count"
      12:14: total: "count" does not end with what the total says; did you mean "counted"?
    total: "count counted" ⟶ total: "header:a b counted"
      12:14: total: "a b" cannot be the name of a header field
    get: "/search", ⟶ get: "/search", post: "/search",
      8:29: a stream takes one of "get", "post", and no other beside it
    get: "/search", ⟶ get: "/search", body: { q: 1 },
      8:29: "body" is sent by POST; write "post" in place of "get"
    get: "/search", ⟶ post: "/search", body: { q: "{subject}", n: NaN },
      8:30: nothing fills {subject}: no parameter, parent or window has that name; known here: topic
      8:51: JSON has no number NaN
    get: "/search", ⟶ post: "/search", body: { q: "{topic" },
      8:35: body: a brace that is not closed; a brace itself is written {{ or }}
    to: "?page", ⟶ to: "body:page",
      11:34: "body:…" is a place in a body: it needs "post"
    size: "?n=10" ⟶ size: "?page=10"
      11:49: "page" is set by pages.to already; one of the two must go
    list + window: { from: "?n", to: "?page", on: "made" }
      17:37: "n" is set by pages.size already; one of the two must go
      17:47: "page" is set by pages.to already; one of the two must go
    top + auth: { to: "X", secret: "a" },
      2:30: to: "X" is not a place in the request ("header:X-Api-Key", "header:Authorization Bearer
        {secret}", "?api_key"), or "basic" ("basic {mail}:{secret}")
    get: "/search" ⟶ get: "/search?n=1"
      8:12: "n" is set by pages.size already; one of the two must go
    top + auth: [{ to: "header:X", secret: "a" }, { to: "?y", secret: "a" }],
      2:58: the secret "a" is here twice
    title: "title", ⟶ title: "name()",
      16:35: a record has a name where "records" leads to every member of an object: records:
        "rates.*"
    columns: { id: "id", title ⟶ columns: { id: "digest()", title
      12:14: total: with a digest as the key equal records are one, and a counted total counts both;
        say "steady" or "none"
    columns: { id: "id", pages: "pages as integer" } ⟶ columns: { id: "id", n: "'x'" }, pages: { by:
    "after", to: "?a", next: "n" }, order: "n falling"
      25:78: next: the column n is not read from the record
      25:92: order: the column n is not read from the record
    to: "?page", ⟶ to: "body:a.*",
      11:34: to: "body:a.*" is not one place in the body: it goes by names of members alone
        ("body:variables.after")
    """#)
}
