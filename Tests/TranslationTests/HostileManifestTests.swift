import Testing

@testable import Translation

@Suite("A manifest from anywhere is translated, or refused with its place")
struct HostileManifestTests {
  @Test(
    "References in a circle, to nothing, and components that nobody knows leave their stream out")
  func references() throws {
    for (stream, reason) in [
      ("  - { $ref: \"#/streams/0\" }", "in a circle"),
      (
        "  - { type: DeclarativeStream, name: x, retriever: { $ref: \"#/nowhere/at/all\" } }",
        "names nothing"
      ),
      (
        "  - { type: DeclarativeStream, name: x, retriever: { type: WonderRetriever } }",
        "code of its own"
      ),
      ("  - 7", "code of its own"), ("  - { name: x, retriever: [] }", "code of its own"),
    ] {
      let text = TestManifest.text(stream + "\n" + TestManifest.stream("things"))
      let found = try TestManifest.translated(text)
      #expect(
        found.streams.count == 1 && found.missing.contains { $0.reason.contains(reason) },
        "\(found.missing)")
    }
  }

  @Test("Parents in a circle are both left out")
  func circle() throws {
    func router(_ parent: Int) -> String {
      "      partition_router: { type: SubstreamPartitionRouter, parent_stream_configs: [{ parent_key: id, partition_field: p, stream: { name: \(parent == 0 ? "a" : "b") } }] }"
    }
    let found = try TestManifest.translated(
      of: TestManifest.stream("a", path: "{{ stream_partition.p }}", more: router(1))
        + TestManifest.stream("b", path: "{{ stream_partition.p }}", more: router(0)))
    #expect(found.streams.count == 0 && found.missing.count == 2)
  }

  @Test("A stream that no job can hold takes along what is requested for its records, in any order")
  func refusedParent() throws {
    let router = TestManifest.each(of: 1, as: "team")
    let found = try TestManifest.translated(
      of: TestManifest.stream("boards", path: "/t/{{ stream_partition.team }}", more: router)
        + TestManifest.stream("teams", requester: "        request_parameters: { \"é\": x }")
        + TestManifest.stream("things"))
    #expect(found.streams.map(\.name) == ["things"], "\(found.missing)")
    #expect(found.missing.map(\.stream).sorted() == ["boards", "teams"])
  }

  @Test("Texts of a manifest cannot break out of the file, and expressions are not evaluated")
  func texts() throws {
    let evil = "\u{202e}*/ } // \\u000a x"
    let text = TestManifest.text(
      TestManifest.stream(
        "things", requester: "        request_parameters: { a: \"\(evil)\", b: \"{{ 7 * 7 }}\" }"),
      settings: "      \"q\": { title: \"\(evil)\" }")
    let found = try TestManifest.translated(text)
    #expect(!found.text.unicodeScalars.contains { $0 == "\u{202e}" })
    #expect(!found.text.contains("49"))
  }

  @Test("Deep and endless expressions are texts that nobody knows")
  func expressions() {
    for text in [
      String(repeating: "(", count: 5_000), String(repeating: "not ", count: 3_000) + "x", "a.",
      "a[", "'", "a if", String(repeating: "x ~ ", count: 900) + "x", "{% for x in y %}",
      "a" + String(repeating: ".b", count: 1_900), "a" + String(repeating: "|b", count: 1_900),
      "a" + String(repeating: "()", count: 1_900),
      String(repeating: "a if b else ", count: 330) + "c", "a |", "f(", "\u{0}",
    ] {
      for template in ["{{ \(text) }}", "{{ \(text)"] {
        let piece = ManifestText.pieces(template).first
        let isUnknown = if case .unknown? = piece { true } else { false }
        #expect(isUnknown, "\(template.prefix(40))")
      }
    }
    #expect(Jinja("a.b['c'].get('d', {}) | default('x') or none") != nil)
  }

  @Test("References nested in themselves come to an end, with what is wrong")
  func nested() throws {
    var node = "{}"
    for _ in 0..<15 { node = "{ $ref: \"#/x/y\", y: \(node) }" }
    let text =
      TestManifest.text(
        "  - { $ref: \"#/x/y\" }\n" + TestManifest.stream("things")) + "\nx: \(node)\n"
    let found = try TestManifest.translated(text)
    #expect(found.streams.count == 1)
    #expect(found.missing.contains { $0.reason.contains("its references") }, "\(found.missing)")
  }

  @Test("A secret becomes no parameter, whatever it is a part of")
  func secretParameters() throws {
    let secret = "{{ config['api_key'] }}"
    let list =
      "      partition_router: { type: ListPartitionRouter, cursor_field: kind, values: \"\(secret)\" }"
    for stream in [
      TestManifest.stream(
        "things", requester: "        request_parameters: { k: \"\(secret)-x\" }"),
      TestManifest.stream("things", more: list),
      TestManifest.stream("things").replacing(
        "{ type: BearerAuthenticator, api_token: \"\(secret)\" }",
        with:
          "{ type: BasicHttpAuthenticator, username: \"\(secret)\", password: \"{{ config['my_password'] }}\" }"
      ),
    ] {
      let found = try TestManifest.translated(
        of: stream, settings: "      my_password: { type: string }")
      #expect(!found.text.contains("{api_key}"), "\(found.text)")
      #expect(found.missing.contains { $0.reason.contains("a secret in") }, "\(found.missing)")
    }
  }

  @Test("Streams whose long names begin alike fill a table each")
  func tables() throws {
    let name = String(repeating: "longer", count: 10)
    let found = try TestManifest.translated(
      of: TestManifest.stream(name + "a") + TestManifest.stream(name + "b"))
    #expect(found.isWhole && Set(found.streams.map(\.table)).count == 2, "\(found.text)")
  }

  @Test("Of more streams than a job holds each that is left out is named")
  func manyStreams() throws {
    let streams = (0..<52).map { TestManifest.stream("s\($0)") }.joined()
    let found = try TestManifest.translated(of: streams)
    #expect(found.streams.count == 50 && found.missing.map(\.stream) == ["s50", "s51"])
    #expect(found.missing[0].reason == "a job holds 50 streams")
  }

  @Test("Pairs of a query without a name say nothing", arguments: ["=", "a=1&=", "=x&&", "a", ""])
  func pairs(text: String) {
    let pairs = QueryText.pairs(text)
    #expect(pairs.map(\.name) == (text.hasPrefix("a") ? ["a"] : []))
    #expect(pairs.map(\.value) == (text == "a" ? [""] : text.hasPrefix("a") ? ["1"] : []))
  }
}
