internal import Glibc
internal import Jobs

/// What the process was given: its environment. The only place that reads it.
struct Environment: Sendable {
  private let variables: [String: String]
  /// The job files that this process finds.
  let library: JobLibrary

  init(_ variables: [String: String]) {
    self.variables = variables
    library = JobLibrary { Self.value($0, variables) }
  }

  static func ofThisProcess() -> Environment {
    var found: [String: String] = [:]
    var cursor = environ
    while let entry = cursor.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "=") {
        found[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      cursor += 1
    }
    return Environment(found)
  }

  /// Whether a terminal shows more than ASCII: by the locale, as every program takes it.
  var isUTF8: Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { self($0) }.first ?? ""
    let upper = name.uppercased()
    return upper.hasSuffix("UTF-8") || upper.hasSuffix("UTF8")
  }

  /// Nil also when it is empty: that is how a shell takes a variable away for one command.
  func callAsFunction(_ name: String) -> String? { Self.value(name, variables) }

  private static func value(_ name: String, _ variables: [String: String]) -> String? {
    variables[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
