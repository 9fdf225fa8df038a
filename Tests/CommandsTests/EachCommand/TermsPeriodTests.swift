import Glibc
@testable import Commands
import TestSupport
import Testing

@Suite("Terms that name a period")
struct TermsPeriodTests {
  private static func job(_ terms: String, _ more: String = "") -> String {
    """
    { base: "https://api.example", terms: "\(terms)", \(more)
      streams: { things: { get: "/things", records: ".", columns: ["id"] } } }
    """
  }

  @Test("are told by check where nothing keeps them, and else are not")
  func told() async throws {
    let trial = try CommandTrial()
    func told(_ text: String) async throws -> Bool {
      let path = "\(trial.scratch.path)/things.json5"
      Golden.write(text, to: path)
      let ended = try await trial.run(["check", path, "--offline"], ends: .complete)
      return ended.everything.contains("they name a period (30 days)")
    }
    #expect(try await told(Self.job("Stored data has to be deleted after 30 days.")))
    #expect(try await !told(Self.job("Data may be kept for 30 days.", #"retain: "30d","#)))
    #expect(try await !told(Self.job("Ask before you use more than 3 keys.")))
    let youtube = try await trial.run(["check", "youtube", "--offline"], ends: .complete)
    #expect(!youtube.everything.contains("they name a period"))
  }
}
