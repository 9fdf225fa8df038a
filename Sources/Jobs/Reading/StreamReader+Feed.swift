internal import Base

/// Settings that follow from reading feeds.
extension StreamReader {
  private static let types =
    "application/atom+xml, application/rss+xml, application/xml;q=0.9, */*;q=0.5"

  func readFeed(_ stream: inout Stream) {
    stream.readsColumns = node["reads"]?.string == "columns"
    if stream.readsColumns, stream.records.hasWildcard {
      complaints.add(
        node["records"], "the lists of \"columns\" are in one object; \"*\" leads to many")
    }
    guard let reads = node["reads"], reads.string == "feed" else { return }
    stream.readsFeed = true
    if node["post"] != nil { complaints.add(reads, "a feed is asked for by GET; write \"get\"") }
    if let batch = node["for"]?.wholeNumber("batch"), batch > 1 {
      complaints.add(
        node["for"]?["batch"], "a feed is of one record: it does not go with a \"batch\" of several"
      )
    }
    let saysList = node["kind"]?.string == "list"
    if saysList, stream.pager == .single {
      complaints.add(
        node["kind"],
        "a feed shows its newest entries alone; only one whose pages lead to the first entry is a list:"
          + " pages: { by: \"url\", next: \"next\" }")
    }
    if !saysList {
      stream.isSearch = true
      if let vanish = node["vanish"], vanish.string != "keep" {
        complaints.add(vanish, "vanish: an entry that has left a feed is not gone")
      }
    }
    if !stream.fields.contains(where: { $0.name.equalsIgnoringCase("Accept") }) {
      stream.fields.append(HeaderField("Accept", Self.types))
    }
  }
}
