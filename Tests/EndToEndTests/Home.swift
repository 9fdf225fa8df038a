import Glibc
import SandboxKit
import TestSupport
import Testing

/// One user's data folder, settings folder, and the program as built. No setting of the test machine has any effect.
final class Home: Sendable {
  let scratch = ScratchFolder()

  var data: String { "\(scratch.path)/data" }
  var database: String { "\(data)/trawl.db" }
  var tables: Tables { Tables(path: database) }
  var settings: String { "\(scratch.path)/config" }

  /// The number of rows in a table: `github_users WHERE id = 7`.
  func count(_ rows: String) throws -> Int { try tables.count(of: rows) }

  init() { makeFolder(settings) }

  var environment: [String: String] {
    var all = [
      "HOME": scratch.path, "XDG_CONFIG_HOME": settings, "XDG_DATA_HOME": "\(scratch.path)/share",
      "NO_COLOR": "1",
    ]
    // An empty variable counts as unset.
    for name in [
      "GITHUB_TOKEN", "TRAWL_DATA", "TRAWL_LEDGER", "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY",
      "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ] { all[name] = "" }
    return all
  }

  /// Starts `trawl` with these arguments.
  func start(
    _ arguments: [String], _ more: [String: String] = [:], memoryMax: Int? = nil
  ) -> BinaryRun {
    BinaryRun(
      "trawl", arguments, environment: environment.merging(more) { $1 }, memoryMax: memoryMax)
  }

  /// - Parameters:
  ///   - status: the expected exit code.
  ///   - saying: words that its errors must have; `showing`: words of its output; `without`: words that neither has.
  @discardableResult
  func run(
    _ arguments: [String], _ more: [String: String] = [:], memoryMax: Int? = nil,
    ends status: Int32? = nil, saying: String..., showing: String..., without: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> BinaryRun.Ended {
    let ended = await start(arguments, more, memoryMax: memoryMax).end()
    await check(ended, of: arguments, status, saying, showing, without, sourceLocation)
    return ended
  }

  /// Runs a command on the own folder: `home.trawl("run", job, ends: 0)`.
  @discardableResult
  func trawl(
    _ words: String..., with more: [String: String] = [:], memoryMax: Int? = nil,
    ends status: Int32? = nil, saying: String..., showing: String..., without: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> BinaryRun.Ended {
    let ended = await start(words + ["--data", data], more, memoryMax: memoryMax).end()
    await check(ended, of: words, status, saying, showing, without, sourceLocation)
    return ended
  }

  private func check(
    _ ended: BinaryRun.Ended, of arguments: [String], _ status: Int32?, _ saying: [String],
    _ showing: [String], _ without: [String], _ place: SourceLocation
  ) async {
    ended.expect(status, saying: saying, showing: showing, at: place)
    for word in without {
      #expect(!ended.everything.holds(word), "\(word): \(ended)", sourceLocation: place)
    }
    if arguments.first == "prove", ended.status == 0 { await expectDerived(database) }
  }

  /// A checker that shares no code with the program must accept what the program accepts.
  func expectDerived(_ database: String) async {
    do {
      let findings = try await IndependentChecker.findings(in: [database])
      let found = findings[database].map { $0.map(\.what) }
      #expect(found == [], "\(found ?? ["no answer"])")
    } catch {
      Issue.record("check.py: \(error)")
    }
  }

  /// A command line as advised for this data folder.
  func advice(_ line: String) -> String {
    let words = line.split(separator: " ", maxSplits: 2)
    return "\(words[0]) \(words[1]) --data \(data) \(words[2])"
  }

  /// Runs a shell line, in which `$T` is the program, so that it can be piped and redirected.
  @discardableResult
  func shell(
    _ line: String, _ more: [String: String] = [:], ends status: Int32? = nil, saying: String...,
    showing: String..., without: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async -> BinaryRun.Ended {
    let own = ["T": "\(BinaryRun.products)/trawl", "D": data]
    let ended = await BinaryRun(
      "/bin/sh", ["-c", line],
      environment: environment.merging(own) { $1 }.merging(more) { $1 }
    ).end()
    await check(ended, of: [], status, saying, showing, without, sourceLocation)
    return ended
  }

  @discardableResult
  func write(_ text: String, to name: String, mode: mode_t = 0o644) -> String {
    let path = name.hasPrefix("/") ? name : "\(scratch.path)/\(name)"
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    precondition(file >= 0, "\(path): errno \(errno)")
    defer { close(file) }
    let bytes = Array(text.utf8)
    precondition(Glibc.write(file, bytes, bytes.count) == bytes.count, "\(path): errno \(errno)")
    return path
  }

  func makeFolder(_ path: String) {
    var made = ""
    for part in path.split(separator: "/") {
      made += "/\(part)"
      mkdir(made, 0o755)
    }
  }

  func holds(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The arguments of a run of a job, by default the one of its name, against one API of a sandbox.
  func arguments(
    of api: String, job: String? = nil, _ sandbox: Sandbox, _ more: [String] = []
  ) -> [String] {
    ["run", job ?? api, "--endpoint", sandbox.endpoint(for: api), "--data", data] + more
  }

  /// The arguments of a run of a job against the sandbox's GitHub.
  func arguments(_ job: String, _ sandbox: Sandbox, _ more: [String] = []) -> [String] {
    arguments(of: "github", job: job, sandbox, more)
  }
}

/// Job files of the tests: the shipped one for GitHub, with a few words replaced.
enum JobText {
  /// The shipped file.
  static let github = read("jobs/github.json5")

  static func github(_ changes: [(String, String)]) -> String { shipped("github", changes) }

  /// Replaces words that must be there, so that a change of the shipped file cannot void a test.
  static func shipped(_ name: String, _ changes: [(String, String)]) -> String {
    var text = read("jobs/\(name).json5")
    for (old, new) in changes {
      let parts = text.pieces(around: old)
      precondition(parts.count > 1, "jobs/\(name).json5 no longer holds \(old)")
      text = parts.joined(separator: new)
    }
    return text
  }

  /// Without our own limits, so that a test with many requests need not wait; and with short pages, so that a small
  /// list has many.
  static func unlimited(pageSize: Int = 100, _ changes: [(String, String)] = []) -> String {
    github(
      [
        ("allow: 5000, allowWithoutKey: 60, per: \"hour\"", "allow: 10000000, per: \"hour\""),
        (
          "allow: 600, per: \"minute\", burst: 10",
          "allow: 10000000, per: \"minute\", burst: 10000000"
        ),
        ("?per_page=100", "?per_page=\(pageSize)"),
      ] + changes)
  }

  static func read(_ path: String) -> String { Golden.read("\(Golden.root)/\(path)") ?? "" }
}

extension BinaryRun.Ended {
  var everything: String { output + errors }
}

extension String {
  /// The parts before, between and after all occurrences, byte for byte.
  func pieces(around word: String) -> [String] {
    Array(utf8).split(separator: Array(word.utf8), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  func holds(_ word: String) -> Bool { pieces(around: word).count > 1 }
}
