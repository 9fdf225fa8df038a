/// The keys of `vanish`: how to ask an API whether a record is still in its list.
enum VanishShape {
  static let confirm = ObjectShape(
    "Confirm",
    "`mark`, and the one request that is made about each record that a walk without a proof did not bring, at"
      + " most 20 of them in a run; each draws on the quotas of the stream's pages. 2xx: it is still in the list. 404 and 410: it is gone. Any other answer says"
      + " nothing.",
    [
      KeyShape(
        "get", .text(.requestPath), isRequired: true,
        "the path behind the base, and its query; `{record.login}` is filled with a column of the stored record,"
          + " `{login}` with a value of the list's own request"),
      KeyShape(
        "records", .text(.path), without: "the status alone says",
        "where a 200 holds the record, alone or in a list: an empty list there says that it is gone, and a 200"
          + " without either says nothing"),
      KeyShape(
        "lookup", .object(lookup), without: "asked as it is stored",
        "a request before it that finds the record by what never changes, where what `get` needs"
          + " may have changed"),
    ])

  private static let lookup = ObjectShape(
    "Lookup", "The record by what never changes. 404 and 410: it is gone from every list.",
    [
      KeyShape(
        "get", .text(.requestPath), isRequired: true,
        "the path behind the base, with the same holes: `/user/{record.id}`"),
      KeyShape(
        "gives", .map(key: .sqlName, .text(.path), count: 1...8), isRequired: true,
        "column to its place in the answer: the `get` above is filled with these values"),
    ])
}
