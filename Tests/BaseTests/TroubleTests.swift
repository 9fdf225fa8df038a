@testable import Base
import TestSupport
import Testing

@Suite("What can be wrong")
struct TroubleTests {
  @Test("has a sentence and a place that ends it, for each of them", arguments: Trouble.allCases)
  func words(trouble: Trouble) {
    let row = trouble.row
    let isCommand = ["trawl ", "systemctl "].contains { row.command?.hasPrefix($0) == true }
    #expect(!row.what.isEmpty && !row.late.isEmpty && isCommand)
    // A command follows.
    #expect(row.late.utf8.last != UInt8(ascii: "."))
    #expect(
      (row.soon == nil) == row.isUrgent, "what may wait is first said without a person")
    for said in [row.soon, row.late] where row.isOfJobFile || row.isUrgent {
      #expect(said?.contains("next run") != true, "no run heals it")
    }
    let line = Trouble.table.split(separator: "\n").first { $0.hasPrefix("| \(row.what) |") }
    let heals = !row.isUrgent && !row.isOfJobFile
    #expect(line?.hasPrefix("| \(row.what) | \(heals ? "yes" : "no") |") == true)
  }

  @Test("heals by no run where the job file has to be edited")
  func jobFile() {
    let edited = Trouble.allCases.filter(\.row.isOfJobFile)
    #expect(edited == [.rejects, .unread, .ambiguous, .cap])
  }

  @Test("stands in systemd/README.md as the program has it; UPDATE_GOLDEN=1 writes it")
  func table() throws {
    let path = "systemd/README.md"
    let (first, last) = ("Trouble.swift -->\n", "<!-- end of troubles -->")
    let text = try #require(Golden.read("\(Golden.root)/\(path)"))
    let head = try #require(text.ranges(of: first).first?.upperBound)
    let end = try #require(text.ranges(of: last).first?.lowerBound)
    Golden.expect(path, equals: "\(text[..<head])\(Trouble.table)\(text[end...])")
  }
}
