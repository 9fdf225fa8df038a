import Base
import TestSupport
import Testing

@Suite("Columns that the records do not fill", .prompt)
struct WrongColumnTests {
  /// Thirty records, a third of them with an empty nested list.
  private static func server() -> AnswerServer {
    AnswerServer { _ in
      let records = (1...30).map { id in
        let comments = (0..<id % 3).map { #"{"id": \#($0), "body": "b", "by": {"nick": "n"}}"# }
        return #"{"id": \#(id), "name": "n\#(id)", "author": {"login": "a"}, "never": null, "#
          + #""tags": [{"label": "t"}], "comments": [\#(comments.joined(separator: ", "))]}"#
      }
      return .json("[\(records.joined(separator: ", "))]")
    }
  }

  private static func job(_ server: AnswerServer, _ columns: String, _ children: String) -> String {
    """
    { name: "things", base: "\(server.origin)", streams: { all: {
      get: "/all", pages: { by: "single" }, records: ".", into: "things", key: ["id"],
      columns: { id: "id as integer", \(columns) },
      children: { comments: {
        records: "comments", key: ["number"], columns: { number: "id as integer", \(children) } } },
    } } }
    """
  }

  private static let sentences = [
    "all: title: no record has \"nmae\"; did you mean \"name\"?",
    "all: login: no record has \"login\"; did you mean \"author.login\"?",
    "all: who: no record has \"autor.login\"; did you mean \"author.login\"?",
    "all: label: no record has \"tags.*.lable\"; did you mean \"tags.*.label\"?",
    "all: gone: \"never\" has no value in any of 30 records",
    "all: number: 30 of the first 30 values of \"name\" do not fit: ",
    "all: comments.body: no record has \"bdoy\"; did you mean \"body\"?",
    "all: comments.nick: no record has \"by.nik\"; did you mean \"by.nick\"?",
  ]

  @Test("are named by check, by try and by the first run, with what may have been meant")
  func named() async {
    let server = Self.server()
    let home = Home()
    let job = home.write(
      Self.job(
        server,
        "title: \"nmae\", login: \"login\", who: \"autor.login\", label: \"tags.*.lable\", "
          + "gone: \"never\", number: \"name as integer\"", "body: \"bdoy\", nick: \"by.nik\""),
      to: "things.json5")
    for command in ["check", "try", "run"] {
      let ended = await home.trawl(command, job)
      for sentence in Self.sentences {
        #expect(ended.everything.holds(sentence), "\(command): \(sentence)")
      }
    }
    // Only once: what is known is not repeated each night.
    await home.trawl("run", job, without: "no record has")
  }

  @Test("are none where some record has them, or a nested list has no entry")
  func filled() async {
    let server = Self.server()
    let home = Home()
    let job = home.write(
      Self.job(server, "name: \"name\", label: \"tags.0.label | none\"", "body: \"body\""),
      to: "things.json5")
    await home.trawl("check", job, ends: 0, without: "column")
    // An empty list is taken by its table.
    let look = await home.trawl("try", job)
    #expect(!look.output.holds("comments"), "\(look.output)")
    await home.trawl("run", job, ends: 0, without: "warning")
  }
}
