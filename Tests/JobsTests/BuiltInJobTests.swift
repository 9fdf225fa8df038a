import JSON
import Model
import Testing

@testable import Jobs

@Suite("The jobs that ship")
struct BuiltInJobTests {
  static let names = BuiltInJobs.all.map(\.name)

  @Test("are every file of the folder jobs, and no other")
  func areAllThere() throws {
    let files = try Golden.names(in: "jobs").filter { $0.hasSuffix(".json5") }
    #expect(files.map { String($0.dropLast(6)) } == Self.names)
  }

  @Test("are compiled in byte for byte", arguments: names)
  func areCompiledIn(name: String) throws {
    let text = try #require(try Golden.read("\(Golden.root)/jobs/\(name).json5"))
    try #require(!text.contains("\"\"\"#") && !text.contains("\\#("), "Swift cannot quote this")
    let word = name.split(separator: "-").enumerated().map { index, part in
      index == 0 ? String(part) : part.prefix(1).uppercased() + part.dropFirst()
    }.joined()
    let source = """
      // swift-format-ignore-file
      // Made from jobs/\(name).json5 by `UPDATE_GOLDEN=1 swift test --filter JobsTests`.
      extension BuiltInJobs {
        static let \(word) = File(
          name: "\(name)",
          text: #\"\"\"

      """ + text + "\"\"\"#)\n}\n"
    try Golden.expect("Sources/Jobs/BuiltIn/BuiltInJobs+\(name).swift", equals: source)
    let lines = source.utf8.count { $0 == UInt8(ascii: "\n") }
    #expect(lines <= 400, "a file of the sources has at most 400 lines")
  }

  @Test("are read without a problem, under their own names", arguments: names)
  func areSound(name: String) throws {
    let library = JobLibrary(userFolder: nil, systemFolder: nil)
    let job = try library.job(name)
    #expect(job.name == name)
    #expect(job.source == "built in: \(name)")
    for stream in job.streams {
      #expect(!stream.columns.isEmpty)
      #expect(job.streams.contains { $0.table == stream.table && $0.ownsTable })
    }
  }
}
