import Glibc
import Base
import TestSupport

/// What a run left in `reports`: the JSON, and the page beside it.
struct StoredReport {
  let job: String
  let document: JSONDocument
  let page: String

  /// The last one of a job.
  init(_ job: String, in home: Home) throws {
    self.job = job
    let folder = "\(home.data)/reports/\(job)"
    // Without the ending: the second run of a second is "…Z-2", which comes behind "…Z".
    let names = Self.names(in: folder).filter { $0.hasSuffix(".json") }
      .map { $0.dropLast(".json".count) }.sorted()
    guard let last = names.last else { throw NeverHappened(description: "no report of \(job)") }
    document = try JSONDocument.read(Self.bytes(of: "\(folder)/\(last).json"))
    let html = "\(folder)/\(last).html"
    page = String(decoding: Self.bytes(of: html), as: UTF8.self)
  }

  subscript(_ path: String...) -> JSONValue? {
    path.reduce(Optional(document.root)) { $0?[$1] }
  }

  func number(_ path: String...) -> Int {
    path.reduce(Optional(document.root)) { $0?[$1] }?.integer.map { Int($0) } ?? .min
  }

  var units: [JSONValue] { document.root["lists"]?.elements.map { $0 } ?? [] }

  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }

  static func bytes(of path: String) -> [UInt8] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return bytes
  }
}

extension JSONValue {
  func number(_ name: String) -> Int { self[name]?.integer.map { Int($0) } ?? .min }
  func text(_ name: String) -> String { self[name]?.string ?? "" }
}
