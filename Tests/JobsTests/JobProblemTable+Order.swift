/// Mistakes in the order that proofs may rest on.
extension JobProblemTable {
  static let paging = "pages: { by: \"number\", to: \"?page\", size: \"?n=10\" }"

  private static let ways = [
    "number": paging, "single": "pages: { by: \"single\" }",
    "token": "pages: { by: \"token\", to: \"?t\", next: \"next\" }",
    "offset": "pages: { by: \"offset\", to: \"?from\", size: \"?n=10\" }",
    "after": "pages: { by: \"after\", to: \"?a\", next: \"id\" }",
  ]

  static let order = read(
    #"""
    token ⟶ order: "id down"
      11:62: order: "id down" is not a column and its direction ("id falling", "changed_at rising")
    token ⟶ order: "ids falling"
      11:62: order: there is no column "ids"; did you mean "id"?
    token ⟶ order: "title rising"
      11:62: order: the column title is neither part of the key nor a time; only what is unique and
        never changes, or only grows, proves anything
    number ⟶ order: "id falling"
      11:67: order: numbered pages are not requested to overlap, so it would prove nothing of them
    single ⟶ order: "id falling"
      11:39: order: one answer needs none; it goes with lists that have pages
    offset ⟶ order: "made rising"
      11:67: order: with pages by offset it must be a column of the key; of one time there may be
        several records
    after ⟶ order: "made rising"
      11:60: order: a record that changes would take the page's edge along to the end; with paging
        by after a rising order is that of "next" (id)
    token ⟶ kind: "search", order: "made falling"
      11:78: order: a search has no proof that could rest on it
    number ⟶ prove: "yearly"
      11:67: prove: "yearly" is not known here; known here: daily, weekly, monthly
    number ⟶ prove: "weekly", window: { from: "?since" }
      11:67: prove: what is read in windows is proven window by window (backfill --prove)
    single ⟶ prove: "weekly"
      11:39: prove: one answer is its own proof; it goes with lists that have pages
    token ⟶ prove: "weekly", order: "made falling"
      11:62: prove: with an order by a falling time a second walk reads no further than to what the
        first one read
    """#
  ) { Row(paging, "\(ways[$0] ?? ""), \($1)", $2) }
}
