import Base
import TestSupport

/// What a run left in `reports`: the JSON, and its page.
struct StoredReport {
  let job: String
  let document: JSONDocument
  let page: String

  /// The last one of a job.
  init(_ job: String, in home: Home) throws {
    self.job = job
    let folder = "\(home.data)/reports/\(job)"
    // Without the suffix: the second run within a second is "…Z-2", which sorts after "…Z".
    let names = ScratchFolder.names(in: folder).filter { $0.hasSuffix(".json") }
      .map { $0.dropLast(".json".count) }.sorted()
    guard let last = names.last else { throw NeverHappened(description: "no report of \(job)") }
    document = try JSONDocument.read(Golden.bytes("\(folder)/\(last).json") ?? [])
    page = Golden.read("\(folder)/\(last).html") ?? ""
  }

  subscript(_ path: String...) -> JSONValue? {
    path.reduce(Optional(document.root)) { $0?[$1] }
  }

  func number(_ path: String...) -> Int {
    path.reduce(Optional(document.root)) { $0?[$1] }?.integer.map { Int($0) } ?? .min
  }

  var units: [JSONValue] { document.root["lists"]?.elements.map { $0 } ?? [] }
}

extension JSONValue {
  func number(_ name: String) -> Int { self[name]?.integer.map { Int($0) } ?? .min }
  func text(_ name: String) -> String { self[name]?.string ?? "" }
}
