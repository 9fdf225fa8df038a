internal import Base

enum StreamShape {
  static let stream = ObjectShape(
    "Stream", "One kind of list; its records fill a table.", request + mapping + meaning,
    standIn: ("sameAs", SameAs.keys))

  private static let request: [KeyShape] = [
    KeyShape(
      "was", .text(.name),
      "what the stream was called before: its lists and all that is known of them go on under the new"
        + " name"),
    KeyShape("about", .text(.line(mayBeEmpty: true)), "one line for a person"),
    KeyShape(
      "get", .text(.requestPath),
      "the path behind the base, and a query if it is short; `{name}` is filled with a parameter's or a parent's value, and"
        + " `{image/}` keeps the slashes of it (`library/alpine`)"),
    KeyShape(
      "post", .text(.requestPath),
      "in place of `get`: it is asked by POST, a question that changes nothing and may be asked twice"
    ),
    KeyShape(
      "body", .value,
      without: "an empty one; where pages are requested in it, an object that holds nothing else",
      "with `post`: the body, as JSON; `{name}` in its texts is filled as in `query`, and a text that is"
        + " `{name as integer}` (`real`, `boolean`) becomes such a value. A `query` with"
        + " braces within braces is GraphQL: it is sent as it is, and an answer with `errors` is"
        + " no page"),
    KeyShape(
      "form", .map(key: .line(mayBeEmpty: false), .scalar(.template), count: JobShape.namesMax),
      "with `post`: the body, as a form"),
    KeyShape(
      "query",
      .map(
        key: .queryName, .oneOrList(.scalar(.template), count: 1...50), count: JobShape.namesMax),
      "query parameters; `{name?}` leaves the parameter out when the value is empty, and a list sends it"
        + " once for each value (`\"fields[]\": [\"a\", \"b\"]`)"),
    KeyShape(
      "headers", .map(key: .headerName, .scalar(.headerTemplate), count: JobShape.namesMax),
      "header fields of this stream's requests; `{name}` is filled as in `query`"),
    KeyShape(
      "reads", .text(.choice(["json", "feed", "columns"])), without: "json",
      "`feed`: its answers are RSS or Atom, read as the JSON of one shape (see Feeds). Only the newest"
        + " entries are there, so that it is a `search`, unless `pages` lead to the first one and `kind`"
        + " says `list`; a total is `totalResults`. `columns`: `records` leads to an object of lists, one for each member of the records"
        + " (`{ id: [1, 2], name: [\"a\", \"b\"] }` is two)"),
    JobShape.spends,
    JobShape.errors("as the job's, which follow; of this stream alone"),
    KeyShape(
      "for", .object(feed), without: "requested once", "requested once for each record of another"),
    KeyShape(
      "kind", .text(.choice(["list", "search"])), without: "list",
      "`list`: what is in it can be known; `search`: answers that are ranked or sampled, of which"
        + " nothing shows that they are all"),
    KeyShape(
      "pages", .object(PagesShape.pages),
      without:
        "one answer, and nothing shows that it is all: `{ by: \"single\" }` says so, and is a proof",
      "how the list is paged"),
    KeyShape(
      "order", .text(.order), without: "no proof rests on an order",
      "how the API sorts the list, where it promises to: by a column of the key (`id falling`) that is"
        + " unique and never changes, or by a time that only grows (`changed_at rising`). By a falling time, newest"
        + " first, a later run stops at what is complete, unless `vanish` looks for what is gone; a list that one"
        + " reading does not prove is read twice the first time"),
    KeyShape(
      "prove", .text(.choice(Self.provings.map(\.word))),
      without: "a quiet list is proven on its second night, or its third",
      "how often a list that one walk cannot prove is walked twice in one run, so that a busy one has a"
        + " proof at least so often"),
    KeyShape(
      "total", .text(.total),
      "where an answer states the length of the whole list, and what that says (`meta.total counted`,"
        + " `header:X-Total-Count counted`). `counted`: it equals the records of the list, and must; `steady`: it"
        + " changes whenever a record comes or goes, though it may count others too; `estimate`: a tenth more than"
        + " what came means that the API stopped early; `none`: it says nothing, and is only shown"),
    unread,
    KeyShape(
      "cap", .either([.integer(1...1_000_000_000), .text(.cap)]),
      "where the API itself ends every list: the records that it gives at most; `4999 doubt 4900`: from 4,900 on an end"
        + " is not trusted; `25 expected: WHY`: the list is its first 25 by nature, so that to end there is a success"
    ),
    KeyShape(
      "expect", .text(.each),
      "with `for`: the column of the parent that counts the list (`shelf.books`); about so"
        + " many are expected, and none, or far fewer, are not believed"),
    KeyShape("window", .object(window), "how the list is cut by time"),
    KeyShape(
      "conditional", .boolean, without: "true; with `post` false",
      "whether a page is requested with the ETag or the date of its stored answer, where there is one, so that an"
        + " unchanged one costs less; false where the API's own are wrong"),
  ]

  static let provings = [("daily", 1), ("weekly", 7), ("monthly", 30)].map { word, days in
    (word: word, every: Duration.seconds(days * 86_400))
  }

  private static let unread = KeyShape(
    "unread", .list(.text(.answerPlace), count: 1...20),
    without: "such a sign is reported, and denies a proof",
    "what answers say of more pages or of a length, beside what is declared, and what the job knows to"
      + " be nothing: paths in the body, `header:X-Next`, or `status`")

  private static let mapping: [KeyShape] = [
    KeyShape(
      "sameAs", .text(.name), without: "the stream says all itself",
      "another stream with the same records: what is not said here of `reads`, `records`, `into`,"
        + " `key`, `columns`, `keep`, `children`, `media`, `items` and `search` is as there"),
    KeyShape(
      "records", .text(.path), isRequired: true,
      "where the records are; an object there is one record, `.` is the whole answer"),
    KeyShape(
      "into", .text(.sqlName), without: "the stream's name",
      "the table, without the job's name: `users` of the job `my-api` gives `my_api_users`"),
    KeyShape(
      "key", .list(.text(.sqlName), count: 1...8), without: "id",
      "the columns that identify a record: the API's own; beside `\"*\"` one that is not declared is the member that"
        + " would have this column (`product_id` of `ProductID`)"),
    KeyShape(
      "columns", columns(count: 1...200, orAll: true), isRequired: true,
      "what is stored of a record: a list of places with types (`\"created_at time\"`), which name their columns"
        + " (`owner.login` gives `owner_login`); or an object of column name to place, also within such a list."
        + " `\"*\"`, alone or in the list: every member of the records has a column from its first value on (see"
        + " Columns)"),
    KeyShape(
      "keep", .text(.sql), without: "every record",
      "an SQL expression over the columns; a record for which it is false is dropped and counted"),
    KeyShape(
      "inserts", .boolean,
      without: "true; with `for`: only if no stream without `for` fills the table",
      "whether it adds new records to the table, or only fills columns of existing ones"),
    KeyShape(
      "list", .either([.text(.sqlName), .object(list)]), without: "not kept",
      "the table that says which list returned which record: its name alone (its columns are then"
        + " the parameters of the request), or an object"),
    KeyShape(
      "children", .map(key: .sqlName, .object(child), count: 0...10),
      "nested lists that fill tables of their own"),
    KeyShape(
      "media", .map(key: .sqlName, .either([.text(.image), .object(role)]), count: 0...10),
      "images of a record: what the image is, and the column that holds its URL"),
  ]

  private static let meaning: [KeyShape] = [
    KeyShape(
      "vanish", .either([.text(.choice(["mark", "keep"])), .object(VanishShape.confirm)]),
      without: "keep",
      "what becomes of what a complete list no longer holds: `mark` sets `vanished_at`; not with a"
        + " total that is an estimate; an object marks too, and says how one record is asked for"),
    KeyShape("items", .object(items), "what a record offers to the view `items`"),
    KeyShape(
      "search", .list(.text(.sqlName), count: 1...20), without: "not searched",
      "columns for `trawl search`"),
    JobShape.retain,
    KeyShape(
      "feed", .boolean, without: "false",
      "whether its tables have an index of their changes, for programs that keep copies by"
        + " `trawl sql --changes`: they read what changed, and not the table; a change costs more"),
    KeyShape(
      "listName", .text(.template), without: "the stream's name and the parameters",
      "what the list is called in `trawl_trust`: `members of {team}`"),
    KeyShape(
      "emptyHint", .text(.line(mayBeEmpty: false)),
      "a hint that is shown when the list is complete and empty"),
  ]

  private static let feed = ObjectShape(
    "For", "A stream that is requested once for each record of another.",
    [
      KeyShape(
        "each", .text(.each), isRequired: true,
        "`stream.column`: its values fill the hole `{column}`, and holes with names of other columns are filled from the same"
          + " record; `favorites.column` means the favorites of this stream's table"),
      KeyShape(
        "when", .text(.when), without: "new",
        "`new`: each once; `changed`: again when its record changed; `stale 7d`: again when the"
          + " answer is older; `run`: those that this run requested; `all`: every one in every run"),
      KeyShape(
        "batch", .integer(1...1_000), without: "1",
        "how many values go into one request, joined by commas"),
    ])

  private static let window = ObjectShape(
    "Window", "How the list is cut by time, for backfills and for asking only what is new.",
    [
      KeyShape(
        "from", .text(.requestPlace), without: "the hole `{from}`",
        "where the request takes the beginning: `?since`, or with `post` `body:variables.since`"),
      KeyShape("to", .text(.requestPlace), without: "the hole `{to}`", "that of the end"),
      KeyShape(
        "form", .text(.windowForm), without: "time",
        "`time`: 2026-01-31T00:00:00Z; `time(3)`: with thousandths; `date`: 2026-01-31; `seconds` and"
          + " `milliseconds` since 1970; `plain in UTC`: 2026-01-31 00:00:00; `compact`: 20260131. `date in UTC`,"
          + " `compact in America/New_York` say where the API has its days; else a day more is asked for at both ends"
      ),
      KeyShape(
        "on", .text(.sqlName), without: "the records do not hold it",
        "the column that holds the time of a record"),
      KeyShape(
        "overlap", .text(.duration), without: "0s",
        "how far a run goes back behind the last certified end"),
      KeyShape(
        "step", .text(.duration),
        without: "a time may lie between any two, and windows share an end",
        "the finest step of the API's filter and of its times: `1s`, where none has a fraction"),
      KeyShape("reach", .text(.duration), without: "for ever", "how far back the API answers"),
      KeyShape("delay", .text(.duration), without: "0s", "how late records are listed"),
      KeyShape(
        "begin", .text(.choice(["inside", "outside"])), without: "inside",
        "whether the API counts the beginning itself as inside; if not, each request begins a step earlier"
      ),
      KeyShape(
        "end", .text(.choice(["inside", "outside"])), without: "inside",
        "whether the API counts the end itself as inside"),
    ])

  private static let list = ObjectShape(
    "List", "The table that says which list returned which record.",
    [
      KeyShape("table", .text(.sqlName), isRequired: true, "its name, without the job's"),
      KeyShape(
        "columns", .map(key: .sqlName, column, count: 0...20),
        without: "the parameters of the request", "what distinguishes this list from others"),
      KeyShape(
        "names", .map(key: .sqlName, .text(.sqlName), count: 1...8), without: "as in the record",
        "what the record's key columns are called there: `{ id: \"follower_id\" }`"),
    ])

  private static let child = ObjectShape(
    "Child", "A nested list that fills a table of its own.",
    [
      KeyShape("records", .text(.path), isRequired: true, "its place in the record"),
      KeyShape(
        "key", .list(.text(.sqlName), count: 1...8), without: "id",
        "the columns that identify an entry within its record"),
      KeyShape(
        "columns", columns(count: 1...100), isRequired: true,
        "what is stored of an entry: a list of places with types, or column name to place"),
      KeyShape(
        "parent", .map(key: .sqlName, .text(.sqlName), count: 1...8), without: "as in the record",
        "what the record's key columns are called there: `{ id: \"product_id\" }`"),
      KeyShape(
        "shared", .boolean, without: "false",
        "whether many records may hold the same entry, which is then a record of its own"),
    ])

  private static let role = ObjectShape(
    "Image", "An image of a record.",
    [
      KeyShape(
        "url", .text(.image), isRequired: true,
        "the column that holds its URL; `cover_url?w=120` sets a parameter of it before it is fetched"
      ),
      KeyShape(
        "identity", .list(.text(.sqlName), count: 1...8), without: "the URL",
        "columns that identify the image where its URL changes on each call"),
    ])

  private static let items = ObjectShape(
    "Items", "Columns for the view `items` over all jobs.",
    ["title", "summary", "link", "image", "published_at"].map {
      $0 == "link"
        ? KeyShape(
          $0, .text(.link),
          "the column that is its link, or an address made of columns: `https://example.com/{id}`")
        : KeyShape($0, .text(.sqlName), "the column that is its \($0)")
    })

  private static func columns(count: ClosedRange<Int>, orAll: Bool = false) -> Shape {
    let named = Shape.map(key: .sqlName, column, count: count)
    let all = orAll ? [Shape.text(.choice([Defaults.all]))] : []
    return .either(all + [.list(.either([.text(.listedColumn), named]), count: count), named])
  }

  /// A column of a record, a list or a child.
  static let column = Shape.either([
    .text(.typedPath),
    .object(
      ObjectShape(
        "Column",
        "One column, with more than its place.",
        [
          KeyShape(
            "at", .text(.typedPath), isRequired: true,
            "its place in the record, with alternatives and type; or `{name}`, a value of the request: a"
              + " parameter, a parent's column, or `host` (the API's own); `'books'`, the same for every record, also with"
              + " such values (`'list {name}'`); `position()`: the place of the record in"
              + " its list, from 1; `name()`: what the record is called, where `records` ends in `*` and leads to the"
              + " members of an object; `digest()`: a digest of the whole record, as a key for records that have"
              + " none; equal ones are one"),
          KeyShape(
            "sql", .text(.sql), "an SQL expression over `value` that is applied to what was read"),
          KeyShape(
            "matches", .text(.name),
            "the value of the request that it must be, but for capitals: a record of another is a"
              + " reject"),
          KeyShape(
            "absent", .list(.scalar(.line(mayBeEmpty: true)), count: 1...20),
            without: "only null, and dates like 0000-00-00",
            "texts and numbers that mean that there is no value, such as \"\", \"N/A\" or 0"),
        ])),
  ])
}
