import Base
@testable import Drafting
import Jobs
import Testing

@Suite("A description becomes a draft of the lists that it names")
struct APIDescriptionTests {
  private static let text = """
    {"openapi": "3.0.3",
         "servers": [{"url": "https://{region}.example.com/v2/", "variables": {"region": {"default": "eu"}}}],
         "security": [{"bearer": []}],
         "paths": {"/things": {"parameters": [{"$ref": "#/components/parameters/Page"}],
           "get": {"summary": "All things",
            "parameters": [{"name": "per_page", "in": "query", "schema": {"type": "integer", "maximum": 50}}, {"name": "kind", "in": "query", "required": true, "schema": {"type": "string", "enum": ["a", "b"]}},
             {"name": "X-Version", "in": "header", "required": true, "schema": {"type": "string", "default": "2"}},
             {"name": "Cookie", "in": "header", "required": true, "schema": {"type": "string"}},
             {"name": "Authorization", "in": "header", "required": true, "schema": {"type": "string"}}],
            "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Things"}}}}}}},
          "/things/{thingId}/parts": {"get": {"parameters": [{"name": "thingId", "in": "path", "required": true, "schema": {"type": "string"}}],
            "responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}}}}},
          "/things/{thingId}": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}}}},
          "/orders": {"post": {}}},
         "components": {"parameters": {"Page": {"name": "page", "in": "query", "schema": {"type": "integer"}}},
          "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
          "schemas": {"Thing": {"allOf": [{"properties": {"id": {"type": "integer"}, "made": {"type": "string", "format": "date-time"}}}, {"properties": {"tags": {"type": "array", "items": {"type": "string"}}, "parent": {"$ref": "#/components/schemas/Thing"}}}]},
           "Things": {"properties": {"total": {"type": "integer"},
             "items": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}}}}}}
    """

  private func drafted(
    _ text: String, only: String? = nil, name: String = "mine"
  ) throws -> (found: APIDescription, job: Job, text: String) {
    let found = try APIDescription(Array(text.utf8), title: "api.json", only: only)
    let text = found.draft(jobName: name, date: "2026-01-02")
    do { return (found, try JobFile.read(Array(text.utf8), file: "mine.json5"), text) } catch {
      Issue.record("\(error)\n\(text)")
      throw error
    }
  }

  @Test("Paths that list, their parameters, columns, server and key")
  func whole() throws {
    let (found, job, text) = try drafted(Self.text)
    #expect(job.streams.map(\.name) == ["things", "parts"])
    #expect(job.authentication?.place == .header(name: "Authorization", prefix: "Bearer "))
    #expect(found.server == "https://eu.example.com/v2")
    let things = job.streams[0]
    #expect(things.key == ["id"] && things.columns.map(\.name) == ["id", "made", "tags", "parent"])
    #expect(things.query.map(\.name) == ["kind"] && things.isSearch)
    #expect(things.fields == [HeaderField("X-Version", "2")])
    #expect(found.fields(of: found.lists[0]) == [HeaderField("X-Version", "2")])
    #expect(job.streams[1].path.holes == ["thing_id"])
    #expect(text.contains("to send the header field Cookie"))
    #expect(text.contains("pages: { by: \"number\", to: \"?page\""))
    #expect(
      found.address(of: found.lists[0])?.description
        == "https://eu.example.com/v2/things?kind=a&per_page=5")
    #expect(found.address(of: found.lists[1]) == nil)
  }

  @Test("Where the key goes is drafted, or named; a relative server keeps its path")
  func securityAndServer() throws {
    let scheme = #"{"type": "http", "scheme": "bearer"}"#
    for (other, place, said) in [
      (#"{"type": "http", "scheme": "basic"}"#, .basic(user: nil), "Say whose name goes with it"),
      (
        #"{"type": "apiKey", "in": "header", "name": "X-Key"}"#,
        .header(name: "X-Key", prefix: ""), "header:X-Key"
      ),
      (
        #"{"type": "apiKey", "in": "cookie", "name": "k"}"#, nil,
        "Not drafted: it names the security bearer (apiKey)"
      ),
    ] as [(String, Credential.Place?, String)] {
      let found = try drafted(Self.text.replacing(scheme, with: other), only: "/things")
      #expect(found.job.authentication?.place == place, "\(found.text)")
      #expect(found.text.contains(said), "\(found.text)")
    }
    for (other, isNeeded) in [("", true), (#", {"bearer": []}"#, false)] {
      let both = try drafted(
        Self.text.replacing(#"[{"bearer": []}]"#, with: #"[{"bearer": [], "app": []}\#(other)]"#)
      ).text
      #expect(both.contains("it names the security app as well.") == isNeeded, "\(both)")
    }
    for (server, base) in [
      ("/api/v3", "https://api.example.com/api/v3"), ("//a.example/v3", "https://a.example/v3"),
    ] {
      let found = try drafted(
        Self.text.replacing("https://{region}.example.com/v2/", with: server))
      #expect(found.job.base.description == base, "\(found.text)")
      #expect(found.text.contains("names no host") == (server == "/api/v3"))
    }
  }

  @Test("A parameter that is called like a place in the list hints at tokens")
  func tokens() throws {
    let draft = try drafted(Self.text.replacing("\"page\"", with: "\"cursor\"")).text
    #expect(draft.contains("{ by: \"token\", to: \"?cursor\", next: \"...\""), "\(draft)")
  }

  @Test(
    "A job is called like its draft, or like the file, or like the folder of a file that says nothing",
    arguments: [
      ("a/shop.yaml", nil, "shop"), ("source-shop/manifest.yaml", nil, "shop"),
      ("apis/big-shop/openapi.json", nil, "big-shop"), ("openapi.json", nil, "openapi"),
      ("7.json", nil, "draft"), ("github.json", nil, "my-github"),
      ("a.json", "x/mine.json5", "mine"), ("a.json", "x/7.json5", "a"),
    ] as [(String, String?, String)])
  func jobName(file: String, draft: String?, name: String) {
    #expect(DraftNames.job(of: file, draft: draft, known: ["github"]) == name)
  }

  @Test("A value that a parameter needs is sent as it is, and a size that is needed is sent once")
  func values() throws {
    let needed = #""name": "kind", "in": "query", "required": true, "schema": {"type": "string", "#
    let text = Self.text.replacing(needed, with: needed + #""default": "a b&c=d#e", "#)
      .replacing(
        #""in": "query", "schema": {"type": "integer", "max"#,
        with: #""in": "query", "required": true, "schema": {"type": "integer", "default": 20, "max"#
      )
    let found = try drafted(text, only: "/things").found
    #expect(
      found.address(of: found.lists[0])?.description
        == "https://eu.example.com/v2/things?kind=a%20b%26c%3Dd%23e&per_page=5")
  }

  @Test("Lists whose names begin alike fill a table each, however long the job's name is")
  func alike() throws {
    let text = Self.text.replacing("\"/things\": ", with: "\"/things_with_most\": ")
      .replacing("/things/{thingId}/parts", with: "/things/{thingId}/things_with_more")
    for name in ["mine", "mine-is-a-name-that-leaves-few-letters"] {
      let job = try drafted(text, name: name).job
      #expect(Set(job.streams.map(\.table)).count == job.streams.count)
    }
  }

  @Test("A member that several parts of a schema describe is one column")
  func parts() throws {
    let text = Self.text.replacing(
      #"{"properties": {"tags""#, with: #"{"properties": {"id": {"type": "integer"}, "tags""#)
    let things = try drafted(text, only: "/things").job.streams[0]
    #expect(things.key == ["id"] && things.columns.map(\.name) == ["id", "made", "tags", "parent"])
  }

  @Test("A page number begins with 0 where that is its default: that it may be 0 is no sign")
  func pageZero() throws {
    let page = #""name": "page", "in": "query", "schema": {"type": "integer"}"#
    for (more, isFromZero) in [("\"minimum\": 0", false), ("\"minimum\": 0, \"default\": 0", true)]
    {
      let text = Self.text.replacing(
        page, with: page.replacing("\"integer\"", with: "\"integer\", \(more)"))
      let draft = try drafted(text).text
      #expect(draft.contains("to: \"?page\", first: 0") == isFromZero, "\(draft)")
    }
  }

  @Test("What begins a range is no offset, and advice that was followed is not repeated")
  func range() throws {
    let from = Self.text.replacing("\"page\"", with: "\"from\"")
    for (more, isRange) in [(#"{"name": "to", "in": "query"}, "#, true), ("", false)] {
      let text = from.replacing("{\"name\": \"kind\"", with: more + "{\"name\": \"kind\"")
      let draft = try drafted(text, only: "/things").text
      #expect(draft.contains("by: \"offset\", to: \"?from\"") != isRange, "\(draft)")
      #expect(draft.contains("are the ends of a range of time: window") == isRange, "\(draft)")
      #expect(!draft.contains("--path"), "\(draft)")
    }
  }

  @Test("One path alone; one that is not there, or lists nothing, is said")
  func paths() throws {
    #expect(try drafted(Self.text, only: "/things").job.streams.count == 1)
    for (path, words) in [
      ("/nothing", "there is no path"), ("/things/{thingId}", "answers with no list"),
    ] {
      #expect {
        _ = try drafted(Self.text, only: path)
      } throws: { "\($0)".contains(words) }
    }
  }

  @Test("What is no description, and references in a circle, are refused or left out")
  func hostile() throws {
    for (text, words) in [
      ("{", "not JSON"), ("[]", "not an OpenAPI description"),
      (#"{"swagger": "2.0"}"#, "Swagger 2.0"), (#"{"openapi": "3.1.0"}"#, "no path of it"),
      ("{\"openapi\": \"3.1.0\", \"paths\": 7}", "no path of it"),
      (##"{"openapi": "3.0.0", "paths": {"/a": {"$ref": "#/paths/~1a"}}}"##, "no path of it"),
      (
        ##"{"openapi": "3.0.0", "paths": {"/a": {"get": {"responses": {"200": {"$ref": "#/nowhere"}}}}}}"##,
        "no path of it"
      ),
    ] {
      #expect {
        _ = try APIDescription(Array(text.utf8), title: "api.json")
      } throws: { "\($0)".contains(words) }
    }
    let circle = """
      {"openapi": "3.0.0", "paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema":
        {"type": "array", "items": {"$ref": "#/components/schemas/A"}}}}}}}}},
       "components": {"schemas": {"A": {"properties": {"id": {}, "a": {"$ref": "#/components/schemas/A"}, "\\u202e": {}}}}}}
      """
    let drafted = try drafted(circle)
    #expect(drafted.job.streams[0].columns.map(\.name) == ["id", "a"])
    #expect(drafted.text.contains("1 more member of its records has no column"))
  }

  @Test("What is left out is counted: lists, members of records, parameters")
  func cuts() throws {
    let answer =
      ##"{"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/A~1B~0C"}}}}}}"##
    let parameters = (0..<33).map { #"{"name": "p\#($0)", "in": "query"}"# }.joined(separator: ",")
    let paths = (0..<53).map {
      #""/list\#($0)": {"get": {"parameters": [\#(parameters)], "responses": \#(answer)}}"#
    }
    let members = (0..<104).map { #""m\#($0)": {}"# }.joined(separator: ",")
    let text = """
      {"openapi": "3.0.0", "paths": {\(paths.joined(separator: ","))},
       "components": {"schemas": {"A/B~C": {"properties": {\(members)}}}}}
      """
    let drafted = try drafted(text)
    #expect(drafted.job.streams.count == 50 && drafted.found.listsLeft == 3)
    // Comments are wrapped.
    let draft = drafted.text.split { " /\n".contains($0) }.joined(separator: " ")
    #expect(draft.contains("3 more paths that list are left out"))
    #expect(draft.contains("4 more members of its records have no column"))
    #expect(draft.contains(" and 3 more."))
  }
}
