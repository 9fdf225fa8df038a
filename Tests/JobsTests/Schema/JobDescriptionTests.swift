@testable import Base
@testable import Jobs
import TestSupport
import Testing

@Suite("The description of job files")
struct JobDescriptionTests {
  private static func readme() throws -> String {
    try #require(Golden.read("\(Golden.root)/jobs/README.md"))
  }

  @Test("is what the schema for editors says")
  func schema() throws {
    Golden.expect("jobs/job.schema.json", equals: JobSchema.text)
    let document = try JSONDocument.read(Array(JobSchema.text.utf8))
    let definitions = try #require(document.root["definitions"])
    for shape in JobShape.objects {
      let properties = try #require(definitions[shape.name]?["properties"])
      #expect(shape.keys.allSatisfy { properties[$0.name]?["description"] != nil })
    }
  }

  @Test("is what trawl.json5(5) says, with the example of the README")
  func manual() throws {
    let page = FormatManual.text(version: "1.0")
    for shape in JobShape.objects {
      let part = try #require(page.range(of: ".SS \(shape.name)\n"))
      for key in shape.keys {
        #expect(page[part.upperBound...].range(of: ".B \(Roff.escaped(key.name))\n") != nil)
      }
    }
    #expect(try FormatManual.example + "\n" == Self.example("books"))
  }

  @Test("names no key twice in one object, and every key says what it is for")
  func isWhole() {
    for shape in JobShape.objects {
      #expect(Set(shape.keys.map(\.name)).count == shape.keys.count, "\(shape.name)")
      #expect(shape.keys.allSatisfy { !$0.about.isEmpty && !$0.about.hasSuffix(".") })
    }
  }

  @Test("leaves no two shapes of one place that take the same kind of value")
  func isUnambiguous() throws {
    let values = try JSON5Reader.read(Array("['', 1, true, null, [], {}]".utf8)).elements ?? []
    func check(_ shape: Shape, _ name: String) {
      if case .either(let shapes) = shape {
        #expect(values.allSatisfy { value in shapes.count { $0.takes(value) } < 2 }, "\(name)")
        for shape in shapes { check(shape, name) }
      }
    }
    for object in JobShape.objects {
      for key in object.keys { check(key.shape, "\(object.name).\(key.name)") }
    }
  }

  /// The text of an example in the README.
  private static func example(_ name: String) throws -> String {
    let text = try readme()
    let mark = "<!-- example: \(name) -->\n```json5\n"
    let start = try #require(text.range(of: mark)).upperBound
    let end = try #require(text[start...].range(of: "```")).lowerBound
    return String(text[start..<end])
  }

  /// The job that an example is in a file of its name.
  private static func job(_ name: String, file: String? = nil) throws -> Job {
    try JobFile.read(Array(try example(name).utf8), file: "\(file ?? name).json5")
  }

  @Test("comes with examples that are sound")
  func examples() throws {
    let books = try Self.job("books", file: "library")
    #expect(books.streams.map(\.name) == ["books"])
    #expect(books.stream("books")?.membership?.columns.map(\.name) == ["subject"])
    #expect(try Self.job("posts").stream("posts")?.takesAll == true)
    #expect(try Self.job("covers").stream("albums")?.media.count == 1)
    #expect(try Self.job("issues").stream("issues")?.body?.isGraphQL == true)
    #expect(try Self.job("orders").authentication?.token?.rotates("refresh") == true)
    #expect(try Self.job("forge").stream("issues")?.children.map(\.table) == ["labels"])
    #expect(try Self.job("releases").stream("releases")?.readsFeed == true)
    let settings = try JobFile.read(
      Array(try Self.example("settings").utf8), file: "my-github.json5"
    ) { name throws(JobFileError) in
      try? JobLibrary(userFolder: nil, systemFolder: nil).job(name)  // nil is what the test sees
    }
    #expect(settings.tablePrefix == "my_github")
    #expect(settings.parameter("user")?.defaults == ["octocat", "torvalds"])
  }

  @Test("tells of slips what Trawl really says")
  func slips() throws {
    let text = try Self.readme()
    let books = try Self.example("books")
    var count = 0
    for part in text.split(separator: "<!-- slip: ").dropFirst() {
      let lines = part.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
      let sides = lines[0].split(separator: " -> ")
      let new = sides[1].dropLast(" -->".count)
      try #require(books.ranges(of: sides[0]).count == 1)
      let slipped = books.replacing(sides[0], with: new)
      do {
        _ = try JobFile.read(Array(slipped.utf8), file: "library.json5")
        Issue.record("no problem was found")
      } catch { #expect("\(error)" == lines[2]) }
      count += 1
    }
    #expect(count == 2)
  }
}

extension StringProtocol {
  fileprivate func range(of other: String) -> Range<Index>? { ranges(of: other).first }
}
