import Glibc
@testable import Base
import Testing

@Suite("What can be wrong")
struct TroubleTests {
  @Test("has a sentence and a place that ends it, for each of them", arguments: Trouble.allCases)
  func words(trouble: Trouble) {
    let row = trouble.row
    #expect(!row.what.isEmpty && !row.late.isEmpty && row.command?.hasPrefix("trawl ") == true)
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
    let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
    let path = "\(root)/systemd/README.md"
    let (first, last) = ("Trouble.swift -->\n", "<!-- end of troubles -->")
    let text = try String(contentsOf: path)
    let head = try #require(text.ranges(of: first).first?.upperBound)
    let end = try #require(text.ranges(of: last).first?.lowerBound)
    if getenv("UPDATE_GOLDEN").map({ String(cString: $0) }) == "1" {
      var whole = text
      whole.replaceSubrange(head..<end, with: Trouble.table)
      let file = try #require(fopen(path, "we"))
      fputs(whole, file)
      fclose(file)
    } else {
      #expect(text[head..<end] == Trouble.table)
    }
  }
}

extension String {
  fileprivate init(contentsOf path: String) throws {
    let file = try #require(fopen(path, "re"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    self.init(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
