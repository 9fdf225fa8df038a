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
        "to", .text(.requestPlace),
        "where the request takes the number, the offset, the token or the last record's value: `?page`, or with `post`"
          + " `body:variables.after`"),
      KeyShape(
        "first", .either([.integer(0...1), .text(.line(mayBeEmpty: false))]),
        without: "1; of tokens: none is sent",
        "what page 1 is requested with: the number of the first page, `none` where the API counts from 0 and page 1 is"
          + " requested without it, or a first token (`*`)"),
      KeyShape(
        "next", .text(.nextPlace),
        "where the answer names the next token or URL: `meta.next`, `header:X-Next`, `links[rel=next].href`; by `token`"
          + " also `continue.*`: all members of an object go with the next request, as they are called there; by `after`"
          + " the column whose value in the last record names the next page"),
      KeyShape(
        "lastPage", .text(.answerPlace),
        "of numbers and URLs: where an answer names the last page, which serves the proof `ends`"),
      KeyShape(
        "size", .either([.text(.requestSize), .integer(PlaceText.sizes)]),
        "the page size, and where the request takes it: `?size=100`, `body:variables.first=50`; a number alone where"
          + " the API has one size, and is not asked for another"),
      KeyShape(
        "more", .text(.flag),
        "a flag in the answer that says whether more pages follow (`has_more`, `not end_of_stream`); where it says no,"
          + " the list ends there, though a next page is named"),
      KeyShape(
        "stops", .oneOrList(.scalar(.line(mayBeEmpty: true)), count: 1...20),
        without: "null, false, an empty text, or none",
        "what says that there is no next page though one is named: a token such as `0`; `repeat`: the token that the page"
          + " was requested with; `empty`: an answer without records"),
      KeyShape(
        "life", .text(.duration), without: "1h", "how long a token stays valid in a later run"),
    ])

  /// The keys for each kind of paging.
  static let kinds: [(word: String, needed: [String], allowed: [String])] = [
    ("number", ["to"], ["first", "lastPage"]), ("offset", ["to"], []),
    ("token", ["next"], ["to", "first", "stops", "life"]),
    ("after", ["to", "next"], ["first", "life"]), ("link", [], ["stops", "life"]),
    ("url", ["next"], ["lastPage", "stops", "life"]), ("single", [], []),
  ]
}
