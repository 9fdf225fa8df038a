import Base
import TestSupport
import Testing

@Suite("Slips of a job file that only further requests show", .prompt)
struct SilentSlipTests {
  private let home = Home()

  private func job(_ server: AnswerServer, _ streams: String) -> String {
    home.write(
      "{ name: \"things\", base: \"\(server.origin)\", streams: { \(streams) } }",
      to: "things.json5")
  }

  /// - Parameter more: members of its only list.
  private func job(
    _ server: AnswerServer, get: String, pages: String = #"by: "single""#, records: String = ".",
    key: String = #""id""#, columns: String = #""id", "title""#, _ more: String = ""
  ) -> String {
    job(
      server,
      """
      things: { get: "\(get)", pages: { \(pages) }, records: "\(records)", key: [\(key)],
        columns: [\(columns)], \(more) }
      """)
  }

  private func check(
    _ file: String, notes told: String, _ isNoted: Bool, _ trial: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let ended = await home.run(["check", file], sourceLocation: sourceLocation)
    // A file that is refused would be silent about all else.
    #expect(
      ended.output.holds(told) == isNoted && ended.status != 78, "\(trial): \(ended.output)",
      sourceLocation: sourceLocation)
  }

  private static func records(
    _ ids: some Sequence<Int>, title: String = "title", _ more: String = ""
  ) -> String {
    let records = ids.map { #"{"id": \#($0), "title": "\#(title) \#($0)"\#(more)}"# }
    return "[" + records.joined(separator: ", ") + "]"
  }

  @Test(
    "a list that is read as one page, and has another, is noted by check, whatever asks for that")
  func pagesInSilence() async {
    let turns = Locked(0)
    let server = AnswerServer { call in
      let page = (call.number("page") ?? 1) - 1
      let offset = call.number("offset") ?? 0
      let turn = turns.withLock { turns -> Int in
        turns += 1
        return turns
      }
      switch call.path {
      case "/paged": return .json(Self.records((1...45).dropFirst(page * 20).prefix(20)))
      case "/placed": return .json(Self.records((1...45).dropFirst(offset).prefix(20)))
      case "/strict" where !call.parameters.isEmpty: return .json("{}", status: 400)
      case "/pool": return .json(Self.records((0..<20).map { ($0 + turn * 13) % 60 }))
      case "/sample": return .json(Self.records((0..<20).map { turn * 100 + $0 }))
      default: return .json(Self.records(1...20))
      }
    }
    for (path, told) in [
      ("/paged", "with page=2 the API sends 20 other records"),
      ("/placed", "with offset=20 the API sends 20 other records"),
      ("/strict", nil), ("/sample", nil), ("/pool", nil), ("/whole", nil),
    ] {
      await check(job(server, get: path), notes: told ?? "other record", told != nil, path)
    }
  }

  @Test("a list whose total is that of its page is noted by check: it has another, or names none")
  func lengthOfPage() async {
    let server = AnswerServer { call in
      let page = (call.number("page") ?? 1) - 1
      let records = (1...45).dropFirst(page * 20).prefix(20)
      return .json("{\"items\": \(Self.records(records)), \"count\": \(records.count)}")
    }
    for (pages, told) in [
      (#"by: "single""#, "with page=2 the API sends 20 other records"),
      (#"by: "token", to: "?c", next: "next", size: 20"#, "the answer has no \"next\""),
      (
        #"by: "number", to: "?page""#,
        "total: \"count\" is the number of page 1's own records, and page 2 holds 20 other records"
      ),
    ] {
      let file = job(
        server, get: "/all", pages: pages, records: "items", #"total: "count counted""#)
      await check(file, notes: told, true, pages)
    }
  }

  @Test(
    "a window whose beginning or end the API leaves out is noted with what the job must say, unless it says that"
  )
  func excluded() async {
    let server = AnswerServer { call in
      let isOfDays = call.path.hasPrefix("/days")
      let day = { (text: String) in String(text.filter(\.isNumber).prefix(8)) }
      let cut = { (text: String) in isOfDays ? day(text) : text }
      let since = cut(call.parameters["since"] ?? "")
      let until = cut(call.parameters["until"] ?? "9999")
      let times = ["2025-10-10T08:00:00Z", "2025-10-10T09:00:00Z", "2025-10-10T10:00:00Z"]
      let shown = times.map(cut).enumerated().filter { _, time in
        let begins = call.path.hasSuffix("until") ? since <= time : since < time
        return begins && (call.path.hasSuffix("since") ? time <= until : time < until)
      }
      let texts = shown.map { #"{"id": "\#(times[$0.offset])", "at": "\#(times[$0.offset])"}"# }
      return .json("[\(texts.joined(separator: ", "))]")
    }
    let (begin, end) = (#"begin: "outside""#, #"end: "outside""#)
    let (day, second) = (#"form: "date in UTC""#, #"step: "1s""#)
    for (path, window, told) in [
      ("/days-but-since", day, begin), ("/days-but-since", #"\#(day), \#(begin)"#, nil),
      ("/days-but-since", #"form: "date""#, nil),
      ("/days-but-until", day, end), ("/days-but-until", #"\#(day), \#(end)"#, nil),
      ("/days-but-both", day, "\(begin), \(end)"), ("/days-but-both", #"\#(day), \#(begin)"#, end),
      // It is none between the windows of a backfill.
      ("/days-but-since", #"\#(day), overlap: "1d""#, begin),
      ("/times-but-since", #"overlap: "1s""#, begin), ("/times-but-since", second, begin),
      ("/times-but-since", begin, nil), ("/times-but-until", "", nil),
      ("/times-but-until", second, end), ("/times-but-both", second, "\(begin), \(end)"),
      ("/times-but-both", #"\#(begin), \#(end), \#(second)"#, nil), ("/times-but-both", "", begin),
    ] as [(String, String, String?)] {
      await check(server, path, #"from: "?since", to: "?until", \#(window)"#, told)
    }
    for (path, window, told) in [
      ("/days-but-since", day, begin), ("/days-but-since", #"\#(day), overlap: "1d""#, nil),
      ("/times-but-since", "", begin), ("/times-but-since", #"overlap: "1s""#, nil),
    ] as [(String, String, String?)] {
      await check(server, path, #"from: "?since", \#(window)"#, told)
    }
  }

  private func check(
    _ server: AnswerServer, _ path: String, _ window: String, _ told: String?
  ) async {
    let file = job(
      server, get: path, columns: #""id", "at time""#, #"window: { on: "at", \#(window) }"#)
    await check(
      file, notes: told.map { "write \($0), and it does" } ?? "brings none", told != nil,
      "\(path) \(window)")
  }

  @Test("a window that the API ignores is noted: what comes lies far outside of it")
  func unknownWindow() async {
    let server = AnswerServer { call in
      let since = call.path == "/known" ? call.parameters["since"] ?? "" : ""
      let until = call.path == "/known" ? call.parameters["until"] ?? "9" : "9"
      let times = (10..<31).map { "2025-10-\($0)T08:00:00Z" }.filter { since <= $0 && $0 <= until }
      let texts = times.map { #"{"id": "\#($0)", "at": "\#($0)"}"# }
      return .json("[\(texts.joined(separator: ", "))]")
    }
    for path in ["/unknown", "/known"] {
      let file = job(
        server, get: path, columns: #""id", "at time""#,
        #"window: { from: "?since", to: "?until", on: "at" }"#)
      await check(
        file, notes: "18 of page 1 from far outside: the API may not know from and to",
        path == "/unknown", path)
    }
  }

  @Test(
    "a window that the API understands otherwise is noted where an empty page is followed by page 0, and without an end"
  )
  func windows() async {
    let time = 1_760_000_000
    let server = AnswerServer { call in
      let since = call.number("since") ?? 0
      let until = call.number("until") ?? .max
      if call.path == "/refuses", since > 0 { return .json("{}", status: 400) }
      let field = call.path == "/created" ? "created" : "at"
      let records = (0..<12).map { ["id": $0, "created": time - 900_000, "at": time + $0 * 3_600] }
      let page = call.number("page") ?? 1
      let first = call.path == "/slow" && since > 0 ? 2 : 1
      let shown = page != first ? [] : records.filter { since <= $0[field]! && $0[field]! <= until }
      let texts = shown.map { #"{"id": \#($0["id"]!), "at": \#($0["at"]!)}"# }
      let next = "Link: </slow?page=2&since=\(since)&until=\(until)>; rel=\"next\""
      return .json("[\(texts.joined(separator: ", "))]", page < first ? [next] : [])
    }
    let (pages, slow) = (#"by: "number", to: "?page""#, #"by: "link""#)
    for (path, window, isNoted) in [
      ("/all", #"from: "?since", to: "?until", form: "seconds""#, false),
      // An empty page that another follows.
      ("/slow", #"from: "?since", to: "?until", form: "seconds""#, false),
      ("/all", #"from: "?since", to: "?until", form: "milliseconds""#, true),
      ("/all", #"from: "?until", to: "?since", form: "seconds""#, true),
      ("/all", #"from: "?since", form: "seconds""#, false),
      ("/created", #"from: "?since", form: "seconds""#, true),
      ("/refuses", #"from: "?since", to: "?until", form: "seconds""#, true),
    ] {
      let file = job(
        server, get: path, pages: path == "/slow" ? slow : pages,
        columns: #""id", { at: "at as time" }"#, #"window: { \#(window), on: "at" }"#)
      await check(file, notes: "look at form, from, to and on", isNoted, "\(path) \(window)")
    }
  }

  @Test(
    "two lists of different things in one table are noted by check, and two of the same things are not"
  )
  func oneTable() async {
    let server = AnswerServer { call in
      .json(
        Self.records(
          1...12, title: call.path == "/posts" ? "post" : "title",
          #", "at": "2026-11-01\#(call.path == "/all" ? "" : "T00:00:00Z")""#))
    }
    for (path, isNoted) in [("/posts", true), ("/others", false)] {
      let stream = { (name: String, path: String) in
        "\(name): { get: \"\(path)\", into: \"things\", pages: { by: \"single\" }, records: \".\", "
          + "key: [\"id\"], columns: [\"id\", \"title\", \"at time\"] }"
      }
      let file = job(server, stream("things", "/all") + ", " + stream("posts", path))
      await check(file, notes: "with the same key all differ in title", isNoted, path)
    }
  }

  @Test("a key of more, or of else, than what identifies a record is noted by check")
  func key() async {
    let server = AnswerServer { _ in
      .json(Self.records(1...12, #", "day": "2026-11-01""#))
    }
    for (key, isNoted) in [
      (#""id""#, false), (#""title""#, true), (#""id", "title""#, true), (#""id", "day""#, false),
    ] {
      let file = job(server, get: "/all", key: key, columns: #""id", "title", "day""#)
      await check(file, notes: "changes would count as gone", isNoted, key)
    }
  }

  @Test("a page, place or token that was copied with the address is noted by check")
  func place() async {
    let server = AnswerServer { _ in .json(#"{"items": \#(Self.records(1...12)), "next": null}"#) }
    for (query, isNoted) in [
      ("page=2", true), ("$skip=20", true), ("cursor=abc", true), ("page=1", false),
      ("offset=0", false), ("per_page=50", false), ("start=1700000000", false),
      ("from=2020", false), ("cursor=*", false),
    ] {
      let file = job(
        server, get: "/all?\(query)", pages: #"by: "url", next: "next""#, records: "items")
      await check(file, notes: "what is before it would be missing", isNoted, query)
    }
  }

  @Test("a rule that calls an answer with records an empty list makes no empty list of it")
  func emptied() async {
    let server = AnswerServer { call in
      let items =
        switch call.path {
        case "/none": "[]"
        case "/message": #"{"message": "nothing found"}"#
        case "/entry": #"[{"message": "nothing found"}]"#
        default: Self.records(1...12)
        }
      return .json(#"{"meta": {"page": 1}, "items": \#(items)}"#)
    }
    for (path, more, told) in [
      ("/all", "", "12 records, where errors says \"empty\""),
      ("/all", "unread: [\"items\"],", nil), ("/none", "", nil),
      // A message is no record.
      ("/message", "", nil), ("/entry", "", nil),
    ] {
      let file = job(
        server, get: path, records: "items",
        #"\#(more) errors: [{ where: "meta.page", is: "1", then: "empty" }]"#)
      let text = await home.run(
        ["run", file, "--data", home.data + path + "\(more.count)"]
      ).everything
      #expect(text.holds("where errors says") == (told != nil), "\(path) \(more): \(text)")
      if let told { #expect(text.holds(told) && text.holds("incomplete"), "\(text)") }
    }
  }

  @Test("a flag that ends a list with page 1, where page 2 has other records, is noted by check")
  func falseFlag() async {
    let server = AnswerServer { call in
      let rest = (1...37).dropFirst(call.number("after") ?? 0)
      let next = rest.count > 10 ? "\(47 - rest.count)" : "null"
      return .json(
        "{\"items\": \(Self.records(rest.prefix(10))), \"next\": \(next), \"left\": \(rest.count > 10), "
          + "\"busy\": false}")
    }
    for flag in ["busy", "left"] {
      let pages = #"by: "token", to: "?after", next: "next", more: "\#(flag)""#
      await check(
        job(server, get: "/all", pages: pages, records: "items"),
        notes: "more: \"busy\" says that nothing follows page 1, and page 2 holds 10 other records",
        flag == "busy", flag)
    }
  }

  @Test(
    "of a parent's lists check shows the first that is not empty, and requests two, which must not be equal",
    arguments: [
      ("/things/{id}", "things id=2: 5 records"),
      (
        "/things?prent={id}",
        "the API gave records with the same 12 keys in the same order for each of 2 lists"
      ),
    ])
  func ofParents(get: String, told: String) async {
    let server = AnswerServer { call in
      switch call.path {
      case "/parents": .json(Self.records(1...3))
      case "/things/1": .json("[]")
      case "/things": .json(Self.records(100..<112))
      default: .json(Self.records(5...9))
      }
    }
    let file = job(
      server,
      """
      parents: { get: "/parents", pages: { by: "single" }, records: ".", key: ["id"], columns: ["id", "title"] },
      things: { get: "\(get)", for: { each: "parents.id" }, pages: { by: "number", to: "?page" },
        records: ".", key: ["id"], columns: ["id", "title"] }
      """)
    await home.run(["check", file], showing: told)
  }
}
