import Glibc
@testable import Commands
import Jobs
import TestSupport
import Testing

private func isThere(_ path: String) -> Bool { access(path, X_OK) == 0 }

/// Tries the scripts in the shells themselves, which call the program.
@Suite("Completion scripts", .prompt)
struct CompletionScriptTests {
  @Test(
    "bash completes commands, options, values and what only the program knows",
    .enabled(if: isThere("/bin/bash")))
  func bash() async {
    let cases: [(line: String, words: String)] = [
      ("trawl backf", "backfill"), ("trawl --c", "--completions"), ("trawl run giph", "giphy"),
      ("trawl run --st", "--stream"),
      ("trawl run github --stream ", "profile followers following search"),
      ("trawl run --data x github --stream prof", "profile"),
      ("trawl run --data = x github --stream prof", "profile"),
      ("trawl run github --stream = prof", "profile"),
      ("trawl run github --stream =", "profile followers following search"),
      ("trawl run github --set us", "user="), ("trawl run github --set user = o", ""),
      ("trawl media ", "verify gc path"), ("trawl media path github_u", "github_users"),
      ("trawl media path github_users ", ""), ("trawl media verify --s", "--sample"),
      ("trawl backup copy.db ", ""),
      ("trawl media verify --sample 1/7 --s", ""),
      ("trawl media verify --gr", ""), ("trawl media gc --gr", "--grace"),
      ("trawl run --set a=b --se", "--set --send-key-to"),
      ("trawl reset progress giph", "giphy"), ("trawl report ", ""),
      ("trawl --completions ", "bash zsh fish"),
      ("trawl run --max-wait ", ""), ("trawl nonsense --", ""), ("trawl jobs giph", "giphy"),
    ]
    let folder = ScratchFolder()
    var script = "PATH=\(BinaryRun.products):$PATH\n" + CompletionScript.text(for: .bash)
    script += "\ncompopt() { :; }\n"
    for (line, _) in cases {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      let quoted = words.map { "'\($0)'" }.joined(separator: " ")
      script += "COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); _trawl; "
      script += "echo \"${COMPREPLY[*]}\"\n"
    }
    let ended = await BinaryRun.run(
      "/bin/bash", ["--norc", "-c", script], environment: ["HOME": folder.path])
    #expect(ended.status == 0 && ended.errors == "")
    let answers = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, known) in cases.enumerated() where index < answers.count {
      #expect(answers[index] == known.words, "\(known.line)")
    }
    #expect(answers.count == cases.count + 1)
  }

  @Test("without a HOME offer what needs none")
  func homeless() {
    let homeless = Environment([:])
    #expect(Completion(["report", ""], environment: homeless).text == "")
    #expect(Completion(["run", "giph"], environment: homeless).text.contains("giphy\n"))
  }

  /// Lines before and after one press of Tab.
  private static let lines: [(line: String, whole: String)] = [
    ("trawl backf", "trawl backfill"), ("trawl --vers", "trawl --version"),
    ("trawl run giph", "trawl run giphy"), ("trawl run --metr", "trawl run --metrics-file"),
    ("trawl run github --stream prof", "trawl run github --stream profile"),
    ("trawl run github --set us", "trawl run github --set user="),
    ("trawl reset pro", "trawl reset progress"),
    ("trawl reset progress giph", "trawl reset progress giphy"),
    ("trawl status --max-a", "trawl status --max-age"),
    ("trawl jobs --max-a", "trawl jobs --max-age"),
    ("trawl search octo --job github-", "trawl search octo --job github-repos"),
    ("trawl media path github_u", "trawl media path github_users"),
    ("trawl favorite add github_u", "trawl favorite add github_users"),
    ("trawl run github --stream=prof", "trawl run github --stream=profile"),
  ]

  @Test(
    "fish itself completes commands, options, jobs, streams and parameters",
    .enabled(if: isThere("/usr/bin/fish")))
  func fish() async {
    let folder = ScratchFolder()
    let file = "\(folder.path)/trawl.fish"
    Golden.write(CompletionScript.text(for: .fish), to: file)
    var script = "set -x PATH \(BinaryRun.products) $PATH; source \(file)\n"
    for (line, _) in Self.lines { script += "echo == ; complete -C '\(line)'\n" }
    let ended = await BinaryRun.run(
      "/usr/bin/fish", ["--no-config", "-c", script], environment: ["HOME": folder.path])
    let answers = ended.output.split(separator: "==\n", omittingEmptySubsequences: false)
      .dropFirst()
    #expect(
      ended.status == 0 && ended.errors.isEmpty && answers.count == Self.lines.count,
      "\(ended.errors)")
    for (known, answer) in zip(Self.lines, answers) {
      let first = answer.split(separator: "\n").map { $0.split(separator: "\t")[0] }
      let wanted = known.whole.split(separator: " ").last ?? ""
      #expect(first == [wanted], "\(known.line)")
    }
  }

  @Test(
    "zsh itself completes them, on a terminal of its own", .enabled(if: isThere("/usr/bin/zsh")))
  func zsh() async {
    let folder = ScratchFolder()
    Golden.write(CompletionScript.text(for: .zsh), to: "\(folder.path)/_trawl")
    // Only the system functions that every completion needs.
    Golden.write(
      """
      PATH=\(BinaryRun.products):$PATH
      fpath=(\(folder.path) ${(M)fpath:#*(functions|Completion|Base|Zsh)})
      autoload -Uz compinit; compinit -D -u
      told() { print -r -- "<<$BUFFER>>"; BUFFER=; }
      zle -N told; bindkey '^X' told; bindkey '^I' complete-word
      """, to: "\(folder.path)/rc")
    var script = """
      zmodload zsh/zpty
      zpty z "TERM=dumb HOME=\(folder.path) zsh -f -i"
      zpty -w z "source \(folder.path)/rc; print R''EADY"
      zpty -r -m z out '*READY*'

      """
    for (line, _) in Self.lines {
      script += "zpty -n -w z '\(line)'$'\\t\\x18'; zpty -r -m z out '*<<*>>*'\n"
      script += "out=${out##*<<}; print -r -- \"${out%%>>*}\"\n"
    }
    let ended = await BinaryRun.run(
      "/usr/bin/timeout", ["120", "/usr/bin/zsh", "-f", "-c", script],
      environment: ["HOME": folder.path])
    let answers = ended.output.split(separator: "\n").map { line in
      // A blank or "=" after the word invites the next one.
      String(
        line.last == " " || line.hasSuffix("-file=") || line.hasSuffix("-age=")
          ? line.dropLast() : line)
    }
    #expect(answers == Self.lines.map(\.whole), "\(ended.errors)")
  }

  private static let pages = [
    "trawl.1": (
      ManualPage(version: "1.0").text, "success: no list is newly less than it was"
    ),
    "trawl.json5.5": (FormatManual.text(version: "1.0"), "job files of trawl(1)"),
  ]

  @Test(
    "groff sets the man pages without a warning", .enabled(if: isThere("/usr/bin/groff")),
    arguments: pages.keys.sorted())
  func manual(name: String) async throws {
    let (text, sentence) = try #require(Self.pages[name])
    let folder = ScratchFolder()
    let file = "\(folder.path)/\(name)"
    Golden.write(text, to: file)
    let ended = await BinaryRun.run("/usr/bin/groff", ["-ww", "-man", "-Tutf8", file], ends: 0)
    #expect(ended.errors == "")
    #expect(ended.output.contains(sentence))
  }
}
