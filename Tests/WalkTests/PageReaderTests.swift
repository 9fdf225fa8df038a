import Base
@testable import Walk
import Testing

@Suite("Reading an answer as a page")
struct PageReaderTests {
  static let place = "https://api.example/v1/things?size=2"

  static func answer(
    _ body: String, status: Int = 200, _ fields: [HeaderField] = [], at address: String = place
  ) throws -> Answer {
    Answer(
      status: status, fields: HeaderFields(fields), body: Array(body.utf8),
      address: try WebAddress(address), sentAt: .init(seconds: 0), receivedAt: .init(seconds: 1))
  }

  static func read(
    _ answer: Answer, _ pager: Pager = .single, records: String = "items",
    change: (inout Base.Stream, inout Job) throws -> Void = { _, _ in }
  ) throws -> Reading {
    var stream = try FakeJob.stream(pager, total: .counted, more: true)
    stream.records = try JSONPath(records)
    var job = try FakeJob.job(stream)
    try change(&stream, &job)
    return PageReader(job: job, stream: stream).read(answer, AnswerBody(answer))
  }

  static func page(_ reading: Reading) throws -> Page {
    guard case .page(let page) = reading else {
      Issue.record("no page: \(reading)")
      throw CancellationError()
    }
    return page
  }

  static func trouble(_ reading: Reading) -> PageTrouble? {
    if case .trouble(let trouble) = reading { trouble } else { nil }
  }

  /// The page that is read from an answer with this body.
  static func page(
    _ body: String, _ pager: Pager = .single, records: String = "items"
  ) throws -> Page { try page(read(answer(body), pager, records: records)) }

  static func trouble(
    _ body: String, _ pager: Pager = .single, records: String = "items"
  ) throws -> PageTrouble? { try trouble(read(answer(body), pager, records: records)) }

  @Test("takes the records and the signs that the stream declares")
  func whole() throws {
    let page = try Self.page(
      Self.read(
        Self.answer(
          #"{"items":[{"id":1},{"id":2}],"total":7,"more":true}"#,
          [HeaderField("ETag", "W/\"x\"")])
      ) { stream, _ in stream.isConditional = true })
    #expect(page.records.count == 2 && page.total == 7 && page.more == true && page.next == nil)
    #expect(page.etag == "W/\"x\"")
  }

  @Test(
    "reads the letters of an answer in the encoding that it names, and in UTF-8 whatever it names",
    arguments: [
      ([0x63, 0x61, 0x66, 0xE9], "ISO-8859-1", "café"),
      ([0xEF, 0xF0, 0xE8], "windows-1251", "при"),
      ([0x63, 0x61, 0x66, 0xC3, 0xA9], "ISO-8859-1", "café"), ([0x63, 0xE9], nil, "c\u{FFFD}"),
      ([0xC3, 0xA9, 0xC3, 0xB6, 0xC3], "ISO-8859-1", "éö\u{FFFD}"),
    ] as [([UInt8], String?, String)])
  func letters(bytes: [UInt8], charset: String?, text: String) throws {
    var answer = try Self.answer(
      "",
      [HeaderField("Content-Type", "application/json" + (charset.map { "; charset=\($0)" } ?? ""))])
    answer.body = Array(#"{"items":[{"id":""#.utf8) + bytes + Array(#""}],"total":1}"#.utf8)
    let page = try Self.page(Self.read(answer))
    #expect(page.records[0]["id"]?.string == text)
    #expect(page.document.repairedStrings == (text.contains("\u{FFFD}") ? 1 : 0))
  }

  @Test(
    "takes the time of the last change only where a second has gone by since",
    arguments: [
      ("Thu, 26 Nov 2026 08:00:00 GMT", "Thu, 26 Nov 2026 08:00:01 GMT", true),
      ("Thu, 26 Nov 2026 08:00:00 GMT", "Thu, 26 Nov 2026 08:00:00 GMT", false),
      ("Thu, 26 Nov 2026 08:00:01 GMT", "Thu, 26 Nov 2026 08:00:00 GMT", false),
      ("yesterday", "Thu, 26 Nov 2026 08:00:00 GMT", false),
    ])
  func lastModified(changed: String, made: String, isTaken: Bool) throws {
    let page = try Self.page(
      Self.read(
        Self.answer(
          #"{"items":[],"total":0,"more":false}"#,
          [HeaderField("Last-Modified", changed), HeaderField("Date", made)])
      ) { stream, _ in stream.isConditional = true })
    #expect(page.lastModified == (isTaken ? changed : nil))
  }

  @Test("takes every record of an answer, however many")
  func many() throws {
    let count = 1_100_000
    let body = "{\"items\":[\(String(repeating: "1,", count: count - 1))1]}"
    #expect(try Self.page(body, records: "items.*").records.count == count)
  }

  @Test("takes a top list, an object as one record, and plain texts")
  func shapes() throws {
    #expect(try Self.page("[1,2,3]", records: ".").records.count == 3)
    #expect(try Self.page(#"{"id":1}"#, records: ".").records.count == 1)
    let one = try Self.page(#"{"data":{"id":"x"}}"#, records: "data")
    #expect(one.records.first?["id"]?.string == "x")
    let texts = try Self.page(#"{"data":["a","b"]}"#, records: "data").records
    #expect(texts.map(\.string) == ["a", "b"])
    let deep = #"{"a":[{"b":[1,2]},{"b":[3]}]}"#
    #expect(try Self.page(deep, records: "a.*.b.*").records.count == 3)
  }

  @Test(
    "reads a total as a number or as text, and nothing below zero",
    arguments: [
      ("7", 7), ("\"7\"", 7), ("7.0", 7), ("0", 0), ("-1", nil), ("null", nil), ("\"many\"", nil),
      ("7.5", nil), ("1e300", nil), ("99999999999999999999", nil), ("[]", nil),
      ("1000000000000", 1_000_000_000_000), ("9223372036854775807", nil),
    ])
  func totals(text: String, total: Int?) throws {
    #expect(try Self.page(#"{"items":[],"total":\#(text)}"#).total == total)
  }

  @Test(
    "reads a flag in each form",
    arguments: [
      ("true", true), ("false", false), ("\"true\"", true), ("\"false\"", false), ("1", true),
      ("0", false), ("null", nil), ("\"yes\"", nil), ("2", nil),
    ])
  func flags(text: String, flag: Bool?) throws {
    #expect(try Self.page(#"{"items":[],"more":\#(text)}"#).more == flag)
  }

  @Test(
    "takes a missing list for an empty page only beside another sign, an empty one always, by any path",
    arguments: [
      (#"{"items":[]}"#, true), (#"{"items":[],"error":"down"}"#, true),
      (#"{"total":0}"#, true), (#"{"more":false}"#, true), (#"{"items":null,"total":665}"#, false),
      (#"{"items":null,"total":0}"#, true), (#"{"items":null,"total":0,"more":true}"#, false),
      (#"{"items":null,"total":0,"error":"down"}"#, false), (#"{"items":[],"message":"x"}"#, true),
      (#"{"items":null,"more":false,"status":500}"#, false),
      (#"{"items":null}"#, false), (#"{}"#, false), (#"{"message":"sorry"}"#, false),
      (#"{"error":{"total":0}}"#, false), (#"{"total":"none"}"#, false),
    ])
  func missingList(body: String, isPage: Bool) throws {
    for records in ["items", "items.*", "items.*.node"] {
      let reading = try Self.read(Self.answer(body), records: records)
      if isPage {
        #expect(try Self.page(reading).records.isEmpty, "\(records)")
      } else {
        #expect(Self.trouble(reading)?.cause == .parse, "\(records)")
      }
    }
  }

  @Test("takes no list beside a next token for no page, and beside none for an empty one")
  func tokenAlone() throws {
    for body in [#"{"next":"t"}"#, #"{"items":null,"next":"t"}"#, #"{"next":"t","total":0}"#] {
      let trouble = try Self.trouble(body, FakeJob.token())
      #expect(trouble?.sentence.hasSuffix(", and it names a next page") == true, "\(body)")
    }
    let page = try Self.page(#"{"items":null,"next":null}"#, FakeJob.token())
    #expect(page.records.isEmpty && page.next == nil)
  }

  @Test("takes no list behind all that the total counts for an empty page, and none before")
  func behindTotal() throws {
    let stream = try FakeJob.stream(FakeJob.number, size: 10, total: .estimate)
    let answer = try Self.answer(#"{"items":null,"total":20}"#)
    let behind = try FakeJob.read(answer, of: stream, at: .number(3))
    #expect(try Self.page(behind).records.isEmpty)
    for cursor in [Cursor.number(1), .number(2), .start] {
      #expect(Self.trouble(try FakeJob.read(answer, of: stream, at: cursor)) != nil)
    }
  }

  @Test("takes one object in the place of a paged list for no list")
  func messageForList() throws {
    let body = #"{"message":"slow down"}"#
    let trouble = try Self.trouble(body, FakeJob.number, records: ".")
    let told = "the answer is not a list; the answer has message; it says \"slow down\""
    #expect(trouble?.sentence == told)
  }

  @Test(
    "tells what was due and what is there instead, such as a list elsewhere",
    arguments: [
      (#"{"items":"none"}"#, "a list or an object is due at \"items\", and text is there"),
      (#"{"items":5}"#, "a list or an object is due at \"items\", and a number is there"),
      (
        #"{"code":1,"message":"x"}"#,
        "there is no list at \"items\"; the answer has code, message; it says \"x\""
      ),
      (
        "{}",
        "there is no list at \"items\"; the answer is an empty object; if that is how this API says that a "
          + "list is empty, its job should say so: errors: [{ is: \"{}\", then: \"empty\" }]"
      ),
      ("\"OK\"", "there is no list at \"items\"; the answer is text"),
      ("[]", "there is no list at \"items\"; the answer is a list"),
      (
        #"{"results":[{"id":1}],"n":1}"#,
        "there is no list at \"items\"; the answer has results, n; a list is at \"results\""
      ),
      (
        #"{"data":{"items":[]},"ok":true}"#,
        "there is no list at \"items\"; the answer has data, ok; a list is at \"data.items\""
      ),
    ])
  func sentences(body: String, sentence: String) throws {
    let trouble = try Self.trouble(body)
    #expect(trouble?.cause == .parse && trouble?.sentence == sentence)
    #expect(trouble?.isOfAnotherShape == true)
  }

  @Test("tells an empty body from one that is no JSON")
  func bodies() throws {
    for body in ["", "  \r\n"] { #expect(try Self.trouble(body)?.cause == .empty) }
    for body in ["<html>", "{\"items\":[", "nul", "{\"items\":[]} x"] {
      #expect(try Self.trouble(body)?.cause == .parse, "\(body)")
    }
  }

  @Test(
    "names what came in place of JSON, by its type and its first letters",
    arguments: [
      (
        "text/csv", "id,title\n1,One",
        "the answer is not JSON: it is \"text/csv\" and begins with "
          + "\"id,title 1,One\""
      ),
      (
        "text/html; charset=utf-8", " <!DOCTYPE html>\n<html><head><title>A page of some length",
        "the answer is not JSON: it is \"text/html\" and begins with "
          + "\"<!DOCTYPE html> <html><head><title>A pag…\""
      ),
      (
        "application/atom+xml", "<feed/>",
        "the answer is not JSON: it is \"application/atom+xml\" and begins with \"<feed/>\""
      ),
      (
        "application/json", "[\0]\0",
        "the answer is in UTF-16 or UTF-32; JSON is read in UTF-8 alone"
      ),
      (
        "application/json", #"{"id":1}"# + "\n" + #"{"id":2}"#,
        "the answer has one JSON document on each line, and none that holds them all"
      ),
    ])
  func foreign(type: String, body: String, sentence: String) throws {
    let trouble = try Self.trouble(
      Self.read(Self.answer(body, [HeaderField("Content-Type", type)])))
    #expect(trouble?.sentence == sentence && trouble?.isOfAnotherShape == true)
  }

  @Test("takes what may be JSON that was cut, or hidden by something in front, for passing")
  func damaged() throws {
    for (type, body) in [
      ("application/json", "<html>"), ("text/html", "{\"items\":["), ("text/plain", "[1,"),
      ("application/vnd.github+json", "oops"),
    ] {
      let trouble = try Self.trouble(
        Self.read(Self.answer(body, [HeaderField("Content-Type", type)])))
      #expect(trouble?.isOfAnotherShape == false, "\(type)")
    }
  }

  @Test("says how a path goes into the entries of a list on its way")
  func listOnTheWay() throws {
    let body = #"{"items":{"edges":[{"node":{"id":1}}]}}"#
    let trouble = try Self.trouble(body, FakeJob.number, records: "items.edges.node")
    let told =
      #""items.edges" is a list; to go into each of its entries write "items.edges.*.node""#
    #expect(trouble?.sentence.holds(told) == true, "\(trouble?.sentence ?? "")")
    let one = try Self.trouble(#"{"items":[]}"#, FakeJob.number, records: "items.0")
    #expect(one?.sentence.holds("write records: \"items\"") == true, "\(one?.sentence ?? "")")
  }

  @Test("knows 204, 202 and 304 for what they are")
  func statuses() throws {
    #expect(try Self.trouble(Self.read(Self.answer("", status: 204)))?.cause == .empty)
    guard case .later = try Self.read(Self.answer("{}", status: 202)) else {
      Issue.record("202 is later")
      return
    }
    guard case .notModified = try Self.read(Self.answer("", status: 304)) else {
      Issue.record("304 is not modified")
      return
    }
    #expect(try Self.trouble(Self.read(Self.answer("{}", status: 503)))?.cause == .server)
  }

  @Test(
    "reads a token of any form, and none where none is named",
    arguments: [
      ("\"CDIQAA\"", "CDIQAA"), ("50", "50"), ("99999999999999999999", "99999999999999999999"),
      ("\"\"", nil), ("null", nil), ("false", nil),
    ])
  func tokens(text: String, token: String?) throws {
    let next = try Self.page(#"{"items":[1],"next":\#(text)}"#, FakeJob.token()).next
    #expect(next == token.map { .token($0) })
  }

  @Test(
    "is in trouble where a next page is named in no form at all, or without end",
    arguments: ["{}", "true", "\"\(String(repeating: "x", count: 20_000))\""])
  func strangeToken(text: String) throws {
    let trouble = try Self.trouble(#"{"items":[1],"next":\#(text)}"#, FakeJob.token())
    #expect(trouble?.cause == .parse, "it must not look like the end")
  }

  static let references: [(String, String, String?)] = [
    ("https://api.example/v1/things?page=2", "https://api.example/v1/things?page=2", nil),
    ("/v1/more?page=2", "https://api.example/v1/more?page=2", nil),
    ("?page=2", "https://api.example/moved/7?page=2", nil),
    ("https://api.example/x?api_key=S3CRET&p=2", "https://api.example/x?p=2", nil),
    ("https://api.example/x?api%5Fkey=S3CRET", "https://api.example/x", nil),
    ("https://api.example/x?token=***&p=2&a=b=***", "https://api.example/x?p=2&a=b=***", nil),
    ("https://other.example/x?p=2", "https://other.example/x?p=2", "https://other.example"),
    ("http://api.example/x", "http://api.example/x", "http://api.example"),
    ("//cdn.example/x", "https://cdn.example/x", "https://cdn.example"),
    ("https://api.example/x?q=a b", "https://api.example/x?q=a%20b", nil),
  ]

  @Test(
    "follows a next address wherever it leads from where the answer came from, without the key",
    arguments: references)
  func addresses(reference: String, expected: String, origin: String?) throws {
    let redirected = "https://api.example/moved/7"
    let change = { (_: inout Base.Stream, job: inout Job) in
      job.authentication = Authentication(place: .query(name: "api_key"), secret: "key")
    }
    let inBody = try Self.page(
      Self.read(
        Self.answer(#"{"items":[1],"next":"\#(reference)"}"#, at: redirected), FakeJob.address(),
        change: change))
    let inHeader = try Self.page(
      Self.read(
        Self.answer(
          #"{"items":[1]}"#, [HeaderField("Link", "<\(reference)>; rel=\"next\"")],
          at: redirected), .link, change: change))
    for page in [inBody, inHeader] {
      #expect(page.next == .address(expected))
      #expect(page.nextLeadsTo?.description == origin)
    }
  }

  @Test("is in trouble where a next address cannot be read", arguments: ["ftp://h/x", "http://"])
  func badAddress(reference: String) throws {
    let reading = try Self.read(
      Self.answer(#"{"items":[1],"next":"\#(reference)"}"#), FakeJob.address())
    #expect(Self.trouble(reading)?.sentence.contains("cannot be read: it ") == true)
  }

  @Test("takes the next token from a header, and its lack for the end")
  func headerToken() throws {
    let pager = Pager.token(parameter: "cursor", header: "X-Next-Cursor")
    func next(_ value: String?, _ body: String = #"{"items":[1]}"#, status: Int = 200) throws
      -> Cursor?
    {
      let fields = value.map { [HeaderField("x-next-cursor", $0)] } ?? []
      return try Self.page(Self.read(Self.answer(body, status: status, fields), pager)).next
    }
    #expect(try next("ab+/=") == .token("ab+/="))
    #expect(try next(nil) == nil && next("") == nil && next(" ") == nil)
    #expect(try next("c", "", status: 204) == .token("c"))
    // An empty list that names a next page is a valid page of this stream.
    #expect(try next("c", #"{"items":[]}"#) == .token("c"))
    let long = try Self.read(
      Self.answer(
        #"{"items":[]}"#, [HeaderField("X-Next-Cursor", String(repeating: "x", count: 20_000))]),
      pager)
    #expect(Self.trouble(long)?.sentence.hasPrefix("the header \"X-Next-Cursor\"") == true)
  }

  @Test(
    "takes an answer for a list without entries where the job says so, whatever its status",
    arguments: [(204, ""), (200, #"{"message":"none"}"#), (404, #"{"message":"none"}"#)])
  func declaredEmpty(status: Int, body: String) throws {
    let reading = try Self.read(Self.answer(body, status: status)) { _, job in
      job.errors = [ErrorRule(statuses: [status...status], action: .empty)]
    }
    #expect(try Self.page(reading).records.isEmpty)
  }

  @Test("goes on at the Link of an empty 204")
  func emptyWithLink() throws {
    let answer = try Self.answer(
      "", status: 204, [HeaderField("Link", "<?page=2>; rel=\"next\"")])
    #expect(
      try Self.page(Self.read(answer, .link)).next
        == .address("https://api.example/v1/things?page=2"))
  }
}
