internal import Base
internal import Jobs

/// Names that are valid in a job file, made from those of an API.
public enum DraftNames {
  /// A name for a table, a column or a stream.
  public static func plain(_ text: String, else fallback: String) -> String {
    var name = PlainName.snake(text)
    if let first = name.utf8.first, (48...57).contains(first) { name = "n" + name }
    if name.utf8.count > 50 { name = String(name.prefix(50)) }
    if PlainName.problem(name) != nil { name += "_" }
    return PlainName.problem(name) == nil ? name : fallback
  }

  /// `repositories` of `repository`; good enough to find `video_id` in videos.
  public static func singular(_ plural: String) -> String {
    if plural.hasSuffix("ies") { return String(plural.dropLast(3)) + "y" }
    if plural.hasSuffix("ss") { return plural }
    return plural.hasSuffix("s") ? String(plural.dropLast()) : plural
  }

  /// A job name consists of lower-case letters, digits and single hyphens.
  public static func hyphened(_ text: String) -> String {
    let name = JobName.hyphened(text)
    guard let first = name.utf8.first, (97...122).contains(first) else { return "" }
    let short = String(name.prefix(40))
    return short.hasSuffix("-") ? String(short.dropLast()) : short
  }

  /// The name of the job that a file describes: from the draft's path, or else from the file,
  /// unless that says nothing: `shop` for `source-shop/manifest.yaml`.
  public static func job(of file: String, draft: String?, known: [String]) -> String {
    let output = draft.map(last) ?? ""
    let wished = output.hasSuffix(".json5") ? hyphened(String(output.dropLast(6))) : ""
    if !wished.isEmpty { return wished }
    let parts = file.split(separator: "/").map(String.init)
    let stem = parts.last.map { String($0.prefix { $0 != "." }) } ?? ""
    let generic: Set = ["manifest", "openapi", "swagger", "api", ""]
    let word = generic.contains(stem.lowercased()) ? parts.dropLast().last ?? stem : stem
    let name = hyphened(word.hasPrefix("source-") ? String(word.dropFirst(7)) : word)
    if name.isEmpty { return "draft" }
    return known.contains(name) ? "my-\(name)" : name
  }

  public static func last(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
