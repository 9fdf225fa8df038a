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

  /// A table's name, cut so that it stays within 55 letters with the job's name in front.
  public static func table(_ name: String, of job: String, _ taken: inout Set<String>) -> String {
    PlainName.unique(String(name.prefix(max(8, 50 - job.utf8.count))), &taken)
  }

  /// `repositories` of `repository`; good enough to find `video_id` in videos.
  public static func singular(_ plural: String) -> String {
    if plural.hasSuffix("ies") { return String(plural.dropLast(3)) + "y" }
    if plural.hasSuffix("ss") { return plural }
    return plural.hasSuffix("s") ? String(plural.dropLast()) : plural
  }

  /// A job name consists of lower-case letters, digits and single hyphens; a few are reserved.
  public static func hyphened(_ text: String) -> String {
    let name = JobName.hyphened(text)
    guard let first = name.utf8.first, (97...122).contains(first) else { return "" }
    var short = String(name.prefix(40))
    if short.hasSuffix("-") { short.removeLast() }
    return JobName.problem(short) == nil ? short : "my-\(short)"
  }

  /// The name of the job that a file describes: from the draft's path, or else from the file,
  /// unless that says nothing: `shop` for `source-shop/manifest.yaml`.
  public static func job(of file: String, draft: String?, known: [String]) -> String {
    if let wished = job(ofDraft: draft) { return wished }
    let parts = file.split(separator: "/").map(String.init)
    let stem = parts.last.map { String($0.prefix { $0 != "." }) } ?? ""
    let generic: Set = ["manifest", "openapi", "swagger", "api", ""]
    let word = generic.contains(stem.lowercased()) ? parts.dropLast().last ?? stem : stem
    let name = hyphened(word.hasPrefix("source-") ? String(word.dropFirst(7)) : word)
    if name.isEmpty { return "draft" }
    return known.contains(name) ? "my-\(name)" : name
  }

  /// The name that the path of a draft gives; nil: none.
  public static func job(ofDraft path: String?) -> String? {
    guard let file = path.map(last), file.hasSuffix(".json5") else { return nil }
    let name = hyphened(String(file.dropLast(6)))
    return name.isEmpty ? nil : name
  }

  public static func last(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
