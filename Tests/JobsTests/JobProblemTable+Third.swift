/// Still more mistakes.
extension JobProblemTable {
  static let third = read(
    #"""
    top + was: "books",
      2:23: "books" is the job's name: "was" names what it was called before
    query: { q: "{topic}" } ⟶ query: { q: "{topic}", api_key: "abc123" }
      9:39: a job file never holds a secret: write auth: { to: "…", secret: "NAME" } in place of
        api_key, and store the secret with trawl key; who has read this file may have it, so get a
        new one
    top + headers: { "X-Api-Key": "abcdef123" },
      2:42: a job file never holds a secret: write auth: { to: "…", secret: "NAME" } in place of
        X-Api-Key, and store the secret with trawl key; who has read this file may have it, so get a
        new one
    get: "/search",⏎      query: { q ⟶ post: "/search", body: { key: "customfield_10016_x", in: [{ password: "abcdef" }], hasPassword: true, q
      8:77: a job file never holds a secret: write auth: { to: "…", secret: "NAME" } in place of
        password, and store the secret with trawl key; who has read this file may have it, so get a
        new one
    query: { q: "{topic}" } ⟶ query: { q: "{topic}", page: 1 }
      9:36: "page" is set by pages.to already; one of the two must go
    columns: { id: "id", pages: "pages as integer" }
    ⟶ columns: { id: "id as integer", pages: "pages as integer" }
      25:22: the stream found gives the column id another type; streams of one table agree on it
    pages: "pages as integer" } ⟶ title: "full" }
      25:35: the stream found fills the column title, too, and each would write over the other's
        value: read it once, where it is whole, or name it differently here
    get: "/books/{id}", ⟶ get: "/books/{id}", inserts: "no",
      21:36: inserts must be true or false, not text
    list + inserts: false
      14:13: no stream adds new records to the table books; one of them needs inserts: true
    top + auth: { secret: "k" },
      2:24: auth needs "to": where a request carries it: `header:X-Api-Key`, `header:Authorization
        Bearer {secret}`, `?api_key` or `basic`
    top + auth: [{ to: "header:K", secret: "../k" }, { to: "basic {topic}:{secret}", secret: "k" }],
      2:51: secret: "../k" cannot be the name of a secret: letters, digits, '_', '-' and '.'; a
        variable follows it ("shop-key $SHOP_KEY")
    top + auth: [{ to: "basic {nope}:{secret}", secret: "k" }],
      2:31: nothing fills {nope}: no parameter has that name; known here: topic
    top + auth: { to: "header:K", secret: "../k" },
      2:50: secret: "../k" cannot be the name of a secret: letters, digits, '_', '-' and '.'; a
        variable follows it ("shop-key $SHOP_KEY")
    top + headers: { Authorization: "Bearer x" },
      2:29: headers: the header "Authorization" cannot be set here: a job file never holds a secret;
        declare it under auth
    top + headers: { "X-A": "a\nb" },
      2:36: "X-A": control characters and line ends have no place here
    top + errors: [{ status: 429, then: "wait" }],
      2:48: then: "wait" is not known here; known here: retry, defer, fatal, key, skip, end, empty,
        restart, gap, cap
    top + errors: [{ status: 999, then: "skip" }],
      2:37: status must be from 100 to 599
    top + errors: [{ then: "skip" }],
      2:27: the rule has no condition: add "status" or "is"
    top + errors: [{ where: "a", then: "skip" }],
      2:36: the rule looks somewhere but for nothing: add "is" ("*" is any)
    top + errors: [{ status: 429, then: "skip calls" }],
      2:48: then: "retry" may be followed by a wait, "defer" by a quota and a wait, as in "defer day
        1h"
    top + errors: [{ status: 429, then: "defer call" }],
      2:48: there is no quota "call"; did you mean "calls"?
    top + health: "/up/{topic}",
      2:26: health: it is made before there are any values: no holes
    top + health: { get: "/up" },
      2:26: health must be a path, and what the body must say ("/health OK"), not an object
    top + media: { limit: "5 GB" },
      2:34: limit: "5 GB" is not a size ("20MB", "5GB")
    top + terms: "",
      2:25: terms: the text is empty
    details: { ⟶ favorites: {
      19:16: the name "favorites" is taken: it means a table's favorites
    found: {⏎      get: "/search",
    ⟶ found: {⏎      for: { each: "details.pages" },⏎      get: "/search/{pages}",
      8:20: the streams wait for each other in a circle; none can begin
      21:20: the streams wait for each other in a circle; none can begin
    each: "found.id" ⟶ each: "favorites.pages"
      20:20: favorites are kept by the first column of the key; write "favorites.id"
    when: "changed" }, ⟶ when: "changed", batch: 10 }, query: { t: "{title}" },
      20:56: {title} is of one record of found; it does not go with "batch"
    when: "changed" }, ⟶ when: "changed", batch: 5 }, list: "shelf",
      20:67: in a batch it is unknown which {id} returned a record; declare the "columns" of the
        list, or remove the batch
    for: { each: "found.id", when: "changed" },⏎      get: "/books/{id}",⏎      records: ".",⏎      into: "books",⏎      key: ["id"],⏎      columns: { id: "id", pages
    ⟶ for: { each: "found.id", batch: 5 },⏎      get: "/books/{id}", records: "items", key: ["pages", "made"],⏎      columns: { made: "made", pages
      20:39: in a batch each record must name the {id} that it answers, in a column "id" or as its
        only key: else nothing shows what is missing
    list + window: { from: "?q", on: "made" }
      9:19: "q" is set by window.from already; one of the two must go
    list + window: { from: "?f", form: "time in UTC" }
      17:49: form: only days take a time zone ("date in ZONE", "compact in ZONE"); times are
        requested in UTC
    list + window: { from: "?f", form: "date in Mars/Olympus" }
      17:49: form: the time zone "Mars/Olympus" is not among the system's (/usr/share/zoneinfo)
    list + window: { from: "?f", overlap: "1d" }
      17:52: an overlap goes back in time; it needs "on"
    allow: 10 ⟶ allow: 10, allowWithoutKey: 5
      5:50: there is no secret to go without: no "auth"
    allow: 10 ⟶ allow: 10, burst: 11
      5:40: "burst" is more than the quota ever holds (10)
    default: ["sea"] ⟶ default: [["sea"]]
      4:32: each entry of default must be text, a number, or true or false, not a list
    streams: { ⟶ streams: {,
      6:13: expected a key or '}', found ','
    columns: { id: "id", pages ⟶ columns: { id: "id as text volatile", pages
      24:13: a volatile column cannot be part of the key
      25:22: the stream found gives the column id another type; streams of one table agree on it
    columns: { id: "id", title: "title" ⟶ columns: { id: "id as real", title: "title"
      15:13: a column of type real or json cannot be part of the key
      20:20: {id} is a real number, which has more than one spelling; let its column be text or
        integer
      25:22: the stream found gives the column id another type; streams of one table agree on it
    get: "/books/{id}", ⟶ get: "/books/{id}", list: { table: "hits", columns: { x: "'y'" } },
      21:33: the stream found fills the list hits with other columns: id text, topic text there, id
        text, x text here
    get: "/books/{id}",
    ⟶ get: "/books/{id}",
    children: { tags: { records: "t", shared: true, parent: { id: "b" }, key: ["n"], columns: { n: "." } } },
      21:83: an entry that many records share has no parent; take "parent" away
    get: "/books/{id}",
    ⟶ get: "/books/{id}",
    children: { hits: { records: "t", parent: { id: "b" }, key: ["n"], columns: { n: "." } } },
      21:45: the table hits holds a list already and cannot hold nested entries
    list + vanish: "delete"
      17:29: vanish: "delete" is not known here; known here: mark, keep
    total: "count counted" ⟶ total: "count estimate", vanish: "mark"
      12:40: vanish: nothing is ever marked in a list whose total is an estimate; leave the total
        out, so that its pages alone decide the end, or leave out vanish
    list + conditional: 1
      17:34: conditional must be true or false, not a number
    for: { each: "found.id", when: "changed" },
    ⟶ for: { each: "found.id", batch: 5 }, window: { from: "?since" },
      20:39: a window is of one record's list: it does not go with a "batch" of several
    get: "/books/{id}", ⟶ get: "/books/{id}", window: { from: "body:since" },
      21:43: "body:…" is a place in a body: it needs "post"
    get: "/books/{id}",
    ⟶ post: "/books/{id}", form: { a: 1 }, window: { from: "body:since", to: "?until" },
      21:60: the ends of a window go together: both into the query, or both into the body
    for: { each: "found.id", when: "changed" },
    ⟶ for: { each: "found.id", batch: 5 }, reads: "feed", kind: "list",
      20:39: a feed is of one record: it does not go with a "batch" of several
      20:65: a feed shows its newest entries alone; only one whose pages lead to the first entry is
        a list: pages: { by: "url", next: "next" }
    list + reads: "feed", vanish: "mark"
      17:44: vanish: an entry that has left a feed is not gone
    get: "/books/{id}", ⟶ get: "/books/{id}?n=1", query: { n: "2" },
      21:43: "n" follows the path already; one of the two must go
    list + emptyHint: ""
      17:32: emptyHint: the text is empty
    list + was: "found"
      17:26: "found" is the stream's name: "was" names what it was called before
    list + was: "details"
      17:26: "details" is another stream of the job
    params: { ⟶ params: { id: {},
      20:12: "id" is a parameter as well as a column of found: {id} would be both
    for: { each: "found.id", when: "changed" }, ⟶ for: { each: "found.id", when: "changed" },
    expect: "found.id",
      20:59: single answers have no length; "expect" goes with lists that have pages
      20:59: the column id is not a whole number; add " as integer" to its path
    query: { q: "{topic}" } ⟶ query: { q: "{topic}", f: "{from}" }, window: { from: "?s" }
      9:61: the query has {from} already; one of the two must go
    list + window: { from: "?f", step: "0s" }
      17:49: the step must be more than nothing
    list + window: { from: "?f", form: "mont" }
      17:49: form: "mont" is not known here; known here: time, time(3), date, seconds, milliseconds,
        plain in UTC, compact
    list + kind: "search", prove: "weekly"
      17:44: prove: a search has no proof, however often it is read
    list: "hits" ⟶ list: "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh"
      17:13: the name books_hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh is too long: 55
        letters are the most
    top + publish: "~/x.db",
      2:27: publish: "~/x.db" is not a path of a file for readers, such as /srv/readers.db
    get: "/books/{id}", ⟶ get: "/books/{id}", children: { tags: { records: "t", key: ["a", "b", "c",
    "d", "e", "f", "g", "h", "i"], columns: ["a", "b", "c", "d", "e", "f", "g", "h", "i"] } },
      21:66: key has 9 entries; at most 8 are taken
    list + media: { cover: { url: "cover", identity: ["x"] } }
      17:64: media: there is no column "x"; known here: id, title, made, cover
    cover: "cover as url" } ⟶ cover: "cover as url", size: "size as real" }, media: { cover: { url:
    "cover", identity: ["id", "size"] } }
      16:162: media: a column of type real cannot identify an image
    cover: "cover as url" } ⟶ cover: "cover as url", cover_path: "p" }, media: { cover: "cover" }
      16:124: media: the view of images would have two columns cover_path; rename one
    get: "/search", ⟶ post: "/search", conditional: true, body: {}, form: { a: 1 },
      8:37: "conditional" does not go with POST: its answers have no ETag
      8:59: a request has one body: "body" or "form"
    top + auth: { to: "header:X", secret: "ghp_0123456789abcdefghij0123456789abcdef" },
      2:50: secret: this is a secret itself: write a name here, and store it with trawl key; who has
        read this file may have read it, so get a new one
    records: "docs", ⟶ records: "docs.*", reads: "columns",
      13:16: the lists of "columns" are in one object; "*" leads to many
    details: { ⟶ third: { sameAs: "details", get: "/x" }, fourth: { sameAs: "third", get: "/y" },
    details: {
      19:64: sameAs: the stream third is itself the same as another; name that one instead
    title: "title" ⟶ title: "a|b|c|d|e|f|g|h|i"
      16:35: "title": at most 8 alternatives
    columns: { id: "id", pages: "pages as integer" } ⟶ columns: ["id", "'x'"]
      25:23: each entry of columns: a column of a fixed text needs a name: { NAME: "'x'" }
    get: "/books/{id}", ⟶ get: "/books/{id}", children: { tags: { records: "t", key: ["m"], columns:
    { n: "." } } },
      21:67: the key names "m", which is not a column of tags; known here: n
    streams: { ⟶ streams: { a: { get: "/a", records: ".", columns: ["id"], children: { tags: {
    records: "t", key: ["n"], columns: ["n"] } } }, b: { get: "/b", records: ".", columns: ["id"],
    children: { tags: { records: "t", key: ["m"], columns: ["m"] } }, into: "a" },
      6:194: the stream a fills the table tags with another key or other columns
    list + errors: [{ where: "a | b", is: "*", then: "retry" }]
      17:39: where: only one path is allowed here, without alternatives
    get: "/search", ⟶ get: "/sea rch",
      8:12: get: a path holds no blanks, control characters or backslashes
    allow: 10 ⟶ allow: -Infinit
      5:30: expected a value, found 'Infinit'; text must be in quotes
    top + auth: [{ to: "header:K", secret: { a: "a" }, token: { post: "/token", form: { k: "{a}" } }
    }, { to: "header:K", secret: { b: "b" }, token: { post: "/token", form: { k: "{b}" } } }],
      2:112: a job requests one access token
    top + auth: { to: "basic {secret}:x", secret: { k: "k" }, token: { post: "/token", form: { k:
    "{k}" } } },
      2:30: an access token goes into a header or a query, not into Basic
    """#)
}
