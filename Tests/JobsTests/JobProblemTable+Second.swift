/// More mistakes.
extension JobProblemTable {
  static let second = read(
    #"""
    per: "minute" ⟶ per: "day from 00:00 America/Los_Angles"
      5:38: per: the time zone "America/Los_Angles" is not among the system's (/usr/share/zoneinfo)
    per: "minute" } ⟶ per: "minute", courtesy: true, pause: "backoff" }
      5:71: "pause" is the API's own word; no courtesy has it
    allow: 10 ⟶ allow: 0
      5:29: allow must be from 1 to 1000000000
    spends: "calls" ⟶ spends: "call"
      10:15: there is no quota "call"; did you mean "calls"?
    spends: "calls" ⟶ spends: { calls: 1, days: 2 }
      10:33: there is no quota "days"; known here: calls
    spends: "calls" ⟶ spends: { calls: 11 }
      10:15: one request of found costs 11 of calls, which allows 10 at most: it would never be sent
    each: "found.id" ⟶ each: "fond.id"
      20:20: there is no stream "fond"; did you mean "found"?
    each: "found.id" ⟶ each: "found.ids"
      20:20: the stream found has no column "ids"; did you mean "id"?
    each: "found.id" ⟶ each: "found"
      20:20: each: "found" is not a stream's column ("stream.column")
    each: "found.id" ⟶ each: "details.id"
      20:20: a stream cannot be requested for each of its own records
    get: "/books/{id}" ⟶ get: "/books/{id}/{titel}"
      21:12: nothing fills {titel}: no parameter, parent or window has that name; did you mean
        "title"?
    when: "changed" ⟶ when: "sometimes"
      20:38: when: "sometimes" is not "new", "changed", "all", "run" or "stale 7d"
    get: "/books/{id}" ⟶ get: "/books"
      20:20: the request does not use {id}: every record would ask the same; put it into "get" or
        "query"
    key: ["id"],⏎      columns: { id: "id", title ⟶ key: ["isbn"],⏎      columns: { id: "id", title
      15:13: the key names "isbn", which is not a column; known here: id, title, made, cover
    key: ["id"],⏎      columns: { id: "id", pages
    ⟶ key: ["id", "id"],⏎      columns: { id: "id", pages
      24:19: the key names "id" twice
    key: ["id"],⏎      columns: { id: "id", pages ⟶ key: ["pages"],⏎      columns: { id: "id", pages
      24:12: the stream found fills the table books with another key (id); streams of one table
        share it
    list + media: { cover: "covr" }
      17:37: media: there is no column "covr"; did you mean "cover"?
    list + media: { cover: "made" }
      17:37: media: the column made holds no URL
    list + search: ["made"]
      17:30: search: the column made is not text
    list + items: { titel: "title" }
      17:30: unknown key "titel"; did you mean "title"?
    list + items: { title: "name" }
      17:37: there is no column "name"; known here: id, title, made, cover
    list + listName: "found {q}"
      17:31: nothing fills {q}: it is not a value of this stream's requests; known here: topic
    list + window: { from: "?since", on: "title" }
      17:51: the column title is not a time; add " as time" to its path
    list + window: { on: "made" }
      17:29: a window needs its beginning: from: "?NAME", or {from} in the query
    list + window: { from: "?since", on: "made", overlap: "1 day" }
      17:68: overlap: "1 day" is not a duration ("45s", "30m", "12h", "90d")
    list + cap: "100 doubt 200"
      17:26: "doubt" is beyond the cap itself (100)
    list: "hits" ⟶ list: "books"
      17:13: the table books holds records already and cannot hold a list
    list: "hits" ⟶ list: "books_media"
      14:13: Trawl itself makes books_media; another table must be called otherwise
    list: "hits" ⟶ list: { table: "hits", columns: { id: "{topic}" } }
      17:13: the table hits would have two columns "id"; give the record's key another name there:
        names: { id: "…" }
    list: "hits" ⟶ list: { table: "hits", columns: { position: "{topic}" } }
      17:13: every list has a column "position" of its own; choose another name
    list: "hits" ⟶ list: { table: "hits", columns: { t: "{topc}" } }
      17:44: nothing fills {topc}: it is not a value of this stream's requests; did you mean
        "topic"?
    list: "hits" ⟶ list: { table: "hits", names: { ids: "x" } }
      17:44: names: "ids" is not part of the key; did you mean "id"?
    list + children: { tags: { records: "tags", key: ["id"], columns: { id: "id" } } }
      17:39: the table tags would have two columns "id"; give the record's key another name there:
        parent: { id: "…" }
    list + children: { tags: { records: "tags.*", key: ["n"], columns: { n: "name()" } } }
      17:86: name() is for records: an entry of a nested list has none; a column "as json" stores
        the object with its names
    list + sameAs: "detials"
      17:29: sameAs: there is no other stream "detials"; did you mean "details"?
    title: "title" ⟶ title: { sql: "lower(value)" }
      16:35: "title" needs "at": its place in the record, with alternatives and type
    title: "title" ⟶ title: "'for {topci}'"
      16:35: nothing fills {topci}: it is not a value of this stream's requests; did you mean
        "topic"?
    title: "title" ⟶ title: { at: "title", sql: "load_extension(value)" }
      16:55: sql: the function load_extension() may not be used here; known here: abs, char,
        coalesce, glob, hex, ifnull, iif, instr, length, like, lower, ltrim, …
    list + keep: "titel <> ''"
      17:27: keep: "titel" is not known here; did you mean "title"?
    by: "number" ⟶ by: "numbers"
      11:20: by: "numbers" is not known here; did you mean "number"?
    by: "number", to ⟶ by: "cursor", to
      11:20: by: "cursor" is not known here; did you mean "token"?
    by: "number", to ⟶ to
      11:14: pages needs "by": number, offset, token, after, link, url, single
    by: "number", to: "?page", ⟶ by: "number",
      11:14: paging by number needs "to"
    by: "number", to: "?page", ⟶ by: "token", to: "?page",
      11:14: paging by token needs "next"
    by: "number", to: "?page",
    ⟶ by: "token", to: "page", next: "a",
      11:33: to: "page" is not a place in a request: "?page" is a query parameter, "body:page" a
        place in the body
    by: "number", to: "?page", ⟶ by: "link", to: "?page",
      11:32: "to" does not go with paging by link
    """#)
}
