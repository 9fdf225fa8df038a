internal import Base

/// An entry as a job sees it, whatever kind of feed it comes from.
struct EntryFacts {
  struct Enclosure: JSONWritable {
    var url: String
    var type: String?
    var length: String?

    func write(to out: inout JSONWriter) {
      out.object { out in
        out.member("url", url)
        if let type { out.member("type", type) }
        if let length = length.flatMap({ Int($0) }), length > 0 { out.member("length", length) }
      }
    }
  }

  var id: String?
  var title: String?
  var link: String?
  var published: String?
  var updated: String?
  var authors: [String] = []
  var categories: [String] = []
  var summary: String?
  var content: String?
  var comments: String?
  var image: String?
  var enclosures: [Enclosure] = []

  /// Adds the link in an attribute of an element.
  mutating func enclose(
    _ part: XMLElement, _ attribute: String, _ place: LinkBase, type: String? = nil,
    length: String? = nil
  ) {
    guard let url = part[attribute] else { return }
    enclosures.append(
      Enclosure(
        url: place.within(part).link(url), type: part["type"]?.lowercased() ?? type, length: length)
    )
  }

  func write(_ out: inout JSONWriter) {
    let texts = [
      // An entry without an id is identified by its link.
      ("id", id ?? link), ("title", title), ("link", link), ("published", published),
      ("updated", updated), ("author", authors.first), ("summary", summary), ("content", content),
      ("comments", comments),
      ("image", image ?? enclosures.first { $0.type?.hasPrefix("image/") ?? false }?.url),
    ]
    out.object { out in
      for (name, text) in texts {
        if let text { out.member(name, text) }
      }
      out.member("authors", authors)
      out.member("categories", categories)
      out.member("enclosures", enclosures)
    }
  }
}

extension EntryFacts {
  /// An item of RSS; its own elements have the channel's namespace.
  init(item element: XMLElement, _ own: String, _ place: LinkBase) {
    self.init()
    let place = place.within(element)
    let guid = element.first(own, "guid")
    id = guid?.text ?? element["\(FeedReader.rdf) about"]
    title = element.first(own, "title")?.text
    link = Self.link(ofItem: element, own, guid, place)
    published = element.first(own, "pubDate")?.text.map(FeedTime.plain)
    updated = element.first(FeedReader.atom, "updated")?.text.map(FeedTime.plain)
    authors = element.all(own, "author").compactMap(\.text)
    categories = element.all(own, "category").compactMap(\.text)
    summary = element.first(own, "description")?.text
    comments = element.first(own, "comments")?.text.map { place.link($0) }
    for part in element.all(own, "enclosure") {
      enclose(part, "url", place, length: part["length"])
    }
    addCommon(element, place)
  }

  /// An entry of Atom.
  init(entry element: XMLElement, _ own: String, _ place: LinkBase) {
    self.init()
    let place = place.within(element)
    id = element.first(own, "id")?.text
    title = element.first(own, "title")?.text
    link = Self.link(ofEntry: element, own, place)
    published = (element.first(own, "published") ?? element.first(own, "issued"))?.text
      .map(FeedTime.plain)
    updated = (element.first(own, "updated") ?? element.first(own, "modified"))?.text
      .map(FeedTime.plain)
    authors = element.all(own, "author").compactMap { $0.first(own, "name")?.text }
    categories = element.all(own, "category").compactMap { $0["label"] ?? $0["term"] }
    summary = element.first(own, "summary")?.text
    // Content at another address is an enclosure in all but name.
    let content = element.first(own, "content")
    self.content = content?.text
    for part in element.all(own, "link") where part["rel"] == "enclosure" {
      enclose(part, "href", place, length: part["length"])
    }
    if let content { enclose(content, "src", place) }
    addCommon(element, place)
  }

  /// What both kinds may have from other namespaces.
  private mutating func addCommon(_ element: XMLElement, _ place: LinkBase) {
    let core = FeedWriting.Space.dublinCore
    let space = FeedWriting.Space.media
    // Pictures and files, grouped or not.
    let media = ([element] + element.all(space, "group")).flatMap(\.children).filter {
      $0.space.utf8.elementsEqual(space.utf8)
    }
    published = published ?? element.first(core, "date")?.text.map(FeedTime.plain)
    if authors.isEmpty { authors = element.all(core, "creator").compactMap(\.text) }
    categories += element.all(core, "subject").compactMap(\.text)
    content = content ?? element.first(FeedWriting.Space.content, "encoded")?.text
    let thumbnail = media.first { $0.name == "thumbnail" }.flatMap { part in
      part["url"].map { place.within(part).link($0) }
    }
    let cover = element.first(FeedWriting.Space.podcast, "image").flatMap { part in
      part["href"].map { place.within(part).link($0) }
    }
    for part in media where part.name == "content" {
      enclose(
        part, "url", place, type: part["medium"] == "image" ? "image/*" : nil,
        length: part["fileSize"])
    }
    image = thumbnail ?? cover
    summary = summary ?? media.first { $0.name == "description" }?.text
  }

  private static func link(
    ofItem element: XMLElement, _ own: String, _ guid: XMLElement?, _ place: LinkBase
  ) -> String? {
    if let part = element.first(own, "link"), let text = part.text {
      return place.within(part).link(text)
    }
    if let link = Self.link(ofEntry: element, FeedReader.atom, place) { return link }
    guard let text = guid?.text, guid?["isPermaLink"] != "false",
      text.hasPrefix("https://") || text.hasPrefix("http://")
    else { return nil }
    return text
  }

  /// The link of Atom that is meant for people.
  static func link(ofEntry element: XMLElement, _ own: String, _ place: LinkBase) -> String? {
    let links = element.all(own, "link").filter {
      $0["href"] != nil && ($0["rel"] == nil || $0["rel"] == "alternate")
    }
    let found = links.first { $0["type"]?.hasPrefix("text/html") ?? true } ?? links.first
    return found.flatMap { part in part["href"].map { place.within(part).link($0) } }
  }
}
