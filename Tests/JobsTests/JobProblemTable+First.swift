/// Mistakes, with all messages for each.
extension JobProblemTable {
  static let first = read(
    #"""
    pages: { by ⟶ page: { by
      11:7: unknown key "page"; did you mean "pages"?
    records: "docs" ⟶ recrods: "docs"
      7:12: "found" needs "records": where the records are
      13:7: unknown key "recrods"; did you mean "records"?
    top + proxy: "x",
      2:18: unknown key "proxy": a job file cannot set a proxy; the environment of the user does
    top + atOnce: 33,
      2:26: atOnce must be from 1 to 32
    top + insecure: true,
      2:18: unknown key "insecure": a job file cannot switch off the check of certificates
    top + state_dir: "/tmp",
      2:18: unknown key "state_dir": a job file cannot say where data is kept; --data does
    top + token: "x",
      2:18: unknown key "token": a job file never holds a secret
    top + name: "b",
      2:18: the key "name" is here twice; the first is in line 2
    records: "docs",⏎      into ⟶ into
      7:12: "found" needs "records": where the records are
    name: "books" ⟶ name: 7
      2:9: name must be a job name, not a number
    key: ["id"],⏎      columns: { id: "id", title ⟶ key: "id",⏎      columns: { id: "id", title
      15:12: key must be a list: key: ["id"]
    size: "?n=10" ⟶ size: "?n"
      11:49: size: "?n" has no number: "?limit=100", or 100 where the API has one size
    size: "?n=10" ⟶ size: "?n=0"
      11:49: size: the size of a page is from 1 to 100000
    size: "?n=10" ⟶ size: 1.5
      11:49: size must be a whole number
    query: { q: "{topic}" } ⟶ query: { q: { of: "{topic}" } }
      9:19: "q" must be text, a number, or true or false, or a list of texts, not an object
    streams: { ⟶ streams: [], x: {
      6:12: streams must be an object of names, each with an object (Stream), not a list
      6:16: unknown key "x"; known here: name, use, was, about, terms, base, account, headers, auth,
        params, quotas, atOnce, …
    name: "books" ⟶ name: "Books"
      2:9: name: "Books" is not a job name: a small letter, then up to 63 small letters, digits or
        '-'
    name: "books" ⟶ name: "trawl-books"
      2:9: names that begin with trawl are Trawl's own
    title: "title" ⟶ Title: "title"
      16:28: columns: "Title" is not a valid table or column name: a small letter, then up to 62
        small letters, digits or '_'
    title: "title" ⟶ changed_at: "title"
      16:28: columns: Trawl itself keeps a column changed_at in every table
    title: "title" ⟶ order: "title"
      16:28: columns: "order" is a word of SQL that every query would have to quote; "order_" would
        do
    title: "title" ⟶ trawl_x: "title"
      16:28: columns: names that begin with trawl_ are Trawl's own
    list: "hits" ⟶ list: "Hits"
      17:13: list: "Hits" is not a valid table or column name: a small letter, then up to 62 small
        letters, digits or '_'
    "https://api.example.com/v1" ⟶ "ftp://api.example.com"
      3:9: base: a base begins with https:// or http://, not with ftp:
    "https://api.example.com/v1" ⟶ "https://api.example.com/v1?key=1"
      3:9: base: a base has no query; parameters belong under query of a stream
    "https://api.example.com/v1" ⟶ "https://me:pw@api.example.com/"
      3:9: base: a base holds no user name or password; declare a secret under auth
    "https://api.example.com/v1" ⟶ "api.example.com"
      3:9: base: "api.example.com" is not an http(s) URL, such as https://api.example.com/v1
    get: "/search" ⟶ get: "search"
      8:12: get: must be a path that begins with one '/'; it is added to base
    get: "/search" ⟶ get: "/search#q=1"
      8:12: get: a path has no '?' or '#'; parameters belong under query
    get: "/search" ⟶ get: "/a/../search"
      8:12: get: a path has no '.' or '..' parts
    get: "/search" ⟶ get: "/search/{topic?}"
      8:12: get: a hole of a path must have a value: {name}
    get: "/search" ⟶ get: "/search/{topic"
      8:12: get: a brace that is not closed; a brace itself is written {{ or }}
    get: "/search" ⟶ get: "/search/{q}"
      8:12: nothing fills {q}: no parameter, parent or window has that name; known here: topic
    q: "{topic}" ⟶ q: "{topc}"
      9:19: nothing fills {topc}: no parameter, parent or window has that name; did you mean
        "topic"?
    q: "{topic}" ⟶ q: "a{topic?}"
      9:19: "q": a hole that may be empty ({name?}) must be alone in its query parameter
    records: "docs" ⟶ records: "docs | items"
      13:16: records: only one path is allowed here, without alternatives
    records: "docs" ⟶ records: "docs..x"
      13:16: records: path "docs..x", character 6: a key expected before '.'; a key without
        characters is written ""
    "made as time" ⟶ "made as tiem"
      16:50: "made": unknown type "tiem"; did you mean "time"?
    "made as time" ⟶ "made as time in Mars/Olympus"
      16:50: "made": the time zone "Mars/Olympus" is not among the system's (/usr/share/zoneinfo)
    "[a-z ]{1,40}" ⟶ "[a-z"
      4:49: pattern: no POSIX extended regular expression: Unmatched [, [^, [:, [., or [=
    "[a-z ]{1,40}" ⟶ "(a{1,255}){1,255}"
      4:49: pattern: a pattern this nested or repeated costs too much
    default: ["sea"] ⟶ default: ["Sea"]
      4:32: topic: "Sea" cannot be used: small letters; it must match [a-z ]{1,40}
    default: ["sea"] ⟶ default: ["@fond"]
      4:32: topic: there is no stream "fond" whose stored list @ could mean; did you mean "found"?
        (a text that begins with @ is written @@)
    default: ["sea"] ⟶ default: ["@found.titel"]
      4:32: topic: the stream found has no column "titel"; did you mean "title"?
    per: "minute" ⟶ per: "fortnight"
      5:38: per: "fortnight" is not the window of a quota: "second", "minute", "hour", "day", a
        duration, or "day from 00:00 America/Los_Angeles"
    list + expect: "found.title"
      17:29: "expect" is a column of the record that the list is requested for; it needs "for"
    get: "/books/{id}", ⟶ get: "/books/{id}", pages: { by: "link" }, expect: "found.title",
      21:58: the column title is not a whole number; add " as integer" to its path
    get: "/books/{id}", ⟶ get: "/books/{id}", pages: { by: "link" }, expect: "found.titel",
      21:58: the stream found has no column "titel"; did you mean "title"?
    """#)
}
