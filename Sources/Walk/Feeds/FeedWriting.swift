internal import Base

/// Writes one feed as JSON.
struct FeedWriting {
  enum Space {
    static let content = "http://purl.org/rss/1.0/modules/content/"
    static let dublinCore = "http://purl.org/dc/elements/1.1/"
    static let media = "http://search.yahoo.com/mrss/"
    /// How the namespaces of its versions begin.
    static let openSearch = "http://a9.com/-/spec/opensearch"
    static let podcast = "http://www.itunes.com/dtds/podcast-1.0.dtd"
  }

  let root: XMLElement
  let address: WebAddress
  let bytesMax: Int
  private(set) var out = JSONWriter()

  var bytes: [UInt8] { out.bytes }

  mutating func write() throws(FeedProblem) {
    let place = LinkBase(address).within(root)
    // An entry counts whatever its namespace: some feeds mix those of several kinds.
    if root.name == "feed" {
      try write("atom", head: root, place, root.all("entry")) {
        EntryFacts(entry: $0, $0.space, place)
      }
      return
    }
    let channels = root.all("channel")
    // In RSS 1.0 channel and items are siblings.
    let isRDF = root.name == "RDF"
    guard let head = channels.first ?? (isRDF ? root : nil) else {
      throw FeedProblem("the feed has no channel, and so no entries", isOther: true)
    }
    let inside = isRDF ? place : place.within(head)
    let items = (channels + [root]).flatMap { $0.all("item") }
    try write(isRDF ? "rdf" : "rss", head: head, inside, items) {
      EntryFacts(item: $0, $0.space, inside)
    }
  }

  private mutating func write(
    _ kind: String, head: XMLElement, _ place: LinkBase, _ entries: [XMLElement],
    _ facts: (XMLElement) -> EntryFacts
  ) throws(FeedProblem) {
    out.beginObject()
    out.key("feed")
    writeHead(kind, head, place)
    // RFC 5005: paged and archived feeds.
    for (name, relation) in [("next", "next"), ("last", "last"), ("prevArchive", "prev-archive")] {
      let part = head.all("link").first { $0["rel"]?.equalsIgnoringCase(relation) == true }
      if let part, let link = part["href"] { out.member(name, place.within(part).link(link)) }
    }
    for name in ["totalResults", "startIndex", "itemsPerPage"] {
      let part = head.all(name).first { $0.space.hasPrefix(Space.openSearch) }
      if let number = part?.text.flatMap({ Int($0) }) { out.member(name, number) }
    }
    out.key("items")
    out.beginArray()
    for entry in entries {
      facts(entry).write(&out)
      guard out.bytes.count <= bytesMax else {
        throw FeedProblem("the feed's links say more than it holds", isOther: true)
      }
    }
    out.endArray()
    out.endObject()
  }

  private mutating func writeHead(_ kind: String, _ head: XMLElement, _ place: LinkBase) {
    let own = head.space
    let isAtom = kind == "atom"
    out.beginObject()
    out.member("kind", kind)
    if isAtom { write("id", head.first(own, "id")?.text) }
    write("title", head.first(own, "title")?.text)
    write("summary", (head.first(own, "subtitle") ?? head.first(own, "description"))?.text)
    let link =
      isAtom
      ? EntryFacts.link(ofEntry: head, own, place)
      : head.first(own, "link")?.text.map { place.link($0) }
    write("link", link)
    let updated =
      head.first(own, "updated") ?? head.first(own, "lastBuildDate") ?? head.first(own, "pubDate")
      ?? head.first(Space.dublinCore, "date")
    write("updated", updated?.text.map(FeedTime.plain))
    write(
      "language",
      head.first(own, "language")?.text ?? head["\(LinkBase.xml) lang"]
        ?? root["\(LinkBase.xml) lang"])
    out.endObject()
  }

  private mutating func write(_ name: String, _ text: String?) {
    if let text { out.member(name, text) }
  }
}

/// The base of relative links: `xml:base` may change it within any element.
struct LinkBase {
  static let xml = "http://www.w3.org/XML/1998/namespace"
  /// Each link of a feed would repeat a longer base.
  private static let bytesMax = 2_000

  private var address: WebAddress

  init(_ address: WebAddress) { self.address = address }

  func within(_ element: XMLElement) -> LinkBase {
    guard let text = element["\(Self.xml) base"], text.utf8.count <= Self.bytesMax,
      let moved = try? address.resolving(text)  // what is not an address moves nothing
    else { return self }
    return LinkBase(moved)
  }

  /// An absolute link, unless it is no web address.
  func link(_ text: String) -> String {
    let text = text.trimmingBlanks
    let isAbsolute = text.utf8.prefix { $0 != UInt8(ascii: "/") }.contains(UInt8(ascii: ":"))
    guard !isAbsolute, !text.isEmpty,
      let found = try? address.resolving(text)  // what is not an address stays as it is
    else { return text }
    // A fragment belongs to the link, though not to a request.
    let place = text.firstIndex(of: "#").map { String(text[$0...]) } ?? ""
    return found.description + place
  }
}

extension XMLElement {
  /// Its text, trimmed; markup within it stays markup. Nil if there is none.
  var text: String? {
    let hasMarkup = content.contains { if case .element = $0 { true } else { false } }
    let isXHTML = self["type"]?.equalsIgnoringCase("xhtml") ?? false
    var said = ""
    if isXHTML, let inner = children.first {
      inner.writeContent(to: &said)
    } else if hasMarkup {
      writeContent(to: &said)
    } else {
      for case .text(let part) in content { said += part }
    }
    said = said.trimmingBlanks
    return said.isEmpty ? nil : said
  }

  private func writeContent(to text: inout String) {
    for part in content {
      switch part {
      case .text(let words): text += words.escapedForMarkup
      case .element(let inner):
        text += "<\(inner.name)"
        for (name, value) in inner.attributes where !name.contains(" ") {
          text += " \(name)=\"\(value.escapedForMarkup)\""
        }
        if inner.content.isEmpty {
          text += "/>"
        } else {
          text += ">"
          inner.writeContent(to: &text)
          text += "</\(inner.name)>"
        }
      }
    }
  }
}

extension String {
  fileprivate var escapedForMarkup: String {
    var text = ""
    text.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
