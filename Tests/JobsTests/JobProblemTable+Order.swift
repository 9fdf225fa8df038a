/// Mistakes in the order that proofs may rest on.
extension JobProblemTable {
  private static let paging =
    "pages: { by: \"number\", to: \"?page\", size: \"?n=10\" }"
  private static let token = "pages: { by: \"token\", to: \"?t\", next: \"next\" }"
  private static let offset =
    "pages: { by: \"offset\", to: \"?from\", size: \"?n=10\" }"

  static let order: [Row] = [
    Row(
      #"per: "minute" }"#, #"per: "minute", courtesy: true, pause: "backoff" }"#,
      #"5:71: "pause" is the API's own word; no courtesy has it"#),
    Row(
      paging, token + ", order: \"id down\"",
      #"11:62: order: "id down" is not a column and its direction ("id falling", "changed_at "#
        + #"rising")"#),
    Row(
      paging, token + ", order: \"ids falling\"",
      #"11:62: order: there is no column "ids"; did you mean "id"?"#),
    Row(
      paging, token + ", order: \"title rising\"",
      "11:62: order: the column title is neither part of the key nor a time; only what is unique "
        + "and never changes, or only grows, proves anything"),
    Row(
      paging, paging + ", order: \"id falling\"",
      "11:67: order: numbered pages are not requested to overlap, so it would prove nothing of "
        + "them"),
    Row(
      paging, #"pages: { by: "single" }, order: "id falling""#,
      "11:39: order: one answer needs none; it goes with lists that have pages"),
    Row(
      paging, offset + ", order: \"made rising\"",
      "11:67: order: with pages by offset it must be a column of the key; of one time there may "
        + "be several records"),
    Row(
      paging, token + ", kind: \"search\", order: \"made falling\"",
      "11:78: order: a search has no proof that could rest on it"),
    Row(
      paging, paging + ", prove: \"yearly\"",
      #"11:67: prove: "yearly" is not known here; known here: daily, weekly, monthly"#),
    Row(
      paging, paging + ", prove: \"weekly\", window: { from: \"?since\" }",
      "11:67: prove: what is read in windows is proven window by window (backfill --prove)"),
    Row(
      paging, #"pages: { by: "single" }, prove: "weekly""#,
      "11:39: prove: one answer is its own proof; it goes with lists that have pages"),
    Row(
      paging, token + ", prove: \"weekly\", order: \"made falling\"",
      "11:62: prove: with an order by a falling time a second walk reads no further than to what "
        + "the first one read"),
  ]
}
