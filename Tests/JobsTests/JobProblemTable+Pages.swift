/// Slips in how a list is paged.
extension JobProblemTable {
  private static let paging =
    "pages: { by: \"number\", param: \"page\", size: { param: \"n\", value: 10 } }"

  private static func token(_ more: String) -> String {
    "pages: { by: \"token\", param: \"t\", next: \"next\", \(more) }"
  }

  static let pages: [Row] = [
    Row(
      "param: \"page\",", "param: \"page\", first: \"*\",",
      """
      11:52: the first of numbered pages is 0 or 1
      """),
    Row(
      "param: \"page\",", "param: \"page\", repeats: \"end\",",
      """
      11:54: "repeats" does not go with paging by number
      """),
    Row(
      paging, token("first: \"*\", ends: [\"0\", \"*\"]"),
      """
      11:62: "*" cannot be the first token and mean the end
      """),
    Row(
      paging, token("repeats: \"stop\""),
      """
      11:64: repeats: "stop" is not known here; known here: end
      """),
    Row(
      paging, token("more: { at: \"end\" }"),
      """
      11:61: more needs "is": what it says while more pages follow: false for a flag that says that \
      this is the end
      """),
    Row(
      paging, token("more: { at: \"end\", is: \"no\" }"),
      """
      11:78: is must be true or false, not text
      """),
  ]
}
