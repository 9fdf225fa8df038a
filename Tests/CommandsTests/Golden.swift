import Glibc
import Testing

/// Texts that stand beside the tests. `UPDATE_GOLDEN=1` writes them anew; a missing one is written
/// and fails, so that somebody reads it.
enum Golden {
  static let isUpdating = getenv("UPDATE_GOLDEN").map { String(cString: $0) } == "1"
  static let root = String(#filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" })

  static func expect(
    _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let path = "\(root)/Tests/CommandsTests/Golden/\(name)"
    if isUpdating {
      write(text, to: path)
      return
    }
    guard let kept = read(path) else {
      write(text, to: path)
      Issue.record(
        "\(name) was missing; it is written now: read it", sourceLocation: sourceLocation)
      return
    }
    let (lines, keptLines) = (text.split(separator: "\n"), kept.split(separator: "\n"))
    for (line, keptLine) in zip(lines, keptLines) where line != keptLine {
      #expect(
        line == keptLine, "\(name); UPDATE_GOLDEN=1 accepts it", sourceLocation: sourceLocation)
      return
    }
    #expect(text == kept, "\(name); UPDATE_GOLDEN=1 accepts it", sourceLocation: sourceLocation)
  }

  static func read(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func write(_ text: String, to path: String) {
    let folder = path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    mkdir(folder, 0o755)
    guard let file = fopen(path, "we") else {
      Issue.record("\(path) cannot be written")
      return
    }
    fwrite(text, 1, text.utf8.count, file)
    fclose(file)
  }
}
