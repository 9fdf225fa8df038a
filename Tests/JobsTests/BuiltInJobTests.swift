import Base
@testable import Jobs
import TestSupport
import Testing

@Suite("The jobs that ship")
struct BuiltInJobTests {
  static let names = BuiltInJobs.all.map(\.name)

  @Test("are every file of the folder jobs, and no other")
  func areAllThere() throws {
    let files = ScratchFolder.names(in: "\(Golden.root)/jobs").sorted()
      .filter { $0.hasSuffix(".json5") }
    #expect(files.map { String($0.dropLast(6)) } == Self.names)
  }

  @Test("are compiled in byte for byte", arguments: names)
  func areCompiledIn(name: String) throws {
    let text = try #require(Golden.read("\(Golden.root)/jobs/\(name).json5"))
    #expect(BuiltInJobs.file(name)?.text == Array(text.utf8))
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
