internal import Base

/// A job file that cannot be found by name: where it was when the job last ran, and its content.
public struct JobFileNote: Sendable, Equatable {
  public var path: String
  /// A digest of its bytes.
  var print: String
}

extension JobFileNote {
  public init(path: String, text: [UInt8]) {
    self.init(path: path, print: String(Digest64.of(text), radix: 16))
  }
}

extension RecordStore {
  /// Nil: the job is found by its name. Writes only if something changed.
  public func note(file: JobFileNote?, of job: String) throws(StoreError) {
    guard try self.file(of: job) != file else { return }
    try write {
      try connection.set(
        Book.jobs, [("file", SQLValue(file?.path)), ("file_print", SQLValue(file?.print))],
        where: "job = ?", [.text(job)])
    }
  }

  public func file(of job: String) throws(StoreError) -> JobFileNote? {
    try guarded {
      let row = try connection.row(
        "SELECT file, file_print FROM trawl_jobs WHERE job = ?", [.text(job)]
      ) { ($0.text(0), $0.text(1)) }
      guard let path = row?.0 else { return nil }
      return JobFileNote(path: path, print: row?.1 ?? "")
    }
  }
}
