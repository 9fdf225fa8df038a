internal import Base

/// An entry as a job sees it, whatever kind of feed it comes from.
struct EntryFacts {
  struct Enclosure {
    var url: String
    var type: String?
    var length: String?
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
    out.beginObject()
    let texts = [
      // An entry without an id is identified by its link.
      ("id", id ?? link), ("title", title), ("link", link), ("published", published),
      ("updated", updated), ("author", authors.first), ("summary", summary), ("content", content),
      ("comments", comments),
      ("image", image ?? enclosures.first { $0.type?.hasPrefix("image/") ?? false }?.url),
    ]
    for (name, text) in texts {
      if let text { out.member(name, text) }
    }
    list("authors", authors, &out)
    list("categories", categories, &out)
    out.key("enclosures")
    out.beginArray()
    for enclosure in enclosures {
      out.beginObject()
      out.member("url", enclosure.url)
      if let type = enclosure.type { out.member("type", type) }
      if let length = enclosure.length.flatMap({ Int($0) }), length > 0 {
        out.member("length", length)
      }
      out.endObject()
    }
    out.endArray()
    out.endObject()
  }

  private func list(_ name: String, _ texts: [String], _ out: inout JSONWriter) {
    out.key(name)
    out.beginArray()
    for text in texts { out.string(text) }
    out.endArray()
  }
}

protocol FeedEntry {
  var element: XMLElement { get }
  func facts(_ place: LinkBase) -> EntryFacts
}

/// What both kinds of entries may have from other namespaces.
extension FeedEntry {
  /// Pictures and files of the media namespace, grouped or not.
  private var media: [XMLElement] {
    let space = FeedWriting.Space.media
    return ([element] + element.all(space, "group")).flatMap(\.children).filter {
      $0.space.utf8.elementsEqual(space.utf8)
    }
  }

  fileprivate func addCommon(_ place: LinkBase, to facts: inout EntryFacts) {
    let core = FeedWriting.Space.dublinCore
    facts.published = facts.published ?? element.first(core, "date")?.text.map(FeedTime.plain)
    if facts.authors.isEmpty { facts.authors = element.all(core, "creator").compactMap(\.text) }
    facts.categories += element.all(core, "subject").compactMap(\.text)
    facts.content = facts.content ?? element.first(FeedWriting.Space.content, "encoded")?.text
    let thumbnail = media.first { $0.name == "thumbnail" }.flatMap { part in
      part["url"].map { place.within(part).link($0) }
    }
    let cover = element.first(FeedWriting.Space.podcast, "image").flatMap { part in
      part["href"].map { place.within(part).link($0) }
    }
    for part in media where part.name == "content" {
      facts.enclose(
        part, "url", place, type: part["medium"] == "image" ? "image/*" : nil,
        length: part["fileSize"])
    }
    facts.image = thumbnail ?? cover
    facts.summary = facts.summary ?? media.first { $0.name == "description" }?.text
  }
}

/// An item of RSS; its own elements have the channel's namespace.
struct RSSItem: FeedEntry {
  let element: XMLElement
  let own: String

  func facts(_ place: LinkBase) -> EntryFacts {
    let place = place.within(element)
    var facts = EntryFacts()
    let guid = element.first(own, "guid")
    facts.id = guid?.text ?? element["\(FeedReader.rdf) about"]
    facts.title = element.first(own, "title")?.text
    facts.link = link(place, guid)
    facts.published = element.first(own, "pubDate")?.text.map(FeedTime.plain)
    facts.updated = element.first(FeedReader.atom, "updated")?.text.map(FeedTime.plain)
    facts.authors = element.all(own, "author").compactMap(\.text)
    facts.categories = element.all(own, "category").compactMap(\.text)
    facts.summary = element.first(own, "description")?.text
    facts.comments = element.first(own, "comments")?.text.map { place.link($0) }
    for part in element.all(own, "enclosure") {
      facts.enclose(part, "url", place, length: part["length"])
    }
    addCommon(place, to: &facts)
    return facts
  }

  private func link(_ place: LinkBase, _ guid: XMLElement?) -> String? {
    if let part = element.first(own, "link"), let text = part.text {
      return place.within(part).link(text)
    }
    if let link = AtomEntry(element: element, own: FeedReader.atom).link(place) { return link }
    guard let text = guid?.text, guid?["isPermaLink"] != "false",
      text.hasPrefix("https://") || text.hasPrefix("http://")
    else { return nil }
    return text
  }
}

/// An entry of Atom.
struct AtomEntry: FeedEntry {
  let element: XMLElement
  let own: String

  func facts(_ place: LinkBase) -> EntryFacts {
    let place = place.within(element)
    var facts = EntryFacts()
    facts.id = element.first(own, "id")?.text
    facts.title = element.first(own, "title")?.text
    facts.link = link(place)
    facts.published = (element.first(own, "published") ?? element.first(own, "issued"))?.text
      .map(FeedTime.plain)
    facts.updated = (element.first(own, "updated") ?? element.first(own, "modified"))?.text
      .map(FeedTime.plain)
    facts.authors = element.all(own, "author").compactMap { $0.first(own, "name")?.text }
    facts.categories = element.all(own, "category").compactMap { $0["label"] ?? $0["term"] }
    facts.summary = element.first(own, "summary")?.text
    // Content at another address is an enclosure in all but name.
    let content = element.first(own, "content")
    facts.content = content?.text
    for part in element.all(own, "link") where part["rel"] == "enclosure" {
      facts.enclose(part, "href", place, length: part["length"])
    }
    if let content { facts.enclose(content, "src", place) }
    addCommon(place, to: &facts)
    return facts
  }

  /// The link meant for people.
  func link(_ place: LinkBase) -> String? {
    let links = element.all(own, "link").filter {
      $0["href"] != nil && ($0["rel"] == nil || $0["rel"] == "alternate")
    }
    let found = links.first { $0["type"]?.hasPrefix("text/html") ?? true } ?? links.first
    return found.flatMap { part in part["href"].map { place.within(part).link($0) } }
  }
}
