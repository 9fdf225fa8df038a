internal import Base

/// trawl.json5(5): the format of job files. The keys come from the shapes that check a file.
public enum FormatManual {
  public static func text(version: String) -> String {
    var page = Roff.title("TRAWL.JSON5", 5, of: "trawl \(version)", in: "File Formats")
    page += Roff.section("NAME") + Roff.line("trawl.json5 - job files of trawl(1)")
    page += Roff.section("DESCRIPTION") + Roff.paragraphs(description)
    page += Roff.section("EXAMPLE") + Roff.line(aboutExample) + Roff.example(example)
    page += Roff.section("VALUES") + Roff.paragraphs(values)
    page += Roff.section("PATHS") + Roff.paragraphs(paths)
    page += Roff.section("COLUMNS") + Roff.paragraphs(columns)
    page += Roff.section("EXPRESSIONS") + Roff.paragraphs(expressions)
    for function in ExpressionRules.ownFunctions {
      page += Roff.term("\(function.name)(x)", function.about)
    }
    page += Roff.section("FEEDS") + Roff.paragraphs(feeds)
    page += Roff.section("ACCESS TOKENS") + Roff.paragraphs(tokens)
    page += Roff.section("KEYS") + JobShape.objects.map(part).joined()
    page += Roff.section("FILES")
    for file in files { page += Roff.term(file.name, file.about) }
    return page + Roff.section("SEE ALSO") + Roff.line("trawl(1), trawl-sandbox(1)")
  }

  private static func part(_ shape: ObjectShape) -> String {
    Roff.part(shape.name) + Roff.line(shape.about)
      + shape.keys.map { Roff.term($0.name, meaning(of: $0, in: shape)) }.joined()
  }

  private static func meaning(of key: KeyShape, in shape: ObjectShape) -> String {
    var text = Roff.sentence(key.about) + " Takes \(key.shape.words)."
    if key.isRequired {
      let isSpared = shape.standIn?.spared.contains(key.name) == true
      text += " Needed" + (isSpared ? ", or \(shape.standIn?.key ?? "")" : "") + "."
    } else if let without = key.without {
      text += " Without it: \(without)."
    }
    return text
  }

  private static let description = [
    """
    A job file describes one API: where it lives, how it is paged, what it limits, and which columns its \
    records become. It is JSON5: JSON with comments, names without quotes, and a comma behind the last \
    member. Its keys are closed: one that is not known is an error, and every mistake of a file is named \
    at once with its line and column, before anything is requested.
    """,
    """
    trawl run NAME looks for NAME.json5 in the folders below and then among the files that are compiled \
    in; a word with a slash in it, or one that ends in .json5, is a path. trawl check FILE reads a file \
    and says which proof of completeness each list can have; trawl try FILE shows one page as it would be \
    stored, and the members that no column takes.
    """,
    """
    A file with use instead of streams gives another job your own values: its \
    parameters, your plan's quotas, and tables under a name of its own.
    """,
  ]

  private static let aboutExample =
    "library.json5: books about a subject. Their rows go to library_books; library_found says which subject "
    + "returned which book."

  /// As in `jobs/README.md`.
  static let example = """
    {
      about: "Books about a subject, from Open Library",
      base: "https://openlibrary.org",
      params: { subject: { default: ["sailing"], about: "what the books are about" } },
      quotas: { gentle: { allow: 60, per: "minute" } },
      streams: {
        books: {
          get: "/search.json",
          query: { subject: "{subject}", fields: "key,title,author_name,first_publish_year" },
          pages: { by: "number", to: "?page", size: "?limit=100" },
          total: "numFound counted",
          records: "docs",
          key: ["work"],
          columns: [{ work: "key", author: "author_name.0" }, "title", "first_publish_year integer"],
          list: "found",
        },
      },
    }
    """

  private static let values = [
    """
    A parameter's value comes from its default, from settings of your own, or from --set NAME=VALUE. Each \
    value of a list is requested on its own. @stream means what that stream has stored, @stream.column \
    one of its other columns; a text that begins with @ is written @@.
    """,
    """
    In get and query a value is put into a hole: {user}. {user?}, alone in a query parameter, leaves the \
    parameter out where the value is empty. Values are percent-encoded. {{ and }} are braces.
    """,
  ]

  private static let paths = [
    """
    A path leads to a place in an answer: snippet.thumbnails.high.url, items.0.id (a number is a place in \
    a list), items[-1].id (the last one), links[rel=next].href (the one that says so), error.details.*.reason (* is \
    every entry), \"key.with.dots\".x, and . for the record itself. \
    a.b | c takes the first that has a value.
    """,
    """
    A column is a path, and a type may follow: year: \"first_publish_year as integer\", or, in a list, \
    \"first_publish_year integer\", which names its column. Types are text (where none is \
    said), integer, real, boolean, json, url, date and time; time(3) keeps milliseconds, and time in \
    Asia/Seoul says where values without a zone come from. A number that always changes is volatile (\"views integer \
    volatile\"): its values are kept in <table>_history, and the record does not count as changed.
    """,
    """
    In place of a path a column may be {user}, a value of the request, or position(), name() or digest(), which are \
    made of the record. The place is counted from 1: by offset and by numbered pages of one size from the place that \
    was requested, else by the records that came before it. A list whose key is the place alone is proven only by one \
    answer, or by offset: elsewhere nothing shows that a record moved.
    """,
  ]

  private static let columns = [
    """
    With \"*\" a member gets a column with its first value, in the transaction of that page. Objects are entered \
    (author: { name } becomes author_name), lists become JSON. Names are folded: fullName is full_name, order is \
    order_, a name of Trawl's own gets api_ in front, and a second member of one name gets a number.
    """,
    """
    Such columns are of type ANY: a value is stored as it comes, true and false as 1 and 0, a number that no double \
    holds exactly as text. So no record is rejected for one. The first values of a new column are no changes in the \
    run that makes it, nor where a later run resumes a walk of that run. After 200 columns further members go into \
    rest, a column of JSON, and so do names that are data and objects within a record with more than 50 members. The \
    copy for readers gives each column the type of its values.
    """,
    """
    The key must be there: without key it is id. One that no column declares is the member that its column would be \
    called after (product_id: ProductID). Columns that are named elsewhere in the file (order, window.on, \
    search, items) are declared beside \"*\".
    """,
  ]

  private static let expressions = [
    """
    sql of a column is an SQL expression over value, the text that was read; keep of a stream is one over \
    the columns, and a record for which it is false is dropped and counted. They hold no statement, no \
    subquery and no comment, and at most 1,000 bytes.
    """,
    "They may call, of SQLite: \(ExpressionRules.functions.joined(separator: ", ")); and of Trawl:",
  ]

  private static let feeds = [
    """
    With reads: \"feed\" RSS 2.0, RSS 1.0 and Atom are read as JSON of one shape: feed (kind: rss, rdf or atom; \
    id, title, summary, link, updated, language), next (the address of the next page, RFC 5005), totalResults, startIndex and itemsPerPage (numbers, as \
    OpenSearch has them) and items. An \
    item has id (guid, atom:id, rdf:about, else the link), title, link, published, updated, author, authors, \
    categories, summary, content, comments, image (a thumbnail, a podcast's cover, else the first picture among \
    the files) and enclosures (url, type, length).
    """,
    """
    Links are absolute. Markup in a text stays markup. A member that an entry does not have is missing; an entry \
    without id and link has no key (digest()). A feed that is not well-formed is refused with its line, \
    except for blank lines before it, anything after its end, names of HTML such as &nbsp;, and bytes that are \
    not UTF-8.
    """,
    """
    A feed shows its newest entries only, so it is a search: unproven, and nothing counts as gone. If its pages \
    lead to the first entry, kind: \"list\", pages: { by: \"url\", next: \"next\" } makes it a list.
    """,
  ]

  private static let tokens = [
    """
    An access token is held in memory only. It is requested before the first request, again before it lapses, \
    and once after a 401; a second refusal is a refused key (77). Secrets go only to the server of post, the token \
    only to that of base. Recordings hold neither.
    """,
    """
    A secret that rotates is spent by its use. The next one is written to disk, under a lock that all runs share, \
    before the token is used: in place of the key in your folder, or as NAME.next in keys of the state folder if \
    the first came from systemd or a variable. Declare rotates before the first request: trawl try spends the \
    secret, too. If a run is killed before the answer came, the next run tries the old secret, and else ends with \
    77: trawl key JOB.
    """,
  ]

  private static let files: [(name: String, about: String)] = [
    ("~/.config/trawl/jobs", "files of your own ($XDG_CONFIG_HOME/trawl/jobs where that is set)"),
    ("/etc/trawl/jobs", "files for all, and for the timers"),
    ("/usr/share/trawl/jobs", "those that ship, to read; they are compiled in"),
    ("/usr/share/trawl/jobs/job.schema.json", "the keys as a JSON Schema, for editors"),
  ]
}
