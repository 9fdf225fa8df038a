internal import Base

/// The path of a request, perhaps with a query: `/videos?part=id&id={record.video_id}`.
public enum RequestText {
  struct Request {
    var path: Template
    /// Holes of the path whose values keep their slashes.
    var slashes: Set<String>
    var query: [QueryItem]

    var holes: [String] { path.holes + query.flatMap(\.value.holes) }
  }

  /// Nil if it is invalid.
  static func read(_ text: String) -> Request? {
    guard problem(text) == nil else { return nil }
    let (path, query) = parts(text)
    guard let path = TemplateText.path(path) else { return nil }
    return Request(
      path: path.template, slashes: path.slashes,
      query: query.compactMap { name, value in
        TemplateText.read(value).map {
          QueryItem(name, $0.template, isLeftOutIfEmpty: $0.mayBeEmpty)
        }
      })
  }

  /// What is wrong with it; nil: nothing.
  static func problem(_ text: String) -> String? {
    let (path, query) = parts(text)
    if let problem = TemplateText.pathProblem(path) { return problem }
    for (name, value) in query {
      if !isName(name) || value.utf8.contains(where: { $0 <= 0x20 || $0 == 0x25 }) {
        return
          "'?' is followed by NAME=VALUE, separated by '&'; a value with blanks or '%' belongs under query, as it is"
      }
      if let problem = TemplateText.problem(value) { return problem }
    }
    return nil
  }

  /// Whether a query parameter can be called so.
  public static func isName(_ text: String) -> Bool {
    (1...100).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"&=#?{}".utf8.contains($0) }
  }

  /// Splits at the first '?' outside holes; a value ends at the next '&'.
  static func parts(_ text: String) -> (
    path: String, query: [(name: String, value: String)]
  ) {
    var isInHole = false
    let mark = text.utf8.firstIndex { byte in
      if byte == UInt8(ascii: "{") { isInHole = true }
      if byte == UInt8(ascii: "}") { isInHole = false }
      return byte == UInt8(ascii: "?") && !isInHole
    }
    guard let mark else { return (text, []) }
    let query = text[text.utf8.index(after: mark)...].split(
      separator: "&", omittingEmptySubsequences: false)
    return (
      String(text[..<mark]),
      query.map { item in
        let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(sides[0]), sides.count > 1 ? String(sides[1]) : "")
      }
    )
  }
}
