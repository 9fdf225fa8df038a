internal import CBuiltInJobs

/// The job files of the folder `jobs`, compiled in, so that the bare binary has them.
enum BuiltInJobs {
  /// A job file: its name without `.json5`, and its text.
  struct File: Sendable {
    let name: String
    let text: [UInt8]
  }

  /// In the order of the files.
  static let all: [File] = {
    var files: [File] = []
    guard var next = built_in_jobs() else { return files }
    while let name = next.pointee.name {
      let text = UnsafeBufferPointer(start: next.pointee.text, count: next.pointee.length)
      files.append(File(name: String(cString: name), text: Array(text)))
      next += 1
    }
    return files
  }()

  static func file(_ name: String) -> File? {
    all.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
