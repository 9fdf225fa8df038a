/// The page that a query asks for, and the `Link` field that leads on from it.
struct GitHubPage: Sendable {
  var number: Int
  var size: Int

  static let sizeMax = 100

  /// More than 100 is taken for 100, nonsense for the default, and a parameter of another name
  /// (`_per_page`) is not seen at all.
  init(_ query: Query) {
    let asked = query.int("per_page") ?? 30
    size = asked < 1 ? 30 : min(asked, Self.sizeMax)
    // 10^12 pages are beyond every list; the bound keeps the offset from overflowing.
    number = min(max(1, query.int("page") ?? 1), 1_000_000_000_000)
  }

  var offset: Int { (number - 1) * size }

  /// The value of `Link` for a list of so many pages, or nil if it fits on one. All parameters of
  /// the request are repeated, known or not.
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
