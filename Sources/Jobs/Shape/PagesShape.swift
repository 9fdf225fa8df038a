/// The keys that say how a list is paged.
enum PagesShape {
  static let pages = ObjectShape(
    "Pages", "How the list is paged.",
    [
      KeyShape(
        "by", .text(.choice(["number", "offset", "token", "link", "url", "single"])),
        isRequired: true,
        "`number`: page=1, 2, …; `offset`: in records; `token`: the answer names the next one;"
          + " `link`: the header `Link`; `url`: the body names the next URL; `single`: one answer"),
      KeyShape("param", .text(.queryName), "the query parameter of the number, offset or token"),
      KeyShape(
        "first", .either([.integer(0...1), .text(.line(mayBeEmpty: false))]),
        without: "1; of tokens: none is sent",
        "what page 1 is requested with: the number of the first page, or a first token (`*`)"),
      KeyShape("next", .text(.path), "where the answer's body names the next token or URL"),
      KeyShape(
        "header", .text(.headerName),
        "the header field of the answer that names the next token, in place of `next`"),
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
        "life", .text(.duration), without: "1h", "how long a token stays valid in a later run"),
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
      KeyShape("param", .text(.queryName), isRequired: true, "the query parameter"),
      KeyShape("value", .integer(1...100_000), isRequired: true, "records per page"),
    ])
}
