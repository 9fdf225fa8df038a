@testable import Base
@testable import Jobs
import Testing

@Suite("What a job file need not say")
struct DefaultsTests {
  private static func file(_ stream: String, more: String = "") -> String {
    "{ base: \"https://api.example.com\"\(more), streams: { posts: { get: \"/posts\", records: \".\","
      + " \(stream) } } }"
  }

  private static func read(
    _ text: String, file: String = "some/folder/my-blog.json5"
  ) throws(JobFileError) -> Job {
    try JobFile.read(Array(text.utf8), file: file)
  }

  private static func problems(_ text: String, file: String = "my-blog.json5") -> [String] {
    do throws(JobFileError) {
      _ = try read(text, file: file)
      return []
    } catch { return error.problems.map(\.description) }
  }

  @Test("is the file's name, the stream's, and id")
  func names() throws {
    let job = try Self.read(Self.file("columns: [\"id integer\", \"title\"]"))
    #expect(job.name == "my-blog" && job.tablePrefix == "my_blog")
    #expect(job.streams[0].table == "posts" && job.streams[0].key == ["id"])
    let other = try Self.read(
      Self.file("into: \"entries\", key: [\"slug\"], columns: [\"slug\"]", more: ", name: \"blog\"")
    )
    #expect(other.name == "blog" && other.streams[0].table == "entries")
    #expect(other.streams[0].key == ["slug"])
  }

  @Test("is named with its place where it has to be said all the same")
  func needed() {
    #expect(
      Self.problems(Self.file("columns: [\"title\"]")) == [
        "my-blog.json5:1:54: \"posts\" needs \"key\": the columns that identify a record (without it \"id\","
          + " and there is no such column)"
      ])
    #expect(
      Self.problems(Self.file("columns: [\"id\"]"), file: "My Blog.json5")
        .first?.contains(
          "\"My Blog\" cannot be a job's name: add name: \"my-blog\", or rename the file") == true)
    #expect(
      Self.problems(
        "{ base: \"https://api.example.com\", streams: { order: { get: \"/o\", records: \".\","
          + " columns: [\"id\"] } } }"
      ).first?.contains("needs \"into\": \"order\" is a word of SQL") == true)
  }

  @Test("is the name of a column that a list gives by its place")
  func listed() throws {
    let job = try Self.read(
      Self.file(
        "columns: [\"id integer\", \"owner.fullName\", \"order\", \"made | created time in Asia/Seoul\","
          + " \"\\\"a b\\\" json\", \"size as integer\", { url: \"html_url as url\", at: \"position()\" }]"
      ))
    #expect(
      job.streams[0].columns.map(\.name) == [
        "id", "owner_full_name", "order_", "made", "a_b", "size", "url", "at",
      ])
    #expect(
      job.streams[0].columns.map(\.kind) == [
        .integer, .text, .text, .time(digits: 0, zone: "Asia/Seoul"), .json, .integer, .url,
        .integer,
      ])
    #expect(
      job.streams[0].columns[3].source == .paths([try JSONPath("made"), try JSONPath("created")]))
  }

  @Test(
    "is told of, where a list of columns is wrong",
    arguments: [
      (
        "[\"id intger\"]",
        "each entry of columns: unknown type \"intger\"; did you mean \"integer\"?"
      ),
      ("[\"id\", \".\"]", "a column of the whole record needs a name: { NAME: \".\" }"),
      ("[\"id\", { id: \"x\" }]", "the column \"id\" is here twice; give one of them another name"),
      ("[\"id\", 7]", "each entry of columns must be a path and a type (\"created_at time\"), or"),
      ("\"all\"", "columns must be a list, or \"*\""),
      ("[]", "columns is empty"),
    ])
  func wrong(columns: String, told: String) {
    let problems = Self.problems(Self.file("columns: \(columns)"))
    #expect(problems.contains { $0.contains(told) }, "\(problems)")
  }

  @Test("is every member of a record, beside what is declared, with the key as text")
  func all() throws {
    let job = try Self.read(Self.file("columns: \"*\""))
    #expect(job.streams[0].takesAll && job.streams[0].columns.map(\.name) == ["id"])
    #expect(job.streams[0].columns[0].kind == .text)
    let beside = try Self.read(
      Self.file("key: [\"site\", \"id\"], columns: [\"id integer\", \"*\", \"made time\"]"))
    #expect(beside.streams[0].takesAll)
    #expect(beside.streams[0].columns.map(\.name) == ["id", "made", "site"])
    #expect(beside.streams[0].column("id")?.kind == .integer)
    let plain = try Self.read(Self.file("columns: [\"id integer\"]"))
    #expect(!plain.streams[0].takesAll)
  }

  @Test("is told of, where nobody could say whose members they are")
  func notAll() {
    let two = { (same: String) in
      "{ base: \"https://api.example.com\", streams: { a: { get: \"/a\", records: \".\", columns: \"*\" },"
        + " b: { get: \"/b\", \(same) } } }"
    }
    #expect(Self.problems(two("sameAs: \"a\"")) == [])
    #expect(
      Self.problems(two("records: \".\", into: \"a\", columns: \"*\"")).first?
        .contains("the stream a takes all members for the table a already") == true)
    #expect(
      Self.problems(
        Self.file(
          "columns: \"*\", children: { tags: { records: \"tags\", columns: [\"*\", \"id\"] } }")
      ).contains { $0.contains("the columns of a nested list are named") })
  }

  @Test("is another stream's table, where the records are said to be the same")
  func sameTable() throws {
    let job = try Self.read(
      "{ base: \"https://api.example.com\", streams: { a: { get: \"/a\", records: \".\","
        + " columns: [\"id\"] }, b: { get: \"/b\", sameAs: \"a\" } } }")
    #expect(job.streams.map(\.table) == ["a", "a"] && job.streams[1].key == ["id"])
  }

  @Test("is read from answers as the other stream's are, unless it says how")
  func sameReading() throws {
    let job = try Self.read(
      "{ base: \"https://api.example.com\", streams: { a: { get: \"/a\", records: \".\", reads: \"columns\","
        + " columns: [\"id\"] }, b: { get: \"/b\", sameAs: \"a\" }, c: { get: \"/c\", sameAs: \"a\", reads: \"json\" } } }"
    )
    #expect(job.streams.map(\.readsColumns) == [true, true, false])
  }

  @Test("has a key of members that its columns would be called after, beside all members")
  func namedKey() throws {
    let job = try Self.read(
      "{ base: \"https://api.example.com\", streams: { a: { get: \"/a\", records: \".\","
        + " key: [\"product_id\", \"n\"], columns: [\"*\", { n: \"number\" }] } } }")
    let named = job.streams[0].columns.filter { $0.paths.first?.isColumnName == true }
    #expect(named.map(\.name) == ["product_id"])
  }
}
