import Base
import Testing

@testable import Walk

@Suite("An answer that has other lists than the one that is read")
struct OtherListTests {
  private static func read(
    _ body: String, _ records: String, total: String? = nil
  ) throws -> Reading {
    var stream = try FakeJob.stream(.single, size: nil)
    if let total { stream.total = Total(paths: [try JSONPath(total)], trust: .counted) }
    stream.records = try JSONPath(records)
    stream.columns = [Column(name: "id", source: .paths([try JSONPath("id")]))]
    return try FakeJob.read(body, of: stream)
  }

  private static func signs(
    _ body: String, _ records: String, total: String? = nil
  ) throws -> [String] {
    try PageReaderTests.page(read(body, records, total: total)).signs
      .map { "\($0.place) \($0.kind.rawValue) \($0.value)" }
  }

  @Test(
    "says so where its path takes one of several",
    arguments: [
      (
        #"{"groups":[{"things":[{"id":1}]},{"things":[{"id":2}]}]}"#, "groups.0.things",
        #"groups.0.things part one of 2 entries with "things""#
      ),
      (
        #"{"groups":[{"things":[{"id":1}]},{"things":[{"id":2}]}]}"#, "groups[-1].things.*",
        #"groups[-1].things.* part one of 2 entries with "things.*""#
      ),
      // One that is chosen by what it says may be meant.
      (
        #"{"groups":[{"of":"a","things":[{"id":1}]},{"things":[{"id":2}]}]}"#,
        "groups[of=a].things", nil
      ),
      (#"{"groups":[{"things":[{"id":1}]},{"things":[]}]}"#, "groups.0.things", nil),
      (#"{"groups":[{"things":[{"id":1}]},{"other":[{"id":2}]}]}"#, "groups.0.things", nil),
      (#"{"groups":[{"things":[{"id":1}]}]}"#, "groups.0.things", nil),
      (#"{"items":[{"id":1},{"id":2}]}"#, "items.0", "items.0 part one of 2 entries"),
      (#"[{"n":1},[{"id":1},{"id":2},{"id":3}]]"#, "1", nil),
      (#"[{"n":1},[{"id":1},{"id":2},{"id":3}]]"#, "1.*", nil),
    ] as [(String, String, String?)])
  func many(body: String, records: String, sign: String?) throws {
    #expect(try Self.signs(body, records) == [sign].compactMap(\.self))
  }

  @Test("names the path that takes all of them")
  func whole() throws {
    let root = try JSONDocument.read(
      Array(#"{"groups":[{"things":[1]},{"things":[2]}]}"#.utf8)
    ).root
    for path in ["groups.0.things", "groups[-1].things.*"] {
      let told = PageReader.oneOfMany(try JSONPath(path), in: root)
      #expect(told?.hasSuffix(#"is of one of them: write records: "groups.*.things.*""#) == true)
    }
    for (body, path, whole) in [
      (#"{"groups":[{"things":[{"id":1}]}]}"#, "groups.*.things", "groups.*.things.*"),
      (#"[[{"id":1}],[{"id":2}]]"#, ".", "*.*"),
    ] {
      var stream = try FakeJob.stream(.single)
      stream.records = try JSONPath(path)
      stream.columns = [Column(name: "id", source: .paths([try JSONPath("id")]))]
      let told = PageReader.oneOfMany(stream, in: try FakeJob.page(body, of: stream))
      #expect(told?.hasSuffix("leads to lists of records: write records: \"\(whole)\"") == true)
    }
  }

  @Test("names the others beside one that is chosen by what it says, unless the job knows them")
  func named() throws {
    var stream = try FakeJob.stream(.single, size: nil)
    stream.records = try JSONPath("groups[of=a].things")
    let body = #"{"groups":[{"of":"a","things":[{"id":1}]},{"of":"b","things":[{"id":2}]}]}"#
    let page = try FakeJob.page(body, of: stream)
    #expect(
      PageReader.oneOfMany(stream, in: page)
        == #""groups" is a list of 2; "groups[of=a].things" is of one of them: write records: "#
        + #""groups.*.things.*"; if that one is meant, unread should name the path"#)
    stream.unread = [["groups", "[of=a]"]]
    #expect(PageReader.oneOfMany(stream, in: page) == nil)
    // A list in a record has entries of several kinds.
    #expect(
      PageReader.oneOfMany(stream.records, in: page.document.root, isNested: true) == nil)
  }

  @Test(
    "is doubted where its own is empty and another has records with its key",
    arguments: [
      (#"{"items":[],"things":[{"id":1},{"id":2}]}"#, "things unclear 2 records"),
      (#"{"items":[],"data":{"things":[{"id":1}]}}"#, "data.things unclear 1 record"),
      (#"{"items":[{"id":9}],"things":[{"id":1}]}"#, nil),
      (#"{"items":[],"facets":[{"name":"a","count":2}],"links":[{"rel":"self"}]}"#, nil),
      (#"{"items":[],"things":[]}"#, nil), (#"{"items":[],"total":0,"sorts":[{"id":1}]}"#, nil),
    ] as [(String, String?)])
  func other(body: String, sign: String?) throws {
    #expect(try Self.signs(body, "items", total: "total") == [sign].compactMap(\.self))
  }

  @Test("is none beside what its own lists lie in")
  func holder() throws {
    let orders = #"{"orders":[{"id":1,"lines":[]},{"id":2,"lines":[]},{"id":3,"lines":[]}]}"#
    #expect(try Self.signs(orders, "orders.*.lines") == [])
  }

  @Test("that is null is told from one that is not there, with the rule that calls it empty")
  func null() throws {
    for (body, records, place) in [
      (#"{"items":null}"#, "items", "items"), (#"{"data":null}"#, "data.items", "data"),
    ] {
      let rule = #"{ where: "\#(place)", is: "null", then: "empty" }"#
      #expect(
        PageReaderTests.trouble(try Self.read(body, records))?.sentence
          == #"there is no list at "\#(records)"; "\#(place)" is null; if that is how this API says that a "#
          + "list is empty, its job should say so: errors: [\(rule)]")
    }
  }

  @Test("is empty by a rule that says so of null, and by none that says so of any text")
  func rule() throws {
    for (test, isEmpty) in [("null", true), ("*", false), ("nul", false)] {
      var stream = try FakeJob.stream(.single, size: nil)
      var rule = ErrorRule(action: .empty)
      (rule.path, rule.test) = (try JSONPath("items"), test)
      stream.errors = [rule]
      let reading = try FakeJob.read(#"{"items":null}"#, of: stream)
      #expect((PageReaderTests.trouble(reading) == nil) == isEmpty, "\(test)")
    }
  }
}
