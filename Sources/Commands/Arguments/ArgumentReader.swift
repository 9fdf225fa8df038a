internal import Base

/// Reads a command line by the table: the request, or one sentence on what is wrong. Reads no environment and no clock.
struct ArgumentReader: Sendable {
  /// The time that `90d` counts back from.
  let now: Instant

  /// Hidden; `make install` uses it.
  static let manualPageOption = "--manual-page"

  /// `arguments` without the program's own name.
  func read(_ arguments: [String]) throws(UsageProblem) -> Request {
    var rest = arguments[...]
    if rest.first == Completion.option { return .completeWords(Array(rest.dropFirst())) }
    if [[Self.manualPageOption], [Self.manualPageOption, "trawl"]].contains(arguments) {
      return .manualPage(ofFormat: false)
    }
    if arguments == [Self.manualPageOption, "trawl.json5"] { return .manualPage(ofFormat: true) }
    var isForSystem = false
    while let word = rest.first, word.utf8.first == UInt8(ascii: "-") {
      rest = rest.dropFirst()
      let option = try OptionWord(word).programOption()
      switch option.spec.name {
      case .help: return .help(rest.first.flatMap(OptionTable.command)?.name)
      case .version: return .version
      case .completions: return .completions(try shell(option, &rest))
      case .system: isForSystem = true
      default: throw UsageProblem("\"\(word)\" goes after the command")
      }
    }
    guard let word = rest.popFirst() else {
      throw UsageProblem("no command is given", isNothing: true)
    }
    guard let command = OptionTable.command(word) else {
      throw UsageProblem(OptionTable.unknown(word, among: OptionTable.commands.map(\.word)))
    }
    var line = CommandLineReading(command: command, now: now)
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
}

/// One argument that begins with `-`, in parts.
struct OptionWord {
  struct Found {
    let spec: OptionSpec
    /// Of `--name=value`.
    let attached: String?
  }

  /// As typed, up to `=`.
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

  /// The options it means: one, or each letter of a bundle such as `-qv`.
  func found(
    among options: [OptionSpec], of command: CommandName?
  ) throws(UsageProblem) -> [Found] {
    if isLong { return [Found(spec: try long(among: options, of: command), attached: attached)] }
    var list: [Found] = []
    for (index, letter) in name.dropFirst().enumerated() {
      guard let spec = options.first(where: { $0.short == letter }) else {
        // A whole word after one dash is a slip, not a bundle.
        let longer = options.first { $0.name.spelling == "-" + name }
        let meant = longer.map { Suggestion.clause($0.name.spelling) } ?? ""
        throw UsageProblem("unknown option \"\(name)\"" + meant, command: command)
      }
      // What follows a letter that takes a value is its value: -oFILE.
      let rest = spec.value == nil ? "" : name.dropFirst(index + 2)
      list.append(Found(spec: spec, attached: rest.isEmpty ? nil : String(rest)))
      if spec.value != nil { break }
    }
    return list
  }

  private func long(
    among options: [OptionSpec], of command: CommandName?
  ) throws(UsageProblem) -> OptionSpec {
    if let spec = options.first(where: { $0.name.spelling.utf8.elementsEqual(name.utf8) }) {
      return spec
    }
    if let command, OptionTable.programOptions.contains(where: { $0.spelling == name }) {
      throw UsageProblem(
        "\"\(name)\" goes before the command: trawl \(name) \(command.rawValue)", command: command)
    }
    throw UsageProblem(
      "unknown option \"\(name)\"" + Suggestion.clause(for: name, in: options.map(\.name.spelling)),
      command: command)
  }

  /// For words before the command.
  func programOption() throws(UsageProblem) -> Found {
    let options = OptionTable.options(OptionTable.programOptions)
    let isOwn = options.contains { $0.words.contains(name) }
    if !isOwn, OptionTable.options.contains(where: { $0.words.contains(name) }) {
      throw UsageProblem("\"\(name)\" goes after the command")
    }
    guard let found = try found(among: options, of: nil).first else {
      throw UsageProblem("unknown option \"\(name)\"")
    }
    if found.spec.value == nil, attached != nil {
      throw UsageProblem("\(found.spec.name.spelling) takes no value")
    }
    return found
  }
}

/// A command line that is not understood: exit 64, nothing was done.
struct UsageProblem: Error, Equatable, Sendable {
  /// The command it was for, if that is known.
  var command: CommandName?
  /// What is wrong, and what was probably meant.
  var sentence: String

  /// Nothing was typed at all.
  var isNothing: Bool

  init(_ sentence: String, command: CommandName? = nil, isNothing: Bool = false) {
    (self.sentence, self.command, self.isNothing) = (sentence, command, isNothing)
  }

  /// How to get help.
  var hint: String {
    let words = ["trawl", command?.rawValue, "--help"].compactMap(\.self)
    let help = "\"\(words.joined(separator: " "))\" shows what is possible"
    return isNothing ? "\(help); to begin: trawl run github --set user=YOU" : help
  }
}
