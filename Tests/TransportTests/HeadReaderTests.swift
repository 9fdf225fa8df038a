import Base
@testable import Transport
import Testing

/// Reading an answer's head line by line.
@Suite struct HeadReaderTests {
  private func read(_ lines: [String]) -> (HeadReader, HeadReader.Problem?) {
    var head = HeadReader()
    for line in ["HTTP/1.1 200 OK"] + lines + [""] {
      let problem = Array("\(line)\r\n".utf8).withUnsafeBytes { head.take($0) }
      if let problem { return (head, problem) }
    }
    return (head, nil)
  }

  private static let blanks = ["", " ", "\t", "  \t ", "\u{B}\u{C}"]
  private static let values = ["", "a", "a b", "image/jpeg; q=\"1 \t2\"", "Grün", "1,  2"]

  @Test("a value has no blanks at its ends and all that is between", arguments: blanks, blanks)
  func values(before: String, after: String) throws {
    for value in Self.values {
      let (head, problem) = read(["Content-Type:\(before)\(value)\(after)", "X-Next: 1"])
      #expect(problem == nil)
      #expect(head.fields["content-type"] == value)
      #expect(head.fields.all.map(\.name) == ["Content-Type", "X-Next"])
    }
  }

  @Test("a line that begins with a blank goes on with the value before it")
  func folded() {
    let (head, problem) = read(["X-Long: one", " two ", "\tthree"])
    #expect(problem == nil)
    #expect(head.fields["X-Long"] == "one two three")
    #expect(read([" two"]).1 != nil)
  }

  @Test("a line without a colon is no field")
  func noColon() {
    #expect(read(["nonsense"]).1 == .malformed("a line of its head has no colon"))
  }

  @Test(
    "names hold no blanks, no controls and nothing beyond ASCII",
    arguments: 0...255 as ClosedRange<UInt8>)
  func names(byte: UInt8) {
    // A line's end and colon are no part of a name; a leading blank continues the line before.
    if [10, 13, 58].contains(byte) { return }
    var head = HeadReader()
    _ = Array("HTTP/1.1 200 OK\r\n".utf8).withUnsafeBytes { head.take($0) }
    let line = Array("X".utf8) + [byte] + Array("Y: 1\r\n".utf8)
    let problem = line.withUnsafeBytes { head.take($0) }
    let isLetter = (65...90).contains(byte) || (97...122).contains(byte)
    let isRight =
      isLetter || (48...57).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    #expect((problem == nil) == isRight)
  }

  @Test(
    "one length is a number that is told once, or the same each time",
    arguments: [
      (["12"], 12), (["12", "12"], 12), (["12, 12"], 12), ([" 0 "], 0), ([], nil), ([""], nil),
      ([" , "], nil),
    ] as [([String], Int?)])
  func length(told: [String], length: Int?) {
    let (head, problem) = read(told.map { "Content-Length: \($0)" })
    #expect(problem == nil)
    #expect(head.framing == length.map { .length($0) } ?? .untilClose)
  }

  @Test(
    "other lengths are no answer",
    arguments: [
      ["12", "13"], ["12, 13"], ["12", "012"], ["-1"], ["1 2"], ["0x10"], ["+1"], ["٣"],
    ])
  func noLength(told: [String]) {
    #expect(read(told.map { "content-length: \($0)" }).1 != nil)
  }

  @Test("a body is packed by gzip or not at all, and another packing is named")
  func packing() {
    for name in ["identity", "none", "UTF-8", "", "gzip", "X-GZIP"] {
      let (head, problem) = read(["Content-Encoding: \(name)"])
      #expect(problem == nil && head.isGzip == name.lowercased().hasSuffix("gzip"))
    }
    for (name, told) in [("br", " (br)"), ("a-secret", "")] {
      let problem = read(["Content-Encoding: \(name)"]).1
      #expect(problem == .malformed("it is packed in a way that was not requested\(told)"))
    }
  }
}
