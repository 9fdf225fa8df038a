/// Mistakes in asking whether a record is still there.
extension JobProblemTable {
  static let vanish = read(
    #"""
    list + vanish: { records: "items" }
      17:29: vanish needs "get": the path behind the base, and its query
    list + vanish: true
      17:29: vanish must be "mark", "keep", or an object (Confirm), not true or false
    list + vanish: { get: "/books/{record.id}", most: 5 }
      17:58: unknown key "most"; known here: get, records, lookup
    list + vanish: { get: "books/{record.id}" }
      17:36: get: must be a path that begins with one '/'; it is added to base
    list + vanish: { get: "/books/{record.isbn}" }
      17:36: nothing fills {record.isbn}: it is neither a value of this stream's requests nor a
        column of its records; did you mean "record.id"?
    list + vanish: { get: "/books/{record.id}?t={topics}" }
      17:36: nothing fills {topics}: it is neither a value of this stream's requests nor a column of
        its records; did you mean "topic"?
    list + vanish: { get: "/books/{topic}" }
      17:36: the request does not use the record, so it is the same for each; put a
        column of it into "get", as {record.id}
    list + vanish: { get: "/books/{record.title}", lookup: { get: "/ids/{record.id}" } }
      17:69: lookup needs "gives": column to its place in the answer: the `get` above is filled with
        these values
    list + vanish: { get: "/books/{record.title}",
    lookup: { get: "/ids/1", gives: { title: "t" } } }
      17:76: the request does not use the record, so it is the same for each; put a
        column of it into "get", as {record.id}
    list + vanish: { get: "/books/{record.title}",
    lookup: { get: "/ids/{record.id}", gives: { titles: "t" } } }
      17:113: gives: there is no column "titles"; did you mean "title"?
    list + vanish: { get: "/books/{record.id}",
    lookup: { get: "/ids/{record.id}", gives: { title: "t" } } }
      17:109: gives: the question does not use {record.title}, so nothing needs to be looked up
    list + kind: "search", vanish: { get: "/books/{record.id}" }
      17:45: vanish: a search returns others each time; that a record is there says nothing of it
    list + window: { from: "?since" }, vanish: { get: "/books/{record.id}" }
      17:57: vanish: a walk of a window marks nothing, so there is nothing to confirm
    get: "/books/{id}", ⟶ get: "/books/{record.id}",
      20:20: the request does not use {id}: every record would ask the same; put it into "get" or
        "query"
      21:12: nothing fills {record.id}: no parameter, parent or window has that name; known here:
        topic, id, title, made, cover
    """#)
}
