internal import Base

/// Well-formed job names that cannot be used, as the job's tables begin with them.
public enum JobName {
  /// What is wrong with a name, and a better one; nil: nothing.
  public static func problem(_ name: String) -> String? {
    if name.hasPrefix("trawl") { return "names that begin with trawl are Trawl's own" }
    if name == "sqlite" || name.hasPrefix("sqlite-") {
      return "SQLite keeps tables that begin with sqlite_ for itself, and those of this job would:"
        + " \"my-\(name.shown)\" would do"
    }
    return nil
  }

  /// The nearest usable name; nil: nothing of the text is usable.
  static func made(of text: String) -> String? {
    let stem = text.lastIndex(of: ".").map { text[..<$0] } ?? text[...]
    let name = hyphened(stem)
    return TextForm.jobName.problem(name) == nil && problem(name) == nil ? name : nil
  }

  /// Small letters, digits, and single hyphens in place of all else.
  public static func hyphened(_ text: some StringProtocol) -> String {
    let parts = text.lowercased().utf8.split {
      !((97...122).contains($0) || (48...57).contains($0))
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
  }
}
