import Glibc
import Testing

/// Files of the repository that the tests hold equal to what the code says. `UPDATE_GOLDEN=1`
/// writes them anew.
enum Golden {
  static var isUpdating: Bool { getenv("UPDATE_GOLDEN") != nil }

  /// The folder that holds `Package.swift`.
  static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

  static func expect(_ path: String, equals text: String) throws {
    let full = "\(root)/\(path)"
    if isUpdating, try read(full) != text { try write(text, to: full) }
    let stands = try #require(try read(full), "\(path) is missing; run with UPDATE_GOLDEN=1")
    #expect(
      Array(stands.utf8) == Array(text.utf8),
      "\(path) is not what the code says; run with UPDATE_GOLDEN=1 and read the difference")
  }

  static func read(_ path: String) throws -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "we"), "cannot write \(path)")
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }

  /// The names in a folder, sorted.
  static func names(in folder: String) throws -> [String] {
    let directory = try #require(opendir("\(root)/\(folder)"))
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }
}
