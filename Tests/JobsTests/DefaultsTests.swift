@testable import Base
@testable import Jobs
import Testing

@Suite("What a job file need not say")
struct DefaultsTests {
  private static func file(_ stream: String, more: String = "") -> String {
    "{ base: 'https://api.example.com'\(more), streams: { posts: { get: '/posts', records: '.',"
      + " \(stream) } } }"
  }

  private static func stream(_ stream: String) throws -> Base.Stream {
    try #require(try Books.read(file(stream)).stream("posts"))
  }

  /// Two streams, of which the second says no more than this.
  private static func two(_ first: String, _ second: String) -> String {
    "{ base: 'https://api.example.com', streams: { a: { get: '/a', records: '.', \(first) },"
      + " b: { get: '/b', \(second) } } }"
  }

  @Test("is the file's name, the stream's, and id")
  func names() throws {
    let job = try Books.read(
      Self.file("columns: ['id integer', 'title']"), file: "some/folder/my-blog.json5")
    #expect(job.name == "my-blog" && job.tablePrefix == "my_blog")
    #expect(job.streams[0].table == "posts" && job.streams[0].key == ["id"])
    let other = try Books.read(
      Self.file("into: 'entries', key: ['slug'], columns: ['slug']", more: ", name: 'blog'"))
    #expect(other.name == "blog" && other.streams[0].table == "entries")
    #expect(other.streams[0].key == ["slug"])
  }

  @Test("is named with its place where it has to be said all the same")
  func needed() {
    #expect(
      Books.problems(Self.file("columns: ['title']")) == [
        #"books.json5:1:54: "posts" needs "key": the columns that identify a record (without it "id","#
          + " and there is no such column)"
      ])
    let badName = Books.problems(Self.file("columns: ['id']"), file: "My Blog.json5")
    let cure = #""My Blog" cannot be a job's name: add name: "my-blog", or rename the file"#
    #expect(badName.first?.contains(cure) == true, "\(badName)")
    let word = Books.problems(
      Self.file("columns: ['id']").replacing("posts: {", with: "order: {"))
    #expect(word.first?.contains(#"needs "into": "order" is a word of SQL"#) == true, "\(word)")
  }

  @Test("is the name of a column that a list gives by its place")
  func listed() throws {
    let stream = try Self.stream(
      "columns: ['id integer', 'owner.fullName', 'order', 'made | created time in Asia/Seoul',"
        + " '\"a b\" json', 'size as integer', { url: 'html_url as url', at: 'position()' }]")
    #expect(
      stream.columns.map(\.name) == [
        "id", "owner_full_name", "order_", "made", "a_b", "size", "url", "at",
      ])
    #expect(
      stream.columns.map(\.kind) == [
        .integer, .text, .text, .time(digits: 0, zone: "Asia/Seoul"), .json, .integer, .url,
        .integer,
      ])
    #expect(stream.columns[3].source == .paths([try JSONPath("made"), try JSONPath("created")]))
  }

  @Test(
    "is told of, where a list of columns is wrong",
    arguments: [
      ("['id intger']", #"each entry of columns: unknown type "intger"; did you mean "integer"?"#),
      ("['id', '.']", #"a column of the whole record needs a name: { NAME: "." }"#),
      ("['id', { id: 'x' }]", #"the column "id" is here twice; give one of them another name"#),
      ("['id', 7]", #"each entry of columns must be a path and a type ("created_at time"), or"#),
      ("'all'", #"columns must be a list, or "*""#), ("[]", "columns is empty"),
    ])
  func wrong(columns: String, told: String) {
    let problems = Books.problems(Self.file("columns: \(columns)"))
    #expect(problems.contains { $0.contains(told) }, "\(problems)")
  }

  @Test("is every member of a record, beside what is declared, with the key as text")
  func all() throws {
    let stream = try Self.stream("columns: '*'")
    #expect(stream.takesAll && stream.columns.map(\.name) == ["id"])
    #expect(stream.columns[0].kind == .text)
    let beside = try Self.stream("key: ['site', 'id'], columns: ['id integer', '*', 'made time']")
    #expect(beside.takesAll && beside.columns.map(\.name) == ["id", "made", "site"])
    #expect(beside.column("id")?.kind == .integer)
    #expect(try !Self.stream("columns: ['id integer']").takesAll)
  }

  @Test("is told of, where nobody could say whose members they are")
  func notAll() {
    #expect(Books.problems(Self.two("columns: '*'", "sameAs: 'a'")) == [])
    let taken = Books.problems(Self.two("columns: '*'", "records: '.', into: 'a', columns: '*'"))
    let told = "the stream a takes all members for the table a already"
    #expect(taken.first?.contains(told) == true, "\(taken)")
    let nested = Books.problems(
      Self.file("columns: '*', children: { tags: { records: 'tags', columns: ['*', 'id'] } }"))
    #expect(nested.contains { $0.contains("the columns of a nested list are named") })
  }

  @Test("is the table, and how it is read, of another stream whose records are said to be the same")
  func same() throws {
    let job = try Books.read(
      Self.two(
        "reads: 'columns', columns: ['id']",
        "sameAs: 'a' }, c: { get: '/c', sameAs: 'a', reads: 'json'"))
    #expect(job.streams.map(\.table) == ["a", "a", "a"] && job.streams[1].key == ["id"])
    #expect(job.streams.map(\.readsColumns) == [true, true, false])
  }

  @Test("has a key of members that its columns would be called after, beside all members")
  func namedKey() throws {
    let stream = try Self.stream("key: ['product_id', 'n'], columns: ['*', { n: 'number' }]")
    let named = stream.columns.filter { $0.paths.first?.isColumnName == true }
    #expect(named.map(\.name) == ["product_id"])
  }
}
