internal import Glibc
internal import Jobs

/// The process's environment. The only place that reads it.
struct Environment: Sendable {
  private let variables: [String: String]
  /// The job files visible to this process.
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

  /// Whether the locale allows more than ASCII.
  var isUTF8: Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { self($0) }.first ?? ""
    let upper = name.uppercased()
    return upper.hasSuffix("UTF-8") || upper.hasSuffix("UTF8")
  }

  /// Whether a program may open a window.
  var hasDisplay: Bool { ["DISPLAY", "WAYLAND_DISPLAY"].contains { self($0) != nil } }

  /// Nil also if empty: shells unset a variable for one command like this.
  func callAsFunction(_ name: String) -> String? { Self.value(name, variables) }

  private static func value(_ name: String, _ variables: [String: String]) -> String? {
    variables[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
