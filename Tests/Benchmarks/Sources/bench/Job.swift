/// The job files of the bench: one list of records, and what workloads add.
struct Job {
  var name: String
  /// Further lines after the name, and after the key.
  var head = ""
  var stream = ""
  var get = "/items"
  var pages = #"pages: { by: "number", to: "?page" }, total: "total counted","#
  var listName = "items"

  /// A single answer without further pages: its total covers all answers, not its own list.
  static let singleAnswer = #"total: "total none","#

  var text: String {
    """
    {
      name: "\(name)",
      about: "Records of the bench's own server",
      base: "https://bench.invalid",
      \(head)
      streams: {
        items: {
          get: "\(get)",
          \(pages)
          records: "items",
          into: "items",
          key: ["id"],
          \(stream)
          columns: {
            id: "id as integer",
            title: "title",
            summary: "summary",
            link: "link as url",
            picture: "picture as url",
            author: "author.id as integer",
            name: "author.name",
            language: "language",
            score: "score as real",
            replies: "replies as integer",
            hidden: "hidden as boolean",
            published_at: "published_at as time",
            edited_at: "edited_at as time",
          },
          listName: "\(listName)",
        },
      },
    }

    """
  }
}
