import Testing

@testable import Translation

@Suite("YAML from anywhere is read, or refused with its line")
struct YAMLReaderTests {
  private func read(_ text: String) throws -> YAMLNode { try YAMLReader.read(Array(text.utf8)) }

  @Test("Texts, numbers, lists, objects, aliases and merged members")
  func forms() throws {
    let node = try read(
      """
      base: &base { a: 1, b: "2" }
      own:
        <<: *base
        b: 3
      list: [x, ~, 'yes', yes]
      """)
    #expect(node["own", "a"]?.integer == 1)
    #expect(node["own", "b"]?.text == "3")
    #expect(node["own"]?.line == 3)
    let list = try #require(node["list"]?.entries)
    #expect(list.map(\.text) == ["x", nil, "yes", "yes"])
    #expect(list.map(\.boolean) == [nil, nil, nil, true])
  }

  @Test("Of merged objects the first of a list counts, else the later one; each key is there once")
  func merged() throws {
    let node = try read(
      """
      one: &one { a: 1, b: 1 }
      two: &two { a: 2, c: 2 }
      list: { <<: [*one, *two], c: 3 }
      pair: { <<: *one, <<: *two }
      twice: { a: 1, a: 2 }
      """)
    func members(_ name: String) -> [String] {
      (node[name]?.members ?? []).map { "\($0.key)\($0.value.text ?? "")" }
    }
    #expect(members("list") == ["a1", "c3", "b1"] && members("pair") == ["a2", "b1", "c2"])
    #expect(members("twice") == ["a2"])
  }

  @Test(
    "What is no YAML is refused with its line",
    arguments: [
      ("a: [1\nb: 2\n", 2), ("a: b\n  c: d\n", 2), ("\ta: 1", 1), ("", 1), ("a: *b", 1),
      ("{[1]: 2}", 1), ("a: \u{1}", 1), ("%YAML 9.9\n---\na", 1), ("a: 1\n---\nb: 2\n", 2),
      ("{a: 1}\n]", 2),
    ])
  func garbage(_ text: String, _ line: Int) throws {
    #expect { try read(text) } throws: { ($0 as? YAMLProblem)?.line == line }
  }

  @Test("Aliases of aliases, depth and size have their bounds")
  func bombs() throws {
    let levels = (1...12).map { level in
      "l\(level): &l\(level) [\((0..<10).map { _ in "*l\(level - 1)" }.joined(separator: ", "))]"
    }
    let chain = (1...50).map { "c\($0): &c\($0) [[[*c\($0 - 1)]]]" }
    for text in [
      "c0: &c0 [x]\n" + chain.joined(separator: "\n"),
      "l0: &l0 [x]\n" + levels.joined(separator: "\n"),
      "[" + String(repeating: "{},", count: YAMLReader.nodesMax) + "]",
      String(repeating: "[", count: 5_000), String(repeating: "- ", count: 5_000) + "x",
    ] {
      #expect(throws: YAMLProblem.self) { try read(text) }
    }
    let large = [UInt8](repeating: UInt8(ascii: "x"), count: YAMLReader.bytesMax + 1)
    #expect { try YAMLReader.read(large) } throws: { "\($0)".contains("larger than 16 MB") }
    #expect(throws: YAMLProblem.self) { try YAMLReader.read([0xFF, 0xFE, 0x00, 0xD8, 0x3A]) }
  }
}
