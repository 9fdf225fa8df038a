import Base
import Jobs
import TestSupport
import Testing

@testable import Translation

@Suite("trawl-translate reads a file and writes another")
struct TranslateCommandTests {
  private let folder = ScratchFolder()

  private func write(_ name: String, _ text: String) throws -> String {
    let path = "\(folder.path)/\(name)"
    let file = try AtomicFile(path)
    try file.write(Array(text.utf8))
    try file.place()
    return path
  }

  private func read(_ path: String) -> [UInt8] {
    guard case .bytes(let bytes, _, _) = FileText.read(path, bytesMax: 1_000_000) else { return [] }
    return bytes
  }

  private func perform(_ words: String...) -> Outcome {
    TranslateCommand.perform(words, day: "2026-01-02")
  }

  @Test("A manifest becomes a job file; one that is there already is left as it is")
  func manifest() throws {
    let file = try write("manifest.yaml", TestManifest.text(TestManifest.stream("things")))
    let target = "\(folder.path)/shop.json5"
    let outcome = perform(file, "-o", target)
    #expect(outcome.status == 0 && outcome.output == "\(target)\n", "\(outcome)")
    #expect(outcome.notes.contains { $0.hasSuffix("trawl key \(target)") })
    #expect(try JobFile.read(read(target), file: target).name == "shop")
    let spaced = "\(folder.path)/my shop.json5"
    #expect(perform(file, "-o", spaced).notes.contains { $0.hasSuffix("trawl key '\(spaced)'") })
    let again = perform(file, "-o", target)
    #expect(again.status == 73 && again.notes[0].contains("there already"))
  }

  @Test("What cannot be said is named, with its line, and ends with 3; nothing at all with 1")
  func part() throws {
    let odd = "  - { name: x, retriever: { type: CustomRetriever } }\n"
    let part = try write("a.yaml", TestManifest.text(odd + TestManifest.stream("things")))
    let some = perform(part, "-o", "\(folder.path)/a.json5")
    #expect(some.status == 3 && some.notes.contains { $0.hasPrefix("  x (line ") }, "\(some)")
    let many = (0..<22).map { odd.replacing("name: x", with: "name: x\($0)") }.joined()
    let more = perform(
      try write("m.yaml", TestManifest.text(many + TestManifest.stream("things"))), "-o",
      "\(folder.path)/m.json5")
    #expect(more.notes.contains("  and 2 more, in the file's head"), "\(more)")
    let none = perform(try write("b.yaml", TestManifest.text(odd)), "-o", "\(folder.path)/b.json5")
    #expect(none.status == 1 && none.output == "", "\(none)")
  }

  @Test("The user hears that the address of a server of tokens is made up")
  func server() throws {
    let text = TestManifest.text(TestManifest.stream("things")).replacing(
      "{ type: BearerAuthenticator, api_token: \"{{ config['api_key'] }}\" }",
      with:
        "{ type: OAuthAuthenticator, token_refresh_endpoint: \"https://{{ config['host'] }}/token\", client_id: a, client_secret: \"{{ config['api_key'] }}\", grant_type: client_credentials }"
    )
    let outcome = perform(try write("t.yaml", text), "-o", "\(folder.path)/t.json5")
    #expect(outcome.notes.contains { $0.contains("belongs in \"post\"") }, "\(outcome)")
  }

  @Test("An OpenAPI description in YAML becomes the same in JSON")
  func description() throws {
    let file = try write(
      "openapi.yaml",
      """
      openapi: 3.0.3
      x: &x { a: 1, b: ~, c: [true, 'true', 007, -1.5e3, 1.2.3] }
      paths: { /a: *x }
      """)
    let target = "\(folder.path)/openapi.json"
    #expect(perform(file, "-o", target).status == 0)
    let root = try JSONDocument.read(read(target)).root
    #expect(root["openapi"]?.string == "3.0.3")
    let shared = try #require(root["paths"]?["/a"])
    #expect(shared["a"]?.integer == 1 && shared["b"]?.isNull == true)
    let list = (shared["c"]?.elements).map { Array($0) } ?? []
    #expect(list.map(\.boolean) == [true, nil, nil, nil, nil])
    #expect(list.map(\.string) == [nil, "true", "007", nil, "1.2.3"])
    #expect(list[3].real == -1500)
  }

  @Test(
    "What is neither is refused",
    arguments: [
      ("a: [1", "bad.yaml:2: not YAML"), ("hello", "not a declarative manifest"),
      ("streams: x", "not a declarative manifest"), ("[1, 2]", "not a declarative manifest"),
      ("", "it is empty"),
    ])
  func garbage(_ text: String, _ sentence: String) throws {
    let outcome = perform(try write("bad.yaml", text), "-o", "\(folder.path)/c.json5")
    #expect(outcome.status == 1 && outcome.notes[0].contains(sentence), "\(outcome)")
    #expect(ScratchFolder.names(in: folder.path) == ["bad.yaml"])
  }

  @Test("A command line that says too little or too much ends with 64; help is for standard output")
  func words() {
    #expect(perform().status == 64 && perform("a", "b").status == 64)
    #expect(perform("a", "-o").status == 64 && perform("--wrong").status == 64)
    #expect(perform("\(folder.path)/nowhere.yaml").status == 64)
    #expect(perform(folder.path).notes[0].contains("cannot be read"))
    #expect(perform("--help").output.contains("Exit codes:"))
    #expect(perform("--manual-page").output.contains(".SH SYNOPSIS"))
  }
}
