import Glibc
import Testing

@testable import Base

@Suite("Hostile documents")
struct HostileDocumentTests {
  @Test("valid ones are read, by both readers alike")
  func valid() throws {
    #expect(HostileDocuments.valid.count > 95)
    for text in HostileDocuments.valid {
      let bytes = Array(text.utf8)
      let fast = try #require(try? JSONDocument.read(bytes), "\(text)")
      #expect(!fast.isReadTolerantly, "\(text)")
      let slow = try #require(try? JSONDocument.readTolerantly(bytes), "\(text)")
      #expect(TolerantReaderTests.areIdentical(fast, slow), "\(text)")
      #expect(fast.withBytes { Array($0) } == bytes)
    }
  }

  @Test("broken ones are refused with a place within the text")
  func broken() {
    #expect(HostileDocuments.broken.count > 180)
    for text in HostileDocuments.broken {
      let bytes = Array(text.utf8)
      #expect("\(text.debugDescription)") {
        _ = try JSONDocument.read(bytes)
      } throws: {
        guard let error = $0 as? JSONError else { return false }
        return error.offset <= bytes.count
          && [.syntax, .truncated, .empty].contains(error.kind) && !error.message.isEmpty
      }
    }
  }

  /// What the standard leaves open, and what this reader does.
  enum Ruling: Sendable {
    case string(String, repaired: Int = 0, rawControls: Int = 0)
    case kind(JSONValue.Kind, huge: Int = 0)
    case refused(JSONError.Kind, at: Int)
  }

  private static func quoted(_ bytes: [UInt8]) -> [UInt8] { [0x22] + bytes + [0x22] }

  static let rulings: [([UInt8], Ruling)] = [
    // Lone surrogates: each becomes one U+FFFD.
    (Array(#""\ud800""#.utf8), .string("\u{FFFD}", repaired: 1)),
    (Array(#""\uDC00x""#.utf8), .string("\u{FFFD}x", repaired: 1)),
    (Array(#""\ud800\ud800""#.utf8), .string("\u{FFFD}\u{FFFD}", repaired: 1)),
    (Array(#""\udc00\ud800""#.utf8), .string("\u{FFFD}\u{FFFD}", repaired: 1)),
    (Array(#""\ud800\u0041""#.utf8), .string("\u{FFFD}A", repaired: 1)),
    (Array(#""\ud800\n""#.utf8), .string("\u{FFFD}\n", repaired: 1)),
    (Array(#""\ud800\ud83d\ude00""#.utf8), .string("\u{FFFD}\u{1F600}", repaired: 1)),
    (Array(#""\ud800""#.utf8.dropLast()), .refused(.truncated, at: 7)),
    (Array(#""\ud800\u12""#.utf8), .refused(.syntax, at: 11)),
    // Bytes that are not UTF-8: each broken sequence becomes one U+FFFD.
    (quoted([0xFF]), .string("\u{FFFD}", repaired: 1)),
    (quoted([0x61, 0xE9, 0x62]), .string("a\u{FFFD}b", repaired: 1)),
    (quoted([0xC0, 0x80]), .string("\u{FFFD}\u{FFFD}", repaired: 1)),
    (quoted([0xC1, 0xBF]), .string("\u{FFFD}\u{FFFD}", repaired: 1)),
    (quoted([0xE0, 0x80, 0xAF]), .string("\u{FFFD}\u{FFFD}\u{FFFD}", repaired: 1)),
    (quoted([0xED, 0xA0, 0x80]), .string("\u{FFFD}\u{FFFD}\u{FFFD}", repaired: 1)),
    (quoted([0xF4, 0x90, 0x80, 0x80]), .string("\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}", repaired: 1)),
    (
      quoted([0xF8, 0x88, 0x80, 0x80, 0x80]),
      .string(String(repeating: "\u{FFFD}", count: 5), repaired: 1)
    ),
    (quoted([0xE2, 0x82]), .string("\u{FFFD}", repaired: 1)),
    (quoted([0x80]), .string("\u{FFFD}", repaired: 1)),
    (quoted([0xF0, 0x9F, 0x98, 0x80]), .string("\u{1F600}")),
    ([0x5B, 0xFF, 0x5D], .refused(.syntax, at: 1)),
    // Raw control characters in strings are kept.
    (quoted([0x09]), .string("\t", rawControls: 1)),
    (quoted([0x61, 0x0A, 0x62, 0x0D]), .string("a\nb\r", rawControls: 1)),
    (quoted([0x00]), .string("\0", rawControls: 1)),
    (quoted([0x1F, 0xFF]), .string("\u{1F}\u{FFFD}", repaired: 1, rawControls: 1)),
    (quoted([0x7F]), .string("\u{7F}")),
    // Numbers beyond 64 bits keep their text.
    (Array("18446744073709551616".utf8), .kind(.hugeNumber, huge: 1)),
    (Array("-9223372036854775809".utf8), .kind(.hugeNumber, huge: 1)),
    (Array("1e400".utf8), .kind(.hugeNumber, huge: 1)),
    (Array("-1.5e+999999999999999999999".utf8), .kind(.hugeNumber, huge: 1)),
    (Array("1e-400".utf8), .kind(.real)),
    (Array("123123123123123123123123123123".utf8), .kind(.hugeNumber, huge: 1)),
    (Array("[1e400,2,18446744073709551616]".utf8), .kind(.array, huge: 2)),
    (Array("-18446744073709551615".utf8), .kind(.hugeNumber, huge: 1)),
    // Encodings: only UTF-8; its byte order mark is skipped once.
    ([0xEF, 0xBB, 0xBF, 0x5B, 0x5D], .kind(.array)),
    ([0xEF, 0xBB, 0xBF], .refused(.empty, at: 3)),
    ([0xEF, 0xBB, 0xBF, 0x5B], .refused(.truncated, at: 4)),
    ([0xEF, 0xBB, 0x5B, 0x5D], .refused(.syntax, at: 0)),
    ([0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], .refused(.syntax, at: 0)),
    ([0xFE, 0xFF, 0x00, 0x5B, 0x00, 0x5D], .refused(.syntax, at: 0)),
    ([0x5B, 0x00, 0x5D, 0x00], .refused(.syntax, at: 1)),
    ([0x00, 0x00, 0x00, 0x5B], .refused(.syntax, at: 0)),
  ]

  @Test("what the standard leaves open is decided once", arguments: rulings)
  func decided(bytes: [UInt8], ruling: Ruling) throws {
    switch ruling {
    case .string(let text, let repaired, let rawControls):
      let document = try JSONDocument.read(bytes)
      #expect(document.root.withUTF8 { Array($0) } == Array(text.utf8))
      #expect(document.repairedStrings == repaired)
      #expect(document.isReadTolerantly == (repaired + rawControls > 0))
    case .kind(let kind, let huge):
      let document = try JSONDocument.read(bytes)
      #expect(document.root.kind == kind)
      #expect(document.isReadTolerantly == (huge > 0))
      #expect(document.repairedStrings == 0)
    case .refused(let kind, let offset):
      #expect {
        _ = try JSONDocument.read(bytes)
      } throws: {
        ($0 as? JSONError)?.kind == kind && ($0 as? JSONError)?.offset == offset
      }
    }
  }

  @Test("a broken key is mended like any other string")
  func keys() throws {
    let document = try JSONDocument.read(Array(("{\"\\ud800\":1,\"" + "\u{1}\":2}").utf8))
    #expect(document.root["\u{FFFD}"]?.integer == 1)
    #expect(document.root["\u{1}"]?.integer == 2)
    #expect(document.repairedStrings == 1)
  }

  @Test(
    "an error says what is wrong at which byte",
    arguments: [
      ("[1,]", "not JSON: a value expected, found ']', at byte 3"),
      ("{\"a\":1,}", "not JSON: a key in double quotes expected, found '}', at byte 7"),
      ("{\"a\" 1}", "not JSON: ':' expected after the key, found '1', at byte 5"),
      ("[1 2]", "not JSON: ',' or ']' expected after an element, found '2', at byte 3"),
      (
        "{\"a\":1",
        "not JSON: the document ends early: ',' or '}' expected after a member, at byte 6"
      ),
      ("<html>", "not JSON: a value expected, found '<', at byte 0"),
      ("[nulll]", "not JSON: ',' or ']' expected after an element, found 'l', at byte 5"),
      ("[01]", "not JSON: a number has no leading zeros, found '1', at byte 2"),
      ("[1] x", "not JSON: the end of the document expected after its value, found 'x', at byte 4"),
      ("[\"ab", "not JSON: the string that begins at byte 1 has no end, at byte 4"),
      ("[\u{1}]", "not JSON: a value expected, found byte 0x01, at byte 1"),
      ("[nul]", "not JSON: 'null' expected, found 'n', at byte 1"),
      (" ", "not JSON: nothing but white space, at byte 1"),
    ])
  func message(text: String, message: String) {
    #expect {
      _ = try document(text)
    } throws: {
      "\($0)" == message
    }
  }

  @Test("1,024 levels are read and 1,025 are refused, by both readers, in lists and objects")
  func depth() throws {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      func nested(_ levels: Int, _ inner: String) -> [UInt8] {
        Array(
          (String(repeating: open, count: levels) + inner + String(repeating: close, count: levels))
            .utf8)
      }
      // An empty list adds no level.
      for inner in ["1", "[]", "\"\\ud800\""] {
        let deepest = nested(1_024, inner)
        let document = try JSONDocument.read(deepest)
        #expect(try JSONDocument.read(document.root.json).root.json == document.root.json)
        #expect(try JSONDocument.readTolerantly(deepest).root.json == document.root.json)
        let tooDeep = JSONError.depth(at: 1_024 * open.utf8.count)
        #expect(throws: tooDeep) { try JSONDocument.read(nested(1_025, inner)) }
        #expect(throws: tooDeep) { try JSONDocument.readTolerantly(nested(1_025, inner)) }
      }
    }
  }

  @Test("the measuring of long texts refuses nothing that the readers take")
  func measuring() throws {
    let deepest = String(repeating: "[", count: 1_024) + "[]" + String(repeating: "]", count: 1_024)
    let inString = "[\"" + String(repeating: "[{\\\"\\\\", count: 2_000) + "\"]"
    let wide = "[" + String(repeating: "[{}],", count: 2_000) + "{}]"
    for text in [deepest, inString, wide] + HostileDocuments.valid {
      #expect(try !document(text).isReadTolerantly)
      try Array(text.utf8).withUnsafeBytes { try JSONDocument.measureDepth($0) }
    }
    let tooDeep = Array("{\"a\":\"[\",\"b\":\(String(repeating: "[", count: 1_025))".utf8)
    #expect(throws: JSONError.depth(at: tooDeep.count - 1)) {
      try tooDeep.withUnsafeBytes { try JSONDocument.measureDepth($0) }
    }
  }

  @Test("16 MB of brackets take no memory beyond the text", .enabled(if: isPlainBuild))
  func bracketBomb() async {
    await #expect(processExitsWith: .success) { exit(readBracketBombs()) }
  }
}

/// A sanitizer keeps freed memory, so nothing can be said about how much is in use.
private let isPlainBuild = dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil

/// Runs in its own process, whose memory is measured at the end; 0: all is well.
private func readBracketBombs() -> Int32 {
  let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 16 << 20)
  for bytes in [bomb, Array("[\"a\",".utf8) + bomb] {
    guard isTooDeep({ try JSONDocument.read(bytes) }) else { return 2 }
    guard isTooDeep({ try JSONDocument.readTolerantly(bytes) }) else { return 3 }
  }
  guard let peak = peakKilobytes() else { return 4 }
  return peak < 128 << 10 ? 0 : 5
}

private func isTooDeep(_ read: () throws -> JSONDocument) -> Bool {
  do {
    _ = try read()
    return false
  } catch {
    guard let error = error as? JSONError else { return false }
    return error.kind == .tooDeep && error.offset < 2_000
  }
}

/// The peak memory of this process since it began: `getrusage` would return that of its parent, if larger.
private func peakKilobytes() -> Int? {
  guard let bytes = FileBytes.first(1 << 14, of: "/proc/self/status") else { return nil }
  let text = String(decoding: bytes, as: UTF8.self)
  let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
}
