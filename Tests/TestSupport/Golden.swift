public import Testing
internal import Base
internal import Glibc

/// Files of the checkout, and expected texts beside the tests. `UPDATE_GOLDEN=1` rewrites these; a missing one is
/// written and the test fails, so that somebody reads it.
public enum Golden {
  public static let isUpdating = getenv("UPDATE_GOLDEN").map { String(cString: $0) } == "1"
  /// The folder that holds `Package.swift`.
  public static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

  /// - Parameter path: relative to the root of the checkout.
  public static func expect(
    _ path: String, equals text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let kept = read("\(root)/\(path)")
    if isUpdating || kept == nil { write(text, to: "\(root)/\(path)") }
    if isUpdating { return }
    guard let kept else {
      Issue.record(
        "\(path) was missing; it is written now: read it", sourceLocation: sourceLocation)
      return
    }
    let (lines, keptLines) = (text.split(separator: "\n"), kept.split(separator: "\n"))
    for (line, keptLine) in zip(lines, keptLines) where line != keptLine {
      #expect(
        line == keptLine, "\(path); UPDATE_GOLDEN=1 accepts it", sourceLocation: sourceLocation)
      return
    }
    #expect(
      Array(text.utf8) == Array(kept.utf8), "\(path); UPDATE_GOLDEN=1 accepts it",
      sourceLocation: sourceLocation)
  }

  public static func bytes(_ path: String) -> [UInt8]? { FileBytes.first(.max, of: path) }

  public static func read(_ path: String) -> String? {
    bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Creates the file's folder if it is missing.
  public static func write(_ text: String, to path: String) { write(Array(text.utf8), to: path) }

  public static func write(_ bytes: [UInt8], to path: String) {
    mkdir(path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }, 0o755)
    guard let file = fopen(path, "we") else {
      Issue.record("\(path) cannot be written")
      return
    }
    let count = fwrite(bytes, 1, bytes.count, file)
    #expect(fclose(file) == 0 && count == bytes.count, "\(path) cannot be written")
  }
}
