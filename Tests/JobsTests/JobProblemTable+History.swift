/// Slips in what is kept of volatile columns.
extension JobProblemTable {
  private static func pages(_ history: String, _ told: String) -> Row {
    Row(
      "pages: \"pages as integer\" }",
      "pages: { at: \"pages\", as: \"integer\", volatile: true } }, history: { \(history) }", told)
  }

  static let history: [Row] = [
    Row(
      "list: \"hits\"", "list: \"hits\", history: { full: \"30d\" }",
      """
      17:30: history: no column of this stream is volatile, so there is none to keep; say \
      volatile: true at a column whose value changes all the time
      """),
    pages(
      "of: [\"page\"], full: \"30d\"",
      """
      25:101: history: "page" is no volatile column of this stream; did you mean "pages"?
      """),
    pages(
      "full: \"1h\", then: \"daily\"",
      """
      25:102: history: every value is kept for a day at least: full: "30d"
      """),
  ]
}
