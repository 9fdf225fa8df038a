internal import Base

/// The command line of `trawl-sandbox`.
public struct SandboxArguments: Sendable {
  public enum Wish: Sendable {
    case serve(SandboxArguments)
    /// Text for standard output.
    case show(String)
  }

  public struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    public var description: String
  }

  public var options = SandboxOptions(size: .demo)
  public var portFile: String?

  private static let flags = ["--help", "-h", "--keys"]
  private static let valued = ["--port", "--port-file", "--seed", "--size", "--faults"]

  /// Reads the arguments after the program's name: `--port 0` or `--port=0`.
  public static func parse(_ words: [String]) throws(Problem) -> Wish {
    var parsed = SandboxArguments()
    // Hidden; `make install` uses it.
    if words == ["--manual-page"] { return .show(SandboxManual.text) }
    var left = words[...]
    while let word = left.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if flags.contains(name) {
        guard parts.count == 1 else { throw Problem(description: "\(name) takes no value") }
        guard name == "--keys" else { return .show(SandboxHelp.text) }
        parsed.options.needsKeys = true
        continue
      }
      guard valued.contains(name) else { throw unknown(name) }
      guard let value = parts.count == 2 ? String(parts[1]) : left.popFirst() else {
        throw Problem(description: "\(name) needs a value")
      }
      try parsed.set(name, value)
    }
    return .serve(parsed)
  }

  private mutating func set(_ name: String, _ value: String) throws(Problem) {
    switch name {
    case "--port":
      guard let port = UInt16(value) else {
        throw Self.wrong(name, value, "a number from 0 to 65535")
      }
      options.port = Int(port)
    case "--seed":
      guard let seed = UInt64(value) else { throw Self.wrong(name, value, "a whole number") }
      options.seed = seed
    case "--size":
      let known = SandboxSize.allCases.map(\.rawValue)
      guard let size = SandboxSize(rawValue: value) else {
        throw Self.wrong(name, value, "one of " + known.joined(separator: ", "), among: known)
      }
      options.resize(size)
    case "--faults":
      options.faults = try FaultSpec(parsing: value)
    default:
      guard !value.isEmpty else { throw Self.wrong(name, value, "the name of a file") }
      portFile = value
    }
  }

  private static func wrong(
    _ name: String, _ value: String, _ wanted: String, among known: [String] = []
  ) -> Problem {
    let near = Suggestion.clause(for: value, in: known)
    return Problem(description: "\(name) is \(wanted), not \"\(value)\"\(near)")
  }

  private static func unknown(_ name: String) -> Problem {
    let near = Suggestion.nearest(to: name, in: flags + valued)
    let hint = near.map { "; did you mean \($0)?" } ?? "; --help lists what there is"
    return Problem(description: "unknown argument \"\(name)\"\(hint)")
  }
}
