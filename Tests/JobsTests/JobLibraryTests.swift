import Glibc
import Base
@testable import Jobs
import TestSupport
import Testing

@Suite("The library of jobs")
struct JobLibraryTests {
  let scratch = ScratchFolder()
  var user: String { "\(scratch.path)/user" }
  var system: String { "\(scratch.path)/system" }
  var library: JobLibrary { JobLibrary(userFolder: user, systemFolder: system) }

  init() {
    for folder in [user, system] { #expect(mkdir(folder, 0o755) == 0) }
  }

  private func books(_ name: String, about: String) -> String {
    Books.with("name: \"books\"", "name: \"\(name)\", about: \"\(about)\"")
  }

  /// The error message of loading a job.
  private func failure(_ word: String) -> String {
    do {
      _ = try library.job(word)
      return ""
    } catch { return error.description }
  }

  @Test("looks in the user's folder, then the system's, then among those compiled in")
  func order() throws {
    #expect(try library.job("github").source == "built in: github")
    Golden.write(books("github", about: "s"), to: "\(system)/github.json5")
    #expect(try library.job("github").source == "\(system)/github.json5")
    Golden.write(books("github", about: "u"), to: "\(user)/github.json5")
    #expect(try library.job("github").about == "u")
  }

  @Test("has each job that it names, however many there are, and none that it does not")
  func has() throws {
    let many = (0..<1_100).map { "job-\($0)" }
    for name in many { Golden.write("{}", to: "\(user)/\(name).json5") }
    for name in [".hidden", "books.json5"] { Golden.write("{}", to: "\(system)/\(name)") }
    let names = library.names
    #expect(Set(names).isSuperset(of: many + ["books", "github"]))
    #expect(names.allSatisfy(library.has))
    for name in ["job-1100", ".hidden", "books.json5", "", "../user/job-1", "job-1/"] {
      #expect(!library.has(name) && !names.contains(name), "\(name)")
    }
  }

  @Test("takes a word with a slash or an ending for a path, and no other")
  func paths() throws {
    let path = "\(scratch.path)/any.json5"
    Golden.write(books("books", about: ""), to: path)
    #expect(try library.job(path).source == path)
    Golden.write(books("books", about: ""), to: "\(scratch.path)/my books.json5")
    let word = try library.job("\(scratch.path)/my books.json5").word
    #expect(word == "'\(scratch.path)/my books.json5'", "advice names it as a shell reads it")
    #expect(JobLibrary.isPath("./github") && JobLibrary.isPath("github.json5"))
    #expect(!JobLibrary.isPath("github"))
    #expect(failure("\(scratch.path)/none.json5") == "there is no file \(scratch.path)/none.json5")
    #expect(failure(user + "/") == "\(user)/ cannot be read: it is not a plain file")
  }

  @Test("suggests a name that is near, also one of the user's")
  func suggests() throws {
    Golden.write(books("my-books", about: ""), to: "\(user)/my-books.json5")
    #expect(failure("githb").hasPrefix("there is no job \"githb\"; did you mean \"github\"?"))
    #expect(failure("my-boks").contains("did you mean \"my-books\"?"))
    #expect(failure("../etc").contains("there is no file"))
    #expect(failure("A b").contains("is not a job name (a file is named by its path)"))
    #expect(failure("GitHub").contains("is not a job name; did you mean \"github\"?"))
    #expect(library.names == ["my-books"] + BuiltInJobs.all.map(\.name))
  }

  @Test("wants a file to be called as its job")
  func names() throws {
    Golden.write(books("other", about: ""), to: "\(user)/mine.json5")
    #expect(
      failure("mine") == "\(user)/mine.json5:2:9: the file is found as \"mine\" but calls itself"
        + " \"other\"; rename one of the two")
  }

  @Test("waits on no pipe and reads no giant")
  func bounded() throws {
    #expect(mkfifo("\(user)/pipe.json5", 0o600) == 0)
    #expect(failure("pipe").hasSuffix("it is not a plain file"))
    Golden.write(String(repeating: " ", count: 1_000_001), to: "\(user)/giant.json5")
    #expect(failure("giant").hasSuffix("it has more than 1,000,000 bytes"))
  }

  @Test("applies settings of one's own to the job that they use")
  func settings() throws {
    Golden.write(
      """
      {
        name: "my-github", use: "github", about: "mine", account: "me",
        params: { user: ["a", "b"], words: "@profile.login" },
        quotas: { core: 15000, search: 5 },
        media: { limit: "1GB", allow: ["pictures.internal"] },
      }
      """, to: "\(user)/my-github.json5")
    let job = try library.job("my-github")
    let shipped = try library.job("github")
    #expect(job.name == "my-github" && job.tablePrefix == "my_github" && job.about == "mine")
    #expect(job.account == "me")
    #expect(job.parameter("user")?.defaults == ["a", "b"])
    #expect(job.parameter("user")?.pattern == shipped.parameter("user")?.pattern)
    #expect(job.parameter("words")?.defaults == ["@profile.login"])
    let core = try #require(job.quotas.first)
    #expect((core.allow, core.allowWithoutKey, core.burst) == (15_000, 60, 15_000))
    #expect((job.quotas[1].allow, job.quotas[1].allowWithoutKey) == (5, 5))
    #expect(job.media.limitBytes == 1_000_000_000 && job.media.allow == ["pictures.internal"])
    #expect(job.media.fileBytesMax == shipped.media.fileBytesMax)
    #expect(job.base == shipped.base && job.authentication == shipped.authentication)
    #expect(job.streams.map(\.name) == shipped.streams.map(\.name))
    #expect(job.source == "\(user)/my-github.json5")
  }

  @Test("lets settings go before the job of the same name")
  func sameName() throws {
    Golden.write(
      "{ name: 'github', use: 'github', params: { user: 'me' } }", to: "\(user)/github.json5")
    #expect(try library.job("github").parameter("user")?.defaults == ["me"])
  }

  @Test(
    "refuses settings that go too far, with their place",
    arguments: [
      ("{ name: 'x', use: 'githb' }", "1:19: there is no job \"githb\"; did you mean \"github\"?"),
      (
        "{ name: 'x', use: 'github', params: { usr: 'a' } }",
        "1:44: the job x has no parameter \"usr\"; did you mean \"user\"?"
      ),
      (
        "{ name: 'x', use: 'github', params: { user: ['ok', 'a b/..'] } }",
        "1:52: user: \"a b/..\" cannot be used: login names of users or organisations, of up to 39 letters,"
          + " digits and hyphens; it must match [A-Za-z0-9][A-Za-z0-9_-]{0,38}"
      ),
      (
        "{ name: 'x', use: 'github', quotas: { core: { allow: 1, per: 'hour' } } }",
        "1:45: with \"use\" a quota is what your plan gives: core: 5000"
      ),
      (
        "{ name: 'x', use: 'github', quotas: { cor: 1 } }",
        "1:44: the job has no quota \"cor\"; did you mean \"core\"?"
      ),
      (
        "{ name: 'x', use: 'github', base: 'https://evil.example' }",
        "1:35: the job github sends a secret, and settings cannot lead it to another server; write a"
          + " job file of your own"
      ),
      (
        "{ name: 'x', use: 'github', streams: {} }",
        "1:29: settings cannot change \"streams\" of a job; write a job file of your own"
      ),
      ("{ name: 'x', use: 'x' }", "1:19: there is no job \"x\""),
      (
        "{ base: 'https://example.org', name: 'x', ping: 'https://example.org', streams: {} }",
        "1:43: \"ping\" belongs in settings of your own"
      ),
      (
        "{ name: 'x', use: 'github', watch: { w: { sql: 'SELECT 1', within: '11m' } } }",
        "1:68: \"within\" is 1s to 10m"
      ),
      (
        "{ name: 'x', use: 'github', after: [''] }",
        "1:37: the first word is the program: it is empty"
      ),
    ])
  func tooFar(text: String, told: String) throws {
    let path = "\(user)/x.json5"
    Golden.write(text, to: path)
    #expect(failure("x").hasPrefix("\(path):\(told)"), "\(failure("x"))")
  }

  @Test("refuses a quota into which one request does not fit: a plan's, or that without a key")
  func tooSmall() throws {
    let job = Books.with("spends: \"calls\"", "spends: { calls: 3 }")
    let (settings, keyless) = ("\(user)/x.json5", "\(scratch.path)/keyless.json5")
    Golden.write(job, to: "\(system)/books.json5")
    Golden.write("{ name: 'x', use: 'books', quotas: { calls: 2 } }", to: settings)
    Golden.write(
      job.replacing("allow: 10,", with: "allow: 10, allowWithoutKey: 2,").replacing(
        "quotas:", with: "auth: { to: '?k', secret: 'books-key', optional: true }, quotas:"),
      to: keyless)
    let keyed = "\(scratch.path)/keyed.json5"
    Golden.write(
      try #require(Golden.read(keyless)).replacing(", optional: true", with: ""), to: keyed)
    #expect(failure(keyed).isEmpty)
    let told = "one request of found costs 3 of calls, which allows 2 at most"
    #expect(failure("x") == "\(settings):1:45: \(told): it would never be sent")
    #expect(failure(keyless) == "\(keyless):10:15: \(told) without a key: it would never be sent")
  }

  @Test("lets settings say how long records are kept, but for a stream that has a time of its own")
  func retain() throws {
    Golden.write(
      books("books", about: "").replacing("name: ", with: "retain: \"20d\", name: ")
        .replacing("get: \"/search\",", with: "get: \"/search\", retain: \"9d\","),
      to: "\(system)/books.json5")
    Golden.write("{ name: 'x', use: 'books', retain: '30d' }", to: "\(user)/x.json5")
    let job = try library.job("x")
    #expect(job.streams.map(\.retain) == [.seconds(9 * 86_400), .seconds(30 * 86_400)])
    #expect(job.retain == .seconds(30 * 86_400))
  }

  @Test("refuses settings under a name that leaves none for a table")
  func longName() throws {
    let name = String(repeating: "l", count: 48)
    Golden.write("{ name: '\(name)', use: 'github' }", to: "\(user)/\(name).json5")
    let told = ":1:9: the name is too long: with a table's name it has more than 55 letters"
    #expect(failure(name).hasSuffix(told), "\(failure(name))")
  }

  @Test("knows where a file names a table, also where that is only the stream's name")
  func placeOfTable() throws {
    let path = "\(user)/blog.json5"
    Golden.write(
      "{ base: 'https://a.example', streams: { posts: { get: '/p', records: '.', columns: ['id'] },\n"
        + "  c: { get: '/c', records: '.', columns: ['id'], into: 'replies' } } }", to: path)
    let job = try library.job("blog")
    for (table, place) in [("posts", ":1:41"), ("replies", ":2:56"), ("other", "")] {
      #expect(library.place(ofTable: table, in: job) == path + place)
    }
  }

  @Test("leads a job without a secret to another server")
  func otherServer() throws {
    Golden.write(
      "{ name: 'market', use: 'openmarket', base: 'https://market.example/v2' }",
      to: "\(user)/market.json5")
    #expect(try library.job("market").base.description == "https://market.example/v2")
    // Also one whose address has holes, and to an address with holes.
    Golden.write(
      "{ base: 'https://{shop}.example.com', params: { shop: { default: ['a'] } },\n"
        + "  streams: { posts: { get: '/p', records: '.', columns: ['id'] } } }",
      to: "\(user)/shop.json5")
    for (name, base, address) in [
      ("one", "https://other.example/v2", "https://other.example/v2"),
      ("two", "https://{shop}.other.example", "https://a.other.example/"),
    ] {
      Golden.write("{ name: '\(name)', use: 'shop', base: '\(base)' }", to: "\(user)/\(name).json5")
      #expect(try library.job(name).base.description == address)
    }
  }

  @Test("ends where settings use each other in a circle, or too many levels deep")
  func circles() throws {
    Golden.write("{ name: 'a', use: 'b' }", to: "\(user)/a.json5")
    Golden.write("{ name: 'b', use: 'a' }", to: "\(user)/b.json5")
    #expect(failure("a").contains("there is no job \"a\""))
    for level in 0..<9 {
      Golden.write(
        "{ name: 'l\(level)', use: 'l\(level + 1)' }", to: "\(user)/l\(level).json5")
    }
    #expect(failure("l0").contains("there is no job \"l"))
  }

  @Test("tells problems of the job that is used at their own places")
  func usedProblems() throws {
    Golden.write("{ name: 'a', use: 'books' }", to: "\(user)/a.json5")
    Golden.write(
      Books.with("records: \"docs\"", "recrods: \"docs\""), to: "\(system)/books.json5")
    #expect(failure("a").hasPrefix("\(system)/books.json5:"))
  }

  @Test(
    "finds the user's folder as the XDG specification says",
    arguments: [
      (["XDG_CONFIG_HOME": "/c", "HOME": "/h"], "/c/trawl/jobs"),
      (["HOME": "/h"], "/h/.config/trawl/jobs"),
      (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/trawl/jobs"), ([:], nil),
    ] as [([String: String], String?)])
  func folders(variables: [String: String], folder: String?) {
    #expect(JobLibrary { variables[$0] }.userFolder == folder)
  }
}
