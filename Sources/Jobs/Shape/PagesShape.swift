/// The keys that say how a list is paged.
enum PagesShape {
  static let pages = ObjectShape(
    "Pages", "How the list is paged.",
    [
      KeyShape(
        "by", .text(.choice(kinds.map(\.word))), isRequired: true,
        "`number`: page=1, 2, …; `offset`: in records; `token`: the answer names the next one;"
          + " `after`: the last record names it; `link`: the header `Link`; `url`: the answer names"
          + " the next URL; `single`: one answer"),
      KeyShape(
        "param", .text(.queryName),
        "the query parameter of the number, the offset, the token or the last record's value"),
      KeyShape(
        "in", .text(.path),
        "with `post`: the place in the body that takes it, in place of `param` (`variables.after`)"),
      KeyShape(
        "first", .either([.integer(0...1), .text(.line(mayBeEmpty: false))]),
        without: "1; of tokens: none is sent",
        "what page 1 is requested with: the number of the first page, or a first token (`*`)"),
      KeyShape(
        "next", .either([.text(.path), .object(next)]),
        "where the answer names the next token or URL: its place in the body, or an object"),
      KeyShape(
        "last", .either([.text(.sqlName), .object(last)]),
        "by `after`: the column whose value in the last record names the next page; of numbers and"
          + " URLs an object: where an answer names the last page, which serves the proof `ends`"),
      KeyShape("size", .object(size), "the page size to ask for"),
      KeyShape(
        "more", .either([.text(.paths), .object(flag)]),
        "a flag in the answer that says whether more pages follow; where it says no, the list ends"
          + " there, though a next page is named"),
      KeyShape(
        "ends", .list(.scalar(.line(mayBeEmpty: true)), count: 1...20),
        without: "null, false, an empty text, or none",
        "tokens that say that there is no next page, such as `0`"),
      KeyShape(
        "repeats", .text(.choice(["end"])), without: "a loop, and a failure",
        "`end`: an answer that names the token it was requested with is the last one"),
      KeyShape(
        "empty", .text(.choice(["end"])), without: "the list goes on behind it",
        "`end`: an answer without records is the last one, though it names a next page"),
      KeyShape(
        "life", .text(.duration), without: "1h", "how long a token stays valid in a later run"),
    ])

  /// What goes with which way of paging.
  static let kinds: [(word: String, needed: [String], allowed: [String])] = [
    ("number", ["param"], ["in", "first", "last"]), ("offset", ["param"], ["in"]),
    ("token", ["next"], ["param", "in", "first", "ends", "repeats", "empty", "life"]),
    ("after", ["param", "last"], ["in", "first", "life"]), ("link", [], ["empty", "life"]),
    ("url", ["next"], ["last", "empty", "life"]), ("single", [], []),
  ]

  private static let next = ObjectShape(
    "Next", "A next page that is not named by one place in the body.",
    [
      KeyShape("header", .text(.headerName), "the header field of the answer that names it"),
      KeyShape(
        "each", .text(.path),
        "by `token`: an object whose members all go with the next request, as they are called there"
      ),
      KeyShape(
        "among", .text(.path),
        "a list of links, of which one is chosen: `{ among: \"links\", where: \"rel\", is: \"next\","
          + " take: \"href\" }`"),
      KeyShape("where", .text(.path), "the member of such a link that tells which one it is"),
      KeyShape("is", .text(.line(mayBeEmpty: false)), "what it says of the next page"),
      KeyShape("take", .text(.path), "the member that holds the URL or the token"),
    ])

  private static let last = ObjectShape(
    "Last", "Where an answer names the last page, by its number or its URL.",
    [
      KeyShape("at", .text(.paths), "its place in the body"),
      KeyShape("header", .text(.headerName), "its header field"),
    ])

  private static let flag = ObjectShape(
    "Flag", "A flag, and the sense in which it is meant.",
    [
      KeyShape("at", .text(.paths), isRequired: true, "its place in the answer"),
      KeyShape(
        "is", .boolean, isRequired: true,
        "what it says while more pages follow: false for a flag that says that this is the end"),
    ])

  private static let size = ObjectShape(
    "Size", "The page size to ask for.",
    [
      KeyShape(
        "param", .text(.queryName), without: "the API has one size, and is not asked for another",
        "the query parameter"),
      KeyShape("in", .text(.path), "with `post`: the place in the body, in place of `param`"),
      KeyShape("value", .integer(1...100_000), isRequired: true, "records per page"),
    ])
}
