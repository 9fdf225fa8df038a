internal import Base

/// The checker in `Tests/Independent`, which shares no code with the program.
public enum IndependentChecker {
  public struct Finding: Sendable {
    /// The certificate whose claim does not follow; nil: a wrong row.
    public var certificate: Int?
    public var what: String
  }

  public struct Failure: Error {
    public var status: Int32
    public var errors: String
  }

  /// Its findings for each database; a file of which it says nothing is an error.
  public static func findings(in files: [String]) async throws -> [String: [Finding]] {
    let ended = await run("check.py", ["--json", "--no-seals"] + files)
    guard [0, 4].contains(ended.status) else {
      throw Failure(status: ended.status, errors: ended.errors)
    }
    var found: [String: [Finding]] = [:]
    for line in ended.output.utf8.split(separator: UInt8(ascii: "\n")) {
      let root = try JSONDocument.read(Array(line)).root
      found[root["file"]?.string ?? ""] = root["findings"]?.elements.map {
        Finding(
          certificate: $0["certificate"]?.integer.map { Int($0) }, what: $0["what"]?.string ?? "")
      }
    }
    guard files.allSatisfy({ found[$0] != nil }) else {
      throw Failure(status: ended.status, errors: "it does not name each file: \(ended.output)")
    }
    return found
  }

  /// How its own test ended, which shows that each of its clauses is needed.
  public static func clauses() async -> BinaryRun.Ended { await run("clauses.py", []) }

  private static func run(_ script: String, _ arguments: [String]) async -> BinaryRun.Ended {
    let path = "\(Golden.root)/Tests/Independent/\(script)"
    return await BinaryRun("/usr/bin/env", ["python3", path] + arguments).end()
  }
}
