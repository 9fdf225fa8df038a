/// The structure of our pages, read strictly: every opened tag is closed in order, and only our own tags and attributes
/// occur.
struct PageStructure {
  private(set) var problems: [String] = []
  private(set) var images = 0

  private static let single: Set<String> = ["!DOCTYPE", "meta", "img", "br", "rect", "line"]
  private static let tags: [String: Set<String>] = [
    "html": ["lang"], "head": [], "meta": ["charset", "name", "content", "http-equiv"],
    "title": [], "style": [], "body": [], "header": ["class"], "section": ["class"], "h1": [],
    "h2": ["id"], "h3": [], "main": [], "details": ["open"], "summary": [], "footer": [], "b": [],
    "p": ["class"], "br": [], "bdi": [], "span": ["class", "style"], "div": ["class"],
    "time": ["datetime"], "table": ["class"], "thead": [], "tbody": [], "tr": [],
    "th": ["class", "scope"], "td": ["class", "colspan"], "code": ["class"], "ul": ["class"],
    "li": ["class"], "figure": ["class"], "figcaption": ["class"], "img": ["alt", "src"],
    "a": ["href"],
    "svg": ["viewBox", "role", "aria-label", "preserveAspectRatio"],
    "rect": ["x", "y", "width", "height", "fill", "opacity"], "!DOCTYPE": ["html"],
  ]

  init(_ page: String) {
    var open: [String] = []
    var rest = page[...]
    while let start = rest.firstIndex(of: "<") {
      guard let end = rest[start...].firstIndex(of: ">") else {
        problems.append("a tag never ends: \(rest[start...].prefix(60))")
        return
      }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        let last = open.popLast() ?? "nothing"
        if last != tag.dropFirst() { problems.append("\(last) is closed by \(tag)") }
      } else {
        let isClosed = tag.hasSuffix("/")
        let name = String((isClosed ? tag.dropLast() : tag).prefix { $0 != " " })
        read(name, tag.dropFirst(name.count))
        let isInPicture = open.contains("svg")
        let isSingle = Self.single.contains(name) && !(name == "rect" && Self.opens(rest))
        if !isClosed, !isSingle || (isInPicture && name == "title") { open.append(name) }
      }
    }
    if !open.isEmpty { problems.append("never closed: \(open)") }
  }

  /// A bar with a title inside has a closing tag.
  private static func opens(_ rest: Substring) -> Bool { rest.hasPrefix("<title>") }

  private mutating func read(_ name: String, _ attributes: Substring) {
    guard let known = Self.tags[name] else {
      problems.append("there is a tag <\(name)>")
      return
    }
    if name == "img" { images += 1 }
    var names: Set<String> = []
    // name="value", without quotes in the value.
    var rest = attributes.drop { $0 == " " }
    while !rest.isEmpty, rest != "/" {
      let attribute = String(rest.prefix { $0 != "=" && $0 != " " && $0 != "/" })
      rest = rest.dropFirst(attribute.count)
      names.insert(attribute)
      if !known.contains(attribute) { problems.append("<\(name) \(attribute.prefix(40))>") }
      if rest.hasPrefix("=\"") {
        let value = rest.dropFirst(2).prefix { $0 != "\"" }
        rest = rest.dropFirst(value.count + 3)
        check(attribute, String(value))
      }
      rest = rest.drop { $0 == " " }
    }
    if name == "img", names != ["alt", "src"] { problems.append("an image without its text") }
  }

  private mutating func check(_ attribute: String, _ value: String) {
    switch attribute {
    case "src"
    where !value.hasPrefix("../../media/") || value.dropFirst(6).contains(".."):
      problems.append("src=\(value.prefix(60))")
    case "href" where value.contains(":") || value.hasPrefix("/") || value.contains(".."):
      problems.append("href=\(value.prefix(60))")
    case "style" where !value.hasPrefix("color:var(--"): problems.append("style=\(value)")
    default: break
    }
  }
}
