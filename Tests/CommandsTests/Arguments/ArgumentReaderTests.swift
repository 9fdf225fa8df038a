import Base
@testable import Commands
import TestSupport
import Testing

/// 2026-11-21T14:12:07Z
private let now = Instant(seconds: 1_795_270_327)
private let reader = ArgumentReader(now: now)

private func invocation(_ line: String...) throws -> Invocation {
  guard case .command(let invocation) = try reader.read(line) else {
    throw UsageProblem("\(line) is no command")
  }
  return invocation
}

private func problem(_ line: [String]) -> String {
  do throws(UsageProblem) {
    _ = try reader.read(line)
    return ""
  } catch {
    return error.sentence
  }
}

@Suite("The command line")
struct ArgumentReaderTests {
  @Test(
    "takes a value behind a blank or an equals sign, switches in a bundle, and ends at two dashes")
  func forms() throws {
    let line = try invocation(
      "run", "github", "--data", "here", "--max-wait=90s", "--json", "-v", "./b.json5")
    #expect(line.command == .run)
    #expect(line.operands == ["github", "./b.json5"])
    #expect(line.text(.data) == "here")
    #expect(line.duration(.maxWait) == .seconds(90))
    #expect(line.has(.json) && line.has(.verbose) && !line.has(.quiet) && !line.has(.dryRun))
    let bundle = try invocation("run", "-vv", "--", "-q")
    #expect(bundle.has(.verbose) && !bundle.has(.quiet) && bundle.operands == ["-q"])
    let dashes = try invocation("search", "--limit", "3", "--", "--json", "-q")
    #expect(dashes.operands == ["--json", "-q"] && !dashes.has(.json))
    #expect(try invocation("search", "-").operands == ["-"])
  }

  @Test(
    "makes a list of a repeated --set, leaves commas and equals signs alone, and tells names apart by bytes"
  )
  func settings() throws {
    let line = try invocation(
      "run", "github", "--set", "user=a,b", "--set", "q=x=y", "--set=user=c", "--set", "empty=")
    #expect(line.settings.map(\.name) == ["user", "q", "empty"])
    #expect(line.settings.map(\.values) == [["a,b", "c"], ["x=y"], [""]])
    let spellings = try invocation("check", "a.json5", "--set", "\u{e9}=1", "--set", "e\u{301}=2")
    #expect(spellings.settings.count == 2 && spellings.settingsByName == ["\u{e9}": ["1", "2"]])
  }

  @Test("uses the default that the help shows")
  func defaults() throws {
    let line = try invocation("run", "github")
    #expect(line.duration(.maxWait) == .seconds(300) && !line.has(.maxWait))
    #expect(line.bytes(.maxWAL) == 1_000_000_000)
    #expect(line.count(.maxRequests) == nil)
    #expect(try invocation("backfill", "news").stretch(.to)?.to == now)
    #expect(try invocation("media", "verify").share(.sample)?.of == 1)
  }

  @Test("every default in words of a value is a value of its kind")
  func defaultsAreValues() {
    for option in OptionTable.options {
      guard let value = option.value, case .value(let text) = value.fallback else { continue }
      #expect(value.kind.read(text, now) != nil, "\(option.name)")
    }
  }

  @Test("knows actions, and which option belongs to which")
  func actions() throws {
    let line = try invocation("media", "gc", "--grace", "12h", "--dry-run")
    #expect(line.action == "gc" && line.operands.isEmpty)
    #expect(line.duration(.grace) == .seconds(12 * 3600))
    #expect(problem(["media", "gc", "--sample", "1/7"]) == "--sample is not for \"media gc\"")
    #expect(problem(["media"]) == "say what to do: verify, gc or path")
    #expect(problem(["media", "verfy"]).hasSuffix("did you mean \"verify\"?"))
    #expect(try invocation("favorite", "add", "t", "1", "2").operands == ["t", "1", "2"])
  }

  @Test("asks for help wherever the word stands")
  func help() throws {
    for line in [["--help"], ["-h"]] {
      guard case .help(nil) = try reader.read(line) else { throw UsageProblem("\(line)") }
    }
    for line in [
      ["run", "--help"], ["run", "--nonsense", "-h"], ["--help", "run"], ["run", "a", "-vh"],
    ] {
      guard case .help(.run) = try reader.read(line) else { throw UsageProblem("\(line)") }
    }
    #expect(try invocation("search", "--", "--help").operands == ["--help"])
  }

  @Test("stands for the system's user only before the command")
  func system() throws {
    #expect(try invocation("--system", "backfill", "news").isForSystem)
    #expect(try !invocation("backfill", "news").isForSystem)
    #expect(problem(["backfill", "news", "--system"]).contains("goes before the command"))
  }

  @Test("has two manual pages by name, completion scripts, and the words they ask for")
  func hidden() throws {
    for (words, isOfFormat) in [([], false), (["trawl"], false), (["trawl.json5"], true)] {
      guard case .manualPage(isOfFormat) = try reader.read(["--manual-page"] + words) else {
        throw UsageProblem("\(words)")
      }
    }
    guard case .completions(.zsh) = try reader.read(["--completions", "zsh"]) else {
      throw UsageProblem("zsh")
    }
    guard
      case .completeWords(["run", "--help"]) = try reader.read(
        ["--complete-words", "run", "--help"])
    else { throw UsageProblem("words") }
  }

  @Test(
    "tells in one sentence what is wrong",
    arguments: [
      ([], "no command is given"),
      (["rnu", "github"], "there is no command \"rnu\"; did you mean \"run\"?"),
      (["xyzzy"], "there is no command \"xyzzy\""),
      (["--verison"], "unknown option \"--verison\"; did you mean \"--version\"?"),
      (["--data", "x", "run"], "\"--data\" goes after the command"),
      (["-q", "run"], "\"-q\" goes after the command"),
      (["--version=2"], "--version takes no value"),
      (["--completions"], "--completions needs a shell: bash, zsh or fish"),
      (["--completions", "csh"], "--completions: \"csh\" is not bash, zsh or fish"),
      (["run"], "JOB|FILE is missing: a job's name, or the path of a job file"),
      (["run", ""], "JOB|FILE is empty"),
      (["run", "a", "--strem", "x"], "unknown option \"--strem\"; did you mean \"--stream\"?"),
      (["run", "a", "--dry_run"], "unknown option \"--dry_run\"; did you mean \"--dry-run\"?"),
      (["run", "a", "-json"], "unknown option \"-json\"; did you mean \"--json\"?"),
      (["run", "a", "-qx"], "unknown option \"-qx\""),
      (["run", "a", "--data"], "--data needs a value: --data DIR"),
      (["run", "a", "--data="], "--data needs a value: --data DIR"),
      (["run", "a", "--data", "--json"], "--data needs a value: --data DIR"),
      (["run", "a", "--json=yes"], "--json takes no value"),
      (["run", "a", "--data", "x", "--data", "y"], "--data is given twice"),
      (
        ["run", "a", "--max-wait", "soon"],
        "--max-wait: \"soon\" is not a time such as 90d, 12h, 5m, 30s or 1h30m"
      ),
      (
        ["run", "a", "--max-requests", "-1"],
        "--max-requests: \"-1\" is not a whole number, 0 or more"
      ),
      (["run", "a", "--set", "user"], "--set: \"user\" is not KEY=VALUE, such as user=octocat"),
      (["run", "a", "--set", "=x"], "--set: \"=x\" is not KEY=VALUE, such as user=octocat"),
      (
        ["run", "a", "--endpoint", "https://me:pass@host/"],
        "--endpoint takes an address such as https://api.example.com/v1, "
          + "without a user or password"
      ),
      (["run", "a", "-q", "-v"], "--quiet and --verbose exclude each other"),
      (["report", "a", "b"], "unexpected argument \"b\""),
      (["path", "a"], "unexpected argument \"a\""),
      (
        ["key", "github", "ghp_1"],
        "the key is not an argument: it is typed unseen, or read from stdin"
      ),
      (
        ["backfill", "a", "--from", "2024-13"],
        "--from: \"2024-13\" is not a date such as 2024, 2024-03, 2024-03-01, "
          + "2024-03-01T12:00:00Z or 90d"
      ),
      (["demo"], "there is no command \"demo\""),
      (
        ["export"],
        "there is no command \"export\"; trawl sql TABLE -o FILE writes a table to a file"
      ),
      (
        ["completions"],
        "there is no command \"completions\"; trawl --completions SHELL writes them for bash, zsh or fish"
      ),
      (
        ["run", "a", "--system"], "\"--system\" goes before the command: trawl --system run"
      ),
      (
        ["new"],
        "URL|FILE is missing: the URL of a list, with a page size if it takes one; or an OpenAPI description"
      ),
      (["run", "a", "--max-wal", "much"], "--max-wal: \"much\" is not a size such as 64MB or 5GB"),
    ])
  func sentences(line: [String], sentence: String) {
    #expect(problem(line) == sentence)
  }

  @Test(
    "repeats no address and no key",
    arguments: [
      "KEY", "run KEY", "run github KEY", "check KEY", "status KEY", "report KEY", "key KEY",
      "report a KEY", "backfill KEY --from 2024", "favorite add KEY 7", "reset waits KEY",
      "media KEY", "search x --job KEY", "run github --max-requests KEY",
      "new https://api.example/ -H X-Key: KEY",
    ])
  func secrets(line: String) {
    for key in ["http://a/?k=ghp_4711471147114711", "a.example/b?k=ghp_4711471147114711"] {
      let words = line.replacing("KEY", with: key).split(separator: " ").map(String.init)
      #expect(!problem(words).isEmpty && !problem(words).contains("ghp_"), "\(line)")
    }
    for words in [["key", "ghp_4711471147114711"], ["new", "x", "-H", "X-Key:", "ghp_4711"]] {
      #expect(!problem(words).isEmpty && !problem(words).contains("ghp_"))
    }
  }

  @Test("lives through any 2,000 command lines of odd words")
  func oddWords() {
    var random = SeededRandom(seed: 8)
    let words = [
      "run", "media", "verify", "--set", "--", "-", "--data", "--data=", "-qv", "-q", "=", "--=",
      "---", "\u{0}", "\u{202e}x", "-\u{301}", "--max-wait", "99999999999999999999d", "9d9d",
      "--from", "2024-02-30", "--to", "9999-12", "--json", "-hq", "1/0", "--sample", "",
    ]
    for _ in 0..<2000 {
      let line = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        words.randomElement(using: &random) ?? ""
      }
      do throws(UsageProblem) {
        _ = try reader.read(line)
      } catch {
        #expect(!error.sentence.isEmpty && !error.sentence.contains("Optional("))
      }
    }
  }
}
