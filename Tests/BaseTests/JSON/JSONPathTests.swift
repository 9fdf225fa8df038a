@testable import Base
import Testing

@Suite("A path")
struct JSONPathTests {
  static let text = #"""
    {"a":{"b":{"c":1}},"items":[{"id":"x","tags":["p","q"]},{"id":"y","tags":[]},7],
     "a.b":{"c d":2},"0":{"0":"zero"},"error":{"details":[{"reason":"R1"},{"other":1},
     {"reason":"R2","reason":"R3"}]},"":5,"q\"\\":6,"*":8,"é":9,"null":null}
    """#

  @Test(
    "leads to the first value in the order of the text",
    arguments: [
      ("a.b.c", "1"), ("items.0.id", #""x""#), ("items.1.tags", "[]"), ("items.2", "7"),
      (#""a.b"."c d""#, "2"), ("0.0", #""zero""#), ("error.details.*.reason", #""R1""#),
      ("items.*.tags.*", #""p""#), ("items.*.tags.1", #""q""#), (#""""#, "5"),
      (#""q\"\\""#, "6"), (#""*""#, "8"), ("é", "9"), ("a.*.c", "1"), ("*.b.c", "1"),
      ("null", "null"), (#"a."b"."c""#, "1"), (#""0".0"#, #""zero""#),
      ("items[-1]", "7"), ("items.0.tags[-1]", #""q""#), ("error.details[-1].reason", #""R2""#),
      ("items[id=y].tags", "[]"), (#""items"[id=x].id"#, #""x""#), ("items.*.tags[-1]", #""q""#),
    ])
  func first(path: String, expected: String) throws {
    let root = try document(Self.text).root
    let found = try #require(try JSONPath(path).first(in: root), "\(path)")
    #expect(String(decoding: found.json, as: UTF8.self) == expected)
  }

  @Test(
    "leads nowhere without a trap",
    arguments: [
      "b", "a.c", "a.b.c.d", "items.3", "items.id", "items.00000000000000000000000001",
      "a.0", "error.details.*.none", "a.b.c.*", "null.x", "items.2.0", "e\u{301}",
      "items.*.id.*", "items.99999999999999999999", "a[-1]", "items.1.tags[-1]", "items[id=z]",
      "items[-1].id", "items[tags=p]", "a.b.c[id=1]", "[-1]", "items[other=1]",
    ])
  func nowhere(path: String) throws {
    #expect(try JSONPath(path).first(in: document(Self.text).root) == nil)
    #expect(try JSONPath(path).all(in: document(Self.text).root).isEmpty)
  }

  @Test("nothing and a dot lead to the value itself", arguments: ["", "."])
  func itself(path: String) throws {
    let path = try JSONPath(path)
    #expect(path.isEmpty)
    #expect(path.first(in: try document("[7]").root)?.count == 1)
    #expect(try document("[7]").root[0].flatMap { path.first(in: $0) }?.integer == 7)
  }

  @Test("with a wildcard leads to all values in order")
  func all() throws {
    let root = try document(Self.text).root
    let reasons = try JSONPath("error.details.*.reason")
    #expect(reasons.hasWildcard)
    // The first of duplicate keys counts.
    #expect(reasons.all(in: root).map(\.string) == ["R1", "R2"])
    #expect(try JSONPath("items.*.tags.*").all(in: root).map(\.string) == ["p", "q"])
    #expect(try JSONPath("a.b.c").all(in: root).map(\.integer) == [1])
    var visited = 0
    let isFound = try JSONPath("*").contains(in: root) { _ in
      visited += 1
      return visited == 3
    }
    #expect(isFound && visited == 3)
    #expect(try !JSONPath("*").contains(in: root) { _ in false })
    #expect(try JSONPath("*").all(in: document("[[1],[2]]").root).map(\.count) == [1, 1])
    #expect(try JSONPath("*.*").all(in: document("[[1],[2]]").root).map(\.integer) == [1, 2])
  }

  @Test("is equal to another spelling of the same way")
  func equality() throws {
    #expect(try JSONPath("a.b") == JSONPath(#""a"."b""#))
    #expect(try JSONPath("a.b").hashValue == JSONPath(#"a."b""#).hashValue)
    #expect(try JSONPath("") == JSONPath("."))
    #expect(try JSONPath("a.b") != JSONPath(#""a.b""#))
    #expect(try JSONPath("\u{E9}") != JSONPath("e\u{301}"))
    #expect(try JSONPath("*") != JSONPath(#""*""#))
    #expect(try JSONPath("a.b").description == "a.b")
  }

  private static let choice =
    "in brackets is [-1], the last entry of a list, or [rel=next], the one that says so; another place is written .0"
  private static let minus =
    "the last entry of a list is written items[-1]; a member of this name is in double quotes"

  @Test("has its steps as they are written, also those that choose from a list")
  func choices() throws {
    let path = try JSONPath("links[rel=next].a[-1]")
    #expect(path.steps == ["links", "[rel=next]", "a", "[-1]"] && path.members == nil)
    #expect(JSONPath.text(of: path.steps) == path.text && path.stepsBeforeChoice == ["links"])
    #expect(JSONPath.text(of: ["a", "-1", "[x]"]) == #"a."-1"."[x]""#)
    #expect(!JSONPath.isSayable("[-1]") && JSONPath.isSayable("-1") && JSONPath.isSayable("[x]"))
    let root = try document(#"{"links":[{"rel":"self"}],"a":[]}"#).root
    #expect(path.choosesNone(in: root))
    #expect(try !JSONPath("b[-1]").choosesNone(in: root))
    #expect(try JSONPath("a[-1]").choosesNone(in: root))
  }

  @Test(
    "that is wrong is refused with the place and the cure",
    arguments: [
      ("a.", 2, "a key expected after the last '.'"),
      (".a", 0, #"a key expected before '.'; a key without characters is written """#),
      ("a..b", 2, #"a key expected before '.'; a key without characters is written """#),
      ("a b", 1, #"a key with this character must be in double quotes: "a key".b"#),
      ("a|b", 1, #"a key with this character must be in double quotes: "a key".b"#),
      ("\u{E9}\u{1F468}\u{200D}\u{1F469}[0]", 2, choice), ("a[=x]", 1, choice), ("a[]", 1, choice),
      ("a[-1", 1, "this '[' has no ']'"), ("a[-1]b", 5, "a '.' expected between two parts"),
      ("a.-1", 2, minus), ("-2", 0, minus),
      ("a*", 1, #"a key with this character must be in double quotes: "a key".b"#),
      ("*a", 1, "a '.' expected between two parts"),
      (#""a"b"#, 3, "a '.' expected between two parts"),
      (#"a."b"#, 2, "this quote has no end"),
      (#""\n""#, 2, #"after '\' only '"' and '\' are known"#),
      (#""\"#, 2, #"after '\' only '"' and '\' are known"#),
    ])
  func refused(path: String, offset: Int, message: String) {
    #expect {
      _ = try JSONPath(path)
    } throws: {
      guard let error = $0 as? JSONPathError else { return false }
      return error.path == path && error.offset == offset && error.message == message
    }
  }

  @Test("has at most 64 parts")
  func longest() throws {
    let most = Array(repeating: "*", count: 64).joined(separator: ".")
    let deep = String(repeating: "[", count: 64) + "1" + String(repeating: "]", count: 64)
    #expect(try JSONPath(most).first(in: document(deep).root)?.integer == 1)
    #expect(throws: JSONPathError.self) { try JSONPath(most + ".*") }
  }

  @Test("knows the names of the members that it ends at, and of elements none")
  func names() throws {
    let document = try JSONDocument.read(
      Array(#"{"a":{"x":1,"y":{"z":2}},"b":[{"k":3},{"l":4,"m":5}]}"#.utf8))
    func names(_ path: String) throws -> [String?] {
      let path = try JSONPath(path)
      #expect(
        !path.endsEverywhere
          || path.names(in: document.root).count == path.all(in: document.root).count)
      return path.names(in: document.root)
    }
    #expect(try names("a.*") == ["x", "y"] && names("*") == ["a", "b"])
    #expect(try names("b.*") == [nil, nil] && names("b.*.*") == ["k", "l", "m"])
    #expect(try names("a.x").isEmpty && names("a.x.*").isEmpty && names("none.*").isEmpty)
  }
}
