import Glibc
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
  }

  /// Its findings for each database.
  public static func findings(in files: [String]) async throws -> [String: [Finding]] {
    // Not on a thread that tests share.
    try await withCheckedThrowingContinuation { continuation in
      Detached.run { continuation.resume(with: Result { try check(files) }) }
    }
  }

  /// The output of its own test, which shows that each of its clauses is needed.
  public static func clauses() async throws -> (isRight: Bool, output: String) {
    try await withCheckedThrowingContinuation { continuation in
      Detached.run {
        continuation.resume(
          with: Result {
            let (status, output) = try run("clauses.py", [])
            return (status == 0, String(decoding: output, as: UTF8.self))
          })
      }
    }
  }

  private static func check(_ files: [String]) throws -> [String: [Finding]] {
    let (status, output) = try run("check.py", ["--json", "--no-seals"] + files)
    guard status == 0 || status == 4 << 8 else { throw Failure(status: status) }
    var found: [String: [Finding]] = [:]
    for line in output.split(separator: UInt8(ascii: "\n")) {
      let root = try JSONDocument.read(Array(line)).root
      found[root["file"]?.string ?? ""] = root["findings"]?.elements.map {
        Finding(
          certificate: $0["certificate"]?.integer.map { Int($0) }, what: $0["what"]?.string ?? "")
      }
    }
    return found
  }

  private static func run(
    _ script: String, _ arguments: [String]
  ) throws -> (status: Int32, output: [UInt8]) {
    let words = ["python3", "\(Golden.root)/Tests/Independent/\(script)"] + arguments
    guard let pipe = popen(words.map { "'\($0)'" }.joined(separator: " "), "r") else {
      throw Failure(status: errno)
    }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, pipe)
      if count == 0 { break }
      output += buffer[..<count]
    }
    return (pclose(pipe), output)
  }
}
