internal import Base

/// Makes advised command lines act on the same data as this one: with `--data DIR` given, `trawl prove JOB` is printed
/// as `trawl prove --data DIR JOB`.
struct AdvisedCommands: Sendable {
  private var isOfSystem = false
  /// The given options, as typed.
  private var given: [(option: OptionName, words: String)] = []

  /// - Parameter isOfSystem: for the system's folder, as the system's user; else advice stays as it is.
  init(isOfSystem: Bool = false) { self.isOfSystem = isOfSystem }

  init(_ invocation: Invocation, _ environment: Environment) {
    let folder =
      invocation.text(.data) ?? environment("TRAWL_DATA") ?? environment("STATE_DIRECTORY")
    isOfSystem = folder == DataLocation.ofTheSystem
    if isOfSystem { return }
    given = [OptionName.data, .ledger].compactMap { option in
      invocation.text(option).map { (option, " \(option.spelling) \(ShellWord.quoted($0))") }
    }
  }

  private static let program = "trawl "

  func carried(_ text: String) -> String {
    guard isOfSystem || !given.isEmpty else { return text }
    var (done, rest) = ("", Substring(text))
    while let start = rest.firstIndex(of: "t") {
      let isWord = !(rest[..<start].last ?? done.last ?? " ").isPartOfWord
      done += rest[..<start]
      rest = rest[start...]
      let word = rest.dropFirst(Self.program.count).prefix(while: \.isLetter)
      let length = Self.program.count + word.count
      guard isWord, rest.hasPrefix(Self.program),
        let command = OptionTable.command(String(word)), command.options.contains(.data),
        case let action = Self.action(of: command, in: rest.dropFirst(length)),
        !rest.dropFirst(length + action.count).hasPrefix(" --data")
      else {
        done.append(rest.removeFirst())
        continue
      }
      if isOfSystem, !done.hasSuffix("sudo ") { done += "sudo " }
      done += Self.program + (isOfSystem ? "--system " : "") + word + action
      for (option, words) in given where command.options.contains(option) { done += words }
      rest = rest.dropFirst(length + action.count)
    }
    return done + rest
  }

  /// ` gc` of `trawl media gc`; empty: it has none.
  private static func action(of command: CommandSpec, in rest: Substring) -> String {
    command.actions.map { " \($0.name)" }.first { action in
      rest.hasPrefix(action) && rest.dropFirst(action.count).first?.isLetter != true
    } ?? ""
  }
}

extension Character {
  fileprivate var isPartOfWord: Bool { isLetter || isNumber || "-_./".contains(self) }
}
