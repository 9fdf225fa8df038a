internal import Base

/// Reads a command line by the table: what was asked, or one sentence on what is wrong. It reads
/// no environment and no clock.
struct ArgumentReader: Sendable {
  let table: OptionTable
  /// What `90d` counts back from.
  let now: Instant

  /// Hidden; `make install` uses it.
  static let manualPageOption = "--manual-page"

  /// `arguments` without the program's own name.
  func read(_ arguments: [String]) throws(UsageProblem) -> Request {
    var rest = arguments[...]
    if rest.first == CompletionWords.option { return try completionWords(rest.dropFirst()) }
    if arguments == [Self.manualPageOption] { return .manualPage(ofFormat: false) }
    if arguments == [Self.manualPageOption, "trawl.json5"] { return .manualPage(ofFormat: true) }
    var isForSystem = false
    while let word = rest.first, word.utf8.first == UInt8(ascii: "-") {
      rest = rest.dropFirst()
      let option = try OptionWord(word).programOption(in: table)
      switch option.spec.name {
      case .help: return .help(rest.first.flatMap(table.command)?.name)
      case .version: return .version
      case .completions: return .completions(try shell(option, &rest))
      case .system: isForSystem = true
      default: throw UsageProblem("\"\(word)\" goes after the command")
      }
    }
    guard let word = rest.popFirst() else { throw UsageProblem.nothing }
    guard let command = table.command(word) else { throw unknownCommand(word) }
    var line = CommandLineReading(command: command, table: table, now: now)
    if try line.read(rest) { return .help(command.name) }
    return .command(try line.invocation(isForSystem: isForSystem))
  }

  private func shell(
    _ option: OptionWord.Found, _ rest: inout ArraySlice<String>
  ) throws(UsageProblem) -> Shell {
    guard let word = option.attached ?? rest.popFirst() else {
      throw UsageProblem("--completions needs a shell: bash, zsh or fish")
    }
    guard let shell = Shell(rawValue: word) else {
      throw UsageProblem("--completions: \"\(word)\" is not bash, zsh or fish")
    }
    return shell
  }

  private func completionWords(_ rest: ArraySlice<String>) throws(UsageProblem) -> Request {
    guard let kind = rest.first.flatMap(CompletionWords.Kind.init) else {
      throw UsageProblem("\(CompletionWords.option) is for completion scripts only")
    }
    return .completeWords(kind, job: rest.dropFirst().first)
  }

  private func unknownCommand(_ word: String) -> UsageProblem {
    UsageProblem(
      "there is no command \"\(word)\""
        + (CommandSpec.elsewhere[word].map { "; \($0)" }
          ?? Suggestion.clause(for: word, in: table.commands.map(\.word))))
  }
}

/// One argument that begins with `-`, in parts.
struct OptionWord {
  struct Found {
    let spec: OptionSpec
    /// Of `--name=value`.
    let attached: String?
  }

  /// As it was typed, up to `=`.
  let name: String
  let attached: String?
  private let isLong: Bool

  init(_ word: String) {
    isLong = word.utf8.starts(with: "--".utf8)
    if isLong, let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) {
      name = String(word[..<equals])
      attached = String(word[word.utf8.index(after: equals)...])
    } else {
      name = word
      attached = nil
    }
  }

  /// The options it stands for: one, or each letter of a bundle such as `-qv`.
  func found(
    among options: [OptionSpec], of command: CommandSpec
  ) throws(UsageProblem) -> [Found] {
    if isLong { return [Found(spec: try long(among: options, of: command), attached: attached)] }
    var list: [Found] = []
    for (index, letter) in name.dropFirst().enumerated() {
      guard let spec = options.first(where: { $0.short == letter }) else {
        // A whole word behind one dash is a slip, not a bundle.
        let longer = options.first { $0.name.spelling == "-" + name }
        let meant = longer.map { Suggestion.clause($0.name.spelling) } ?? ""
        throw UsageProblem("unknown option \"\(name)\"" + meant, command: command.name)
      }
      // What stands behind a letter that takes a value is the value: -oFILE.
      let rest = spec.value == nil ? "" : name.dropFirst(index + 2)
      list.append(Found(spec: spec, attached: rest.isEmpty ? nil : String(rest)))
      if spec.value != nil { break }
    }
    return list
  }

  private func long(
    among options: [OptionSpec], of command: CommandSpec
  ) throws(UsageProblem) -> OptionSpec {
    if let spec = options.first(where: { $0.name.spelling.utf8.elementsEqual(name.utf8) }) {
      return spec
    }
    let ofProgram: [OptionName] = [.system, .completions, .version]
    if ofProgram.contains(where: { $0.spelling == name }) {
      throw UsageProblem(
        "\"\(name)\" goes before the command: trawl \(name) \(command.word)", command: command.name)
    }
    throw UsageProblem(
      "unknown option \"\(name)\"" + Suggestion.clause(for: name, in: options.map(\.name.spelling)),
      command: command.name)
  }

  /// For words before the command.
  func programOption(in table: OptionTable) throws(UsageProblem) -> Found {
    let options = table.options(table.programOptions)
    let spec = options.first {
      $0.name.spelling.utf8.elementsEqual(name.utf8) || $0.short.map { "-\($0)" } == name
    }
    if let spec {
      if spec.value == nil, attached != nil {
        throw UsageProblem("\(spec.name.spelling) takes no value")
      }
      return Found(spec: spec, attached: attached)
    }
    let belongs = table.options.contains {
      $0.name.spelling.utf8.elementsEqual(name.utf8) || $0.short.map { "-\($0)" } == name
    }
    if belongs { throw UsageProblem("\"\(name)\" goes after the command") }
    throw UsageProblem(
      "unknown option \"\(name)\"" + Suggestion.clause(for: name, in: options.map(\.name.spelling)))
  }
}
