import Base
import SandboxKit
import TestSupport
import Testing

@Suite("trawl mcp as a client starts it", .prompt)
struct MCPRunTests {
  private static let begin =
    #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#

  private static func call(_ id: Int, _ sql: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"query","arguments":{"sql":"\#(sql)"}}}"#
  }

  private func stocked() async throws -> Home {
    let sandbox = try Sandbox.small()
    let home = Home()
    await home.run(home.arguments("github", sandbox), ends: 0)
    return home
  }

  @Test("answers each line in order, ends with its stdin, and leaves the database as it was")
  func session() async throws {
    let home = try await stocked()
    let runs = "SELECT count(*) || ':' || max(run) FROM trawl_runs"
    let before = try home.tables.texts(runs)
    home.write(
      [Self.begin, "nonsense", Self.call(1, "SELECT count(*) FROM github_users")]
        .joined(separator: "\n"), to: "asked")
    let ended = await home.shell("$T mcp --data $D < $HOME/asked")
    #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended.errors)")
    let lines = try ended.output.split(separator: "\n").map {
      try JSONDocument.read(Array($0.utf8)).root
    }
    #expect(lines.map { $0["id"]?.integer } == [0, nil, 1])
    #expect(lines[1]["error"]?["code"]?.integer == -32700)
    let users = try home.count("github_users")
    #expect(lines[2]["result"]?["structuredContent"]?["rows"]?[0]?[0]?.integer == Int64(users))
    #expect(try home.tables.texts(runs) == before)
  }

  /// Memory beyond its limit is refused, which ends a Swift program at once.
  @Test(
    "stands through garbage, ten thousand requests and queries without an end to their memory, in 64 MB"
  )
  func flood() async throws {
    let home = try await stocked()
    var random = SeededRandom(seed: 64)
    let blobs = Array(repeating: "randomblob(1900000)", count: 100).joined(separator: ", ")
    let sorted =
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 90000) "
      + "SELECT x, randomblob(500) AS r FROM n ORDER BY r"
    var lines = [Self.begin]
    lines += HostileText.samples(count: 500, seed: 64).map {
      String(decoding: $0.bytes, as: UTF8.self)
    }
    lines += [String(repeating: "[", count: 999_999), String(repeating: "x", count: 3_000_000)]
    lines += [Self.call(1, "SELECT \(blobs)"), Self.call(2, sorted)]
    lines += (0..<10_000).map { number in
      random.next() % 50 == 0
        ? Self.call(number, "SELECT * FROM github_users")
        : #"{"jsonrpc":"2.0","id":\#(number),"method":"ping"}"#
    }
    lines.append(Self.call(-1, "SELECT 7"))
    home.write(lines.joined(separator: "\n"), to: "asked")
    let ended = await home.shell(
      "/usr/bin/prlimit --data=\(Self.memoryMax) $T mcp --data $D < $HOME/asked > $HOME/answers; "
        + "echo $?; grep -c . $HOME/answers; tail -1 $HOME/answers")
    let told = ended.output.split(separator: "\n")
    #expect(told.first == "0", "\(ended.output.prefix(500)) \(ended.errors.prefix(500))")
    #expect((Int(told.dropFirst().first ?? "") ?? 0) > 10_000)
    #expect(told.last?.contains(#""rows":[[7]]"#) == true, "\(ended.output.suffix(500))")
  }

  private static let memoryMax = 64 << 20

  @Test("a client that goes away, in the middle of an answer too, is an orderly end")
  func gone() async throws {
    let home = try await stocked()
    let many = (0..<200).map { Self.call($0, "SELECT * FROM github_users") }
    home.write(([Self.begin] + many).joined(separator: "\n"), to: "asked")
    let ended = await home.shell(
      "($T mcp --data $D < $HOME/asked; echo $? > $HOME/code) | head -c 50000 > /dev/null; cat $HOME/code"
    )
    #expect(ended.output == "0\n" && !ended.errors.contains("trawl:"), "\(ended.errors)")
    await home.shell(
      "printf '%s' '{\"jsonrpc\":\"2.0\",\"id\":1,\"meth' | $T mcp --data $D", ends: 0,
      showing: "-32700")
  }
}
