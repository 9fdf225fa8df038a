/// Slips in how a list is paged.
extension JobProblemTable {
  private static let paging =
    "pages: { by: \"number\", param: \"page\", size: { param: \"n\", value: 10 } }"

  private static func token(_ more: String) -> String {
    "pages: { by: \"token\", param: \"t\", next: \"next\", \(more) }"
  }

  private static func after(_ last: String) -> String {
    "pages: { by: \"after\", param: \"a\", \(last) }"
  }

  private static func next(_ next: String) -> String {
    "pages: { by: \"token\", param: \"t\", next: \(next) }"
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
    Row(
      paging, after("last: \"ids\""),
      """
      11:47: last: there is no column "ids"; did you mean "id"?
      """),
    Row(
      paging, after("last: \"title\""),
      """
      11:47: last: several records may have one value of title, and those at a page's edge are lost; \
      name the one column of the key, or a time
      """),
    Row(
      paging, after("last: { at: \"meta.last\" }"),
      """
      11:47: last: by after it is a column of the record: last: "id"
      """),
    Row(
      paging, after("last: \"id\"") + ", order: \"made rising\"",
      """
      11:62: order: a record that changes would take the page's edge along to the end; with paging \
      by after a rising order is that of "last" (id)
      """),
    Row(
      paging, next("{ header: \"X-Next\", among: \"links\" }"),
      """
      11:47: a link that is chosen needs "is": { among: "links", where: "rel", is: "next", take: \
      "href" }
      11:47: a link that is chosen needs "take": { among: "links", where: "rel", is: "next", take: \
      "href" }
      11:47: a link that is chosen needs "where": { among: "links", where: "rel", is: "next", take: \
      "href" }
      11:74: next takes one of "header", "each", "among", and no other beside it
      """),
    Row(
      paging, next("{ among: \"links\", where: \"rel\", is: \"next\" }"),
      """
      11:47: a link that is chosen needs "take": { among: "links", where: "rel", is: "next", take: \
      "href" }
      """),
    Row(
      paging, next("{ each: \"continue\" }"),
      """
      11:36: "each" names the parameters itself; take "param" away
      """),
    Row(
      "param: \"page\",", "param: \"page\", last: \"id\",",
      """
      11:51: last: of paging by number it says where an answer names the last page: { at: … } or \
      { header: … }
      """),
    Row(
      "total: { at: \"count\",", "total: { at: \"count\", header: \"X-Total\",",
      """
      12:37: total takes one of "at", "header", and no other beside it
      """),
    Row(
      "get: \"/search\",", "get: \"/search\", post: \"/search\",",
      """
      8:29: a stream takes one of "get", "post", and no other beside it
      """),
    Row(
      "get: \"/search\",", "get: \"/search\", body: { q: 1 },",
      """
      8:29: "body" is sent by POST; write "post" in place of "get"
      """),
    Row(
      "get: \"/search\",", "post: \"/search\", body: { q: \"{subject}\", n: NaN },",
      """
      8:30: nothing fills {subject}: no parameter, parent or window has that name; known here: topic
      8:51: JSON has no number NaN
      """),
    Row(
      "get: \"/search\",", "post: \"/search\", body: { q: \"{topic\" },",
      """
      8:35: body: a brace that is not closed; a brace itself is written {{ or }}
      """),
    Row(
      "param: \"page\",", "in: \"page\",",
      """
      11:34: "in" is a place in a body: it needs "post"
      """),
    Row(
      "name: \"books\",", "name: \"books\", auth: { basic: true, header: \"X\", secret: \"a\" },",
      """
      2:24: auth needs either "header", "query" or "basic": where the request carries the secret
      """),
    Row(
      "name: \"books\",", "name: \"books\", auth: { header: \"X\", user: \"me\", secret: \"a\" },",
      """
      2:45: "user" goes with basic: true
      """),
    Row(
      "name: \"books\",",
      "name: \"books\", auth: [{ header: \"X\", secret: \"a\" }, { query: \"y\", secret: \"a\" }],",
      """
      2:55: the secret "a" is here twice
      """),
    Row(
      "title: \"title\",", "title: { name: true },",
      """
      16:35: a record has a name where "records" leads to every member of an object: records: "rates.*"
      """),
    Row(
      "columns: { id: \"id\", title", "columns: { id: { digest: true }, title",
      """
      12:36: total: with a digest as the key equal records are one, and a counted total counts both; \
      say "steady" or "none"
      """),
  ]
}
