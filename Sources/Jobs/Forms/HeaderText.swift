internal import Base

/// Header fields that a job file may set.
public enum HeaderText {
  /// Fields that a job file may not set, besides those that frame a message, and why.
  private static let own: [String: String] = [
    "authorization": "a job file never holds a secret; declare it under auth",
    "proxy-authorization": "a proxy is set by the environment of the user",
    "cookie": "Trawl sends no cookies", "host": "base sets it",
    "accept-encoding": framed, "range": "Trawl requests whole answers",
    "if-none-match": "declare conditional: true instead",
    "if-modified-since": "declare conditional: true instead",
  ]
  private static let framed = "Trawl sets it where it is needed"

  public static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 100
      && text.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0 & 0xDF)
          || "!#$%&'*+-.^_`|~".utf8.contains($0)
      }
  }

  /// For a field of an answer.
  static func formProblem(_ name: String) -> String? {
    isName(name) ? nil : "\"\(name.shown)\" cannot be the name of a header field"
  }

  static func nameProblem(_ name: String) -> String? {
    let why = own[name.lowercased()] ?? (HeaderField.isOurs(name) ? framed : nil)
    return formProblem(name) ?? why.map { "the header \"\(name)\" cannot be set here: \($0)" }
  }

  /// For a field that a user gives with a request, perhaps with the key in it.
  public static func problem(name: String) -> String? {
    name.equalsIgnoringCase("authorization") ? nil : nameProblem(name)
  }

  public static func valueProblem(_ value: String) -> String? {
    if value.utf8.count > 1_000 { return "a header value has at most 1,000 bytes" }
    let isClean = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    return isClean ? nil : "a header value holds no control characters"
  }
}
