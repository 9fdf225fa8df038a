import Glibc
import Testing

/// The files of this checkout, read for the tests that hold its shape.
struct SourceFile: Sendable, CustomTestStringConvertible {
  /// From the root: `Sources/Walk/Walker.swift`.
  var path: String
  var text: String

  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  var name: String { String(path.split(separator: "/").last ?? "") }
  /// The target it belongs to.
  var module: String {
    let folders = path.split(separator: "/").dropLast()
    return String(folders.dropFirst(path.hasPrefix("Tests/Sandbox/") ? 2 : 1).first ?? "")
  }
  var testDescription: String { path }
}

enum Checkout {
  /// The root of the repository, from where this file lies.
  static let root = String(#filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" })

  static func files(under folder: String, endingIn suffix: String = ".swift") -> [SourceFile] {
    var found: [SourceFile] = []
    var queue = [folder]
    while let next = queue.popLast() {
      guard let directory = opendir("\(root)/\(next)") else { continue }
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name.hasPrefix(".") { continue }
        let path = "\(next)/\(name)"
        if entry.pointee.d_type == UInt8(DT_DIR) {
          queue.append(path)
        } else if name.hasSuffix(suffix) {
          found.append(SourceFile(path: path, text: read(path)))
        }
      }
    }
    return found.sorted { $0.path < $1.path }
  }

  static func read(_ path: String) -> String {
    guard let file = fopen("\(root)/\(path)", "re") else { return "" }
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
}
