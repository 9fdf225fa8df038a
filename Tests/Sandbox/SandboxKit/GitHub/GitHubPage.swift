/// The page that a query requests, and the `Link` field to other pages.
struct GitHubPage: Sendable {
  var number: Int
  var size: Int

  static let sizeMax = 100

  /// More than 100 means 100, nonsense means the default, and a parameter of another name (`_per_page`) is ignored.
  init(_ query: Query) {
    let asked = query.int("per_page") ?? 30
    size = asked < 1 ? 30 : min(asked, Self.sizeMax)
    // 10^12 pages are more than any list has; the bound prevents overflow.
    number = min(max(1, query.int("page") ?? 1), 1_000_000_000_000)
  }

  var offset: Int { (number - 1) * size }

  /// The value of `Link` for a list of this many pages, or nil if it fits on one. Repeats all parameters of the
  /// request, known or not.
  func link(to url: String, rawQuery: String, pages: Int) -> String? {
    guard pages > 1 else { return nil }
    let kept = rawQuery.split(separator: "&").filter { !$0.hasPrefix("page=") }
    let lead = kept.isEmpty ? "" : kept.joined(separator: "&") + "&"
    func part(_ page: Int, _ relation: String) -> String {
      "<\(url)?\(lead)page=\(page)>; rel=\"\(relation)\""
    }
    var parts: [String] = []
    if number > 1 { parts.append(part(min(number - 1, pages), "prev")) }
    if number < pages { parts += [part(number + 1, "next"), part(pages, "last")] }
    if number > 1 { parts.append(part(1, "first")) }
    return parts.joined(separator: ", ")
  }
}
