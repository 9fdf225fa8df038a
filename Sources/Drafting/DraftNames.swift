internal import Base

/// Names that a job file may hold, made of names that an API uses.
enum DraftNames {
  /// A name for a table, a column or a stream.
  static func plain(_ text: String, else fallback: String) -> String {
    var name = PlainName.snake(text)
    if let first = name.utf8.first, (48...57).contains(first) { name = "n" + name }
    if name.utf8.count > 50 { name = String(name.prefix(50)) }
    if PlainName.problem(name) != nil { name += "_" }
    return PlainName.problem(name) == nil ? name : fallback
  }

  /// `repositories` of `repository`; good enough to find `video_id` in videos.
  static func singular(_ plural: String) -> String {
    if plural.hasSuffix("ies") { return String(plural.dropLast(3)) + "y" }
    if plural.hasSuffix("ss") { return plural }
    return plural.hasSuffix("s") ? String(plural.dropLast()) : plural
  }
}
