internal import Base
internal import Jobs

/// Reads the words after a command, one after another.
struct CommandLineReading {
  let command: CommandSpec
  let now: Instant

  private(set) var values: [OptionName: [OptionValue]] = [:]
  private(set) var given: [OptionName] = []
  private(set) var operands: [String] = []

  /// True if help is requested; then nothing else matters.
  mutating func read(_ words: ArraySlice<String>) throws(UsageProblem) -> Bool {
    let options = OptionTable.options(of: command)
    var rest = words
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return true
    }
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      // A lone dash is an operand: in many programs it means stdin.
      guard word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 else {
        operands.append(word)
        continue
      }
      for found in try OptionWord(word).found(among: options, of: command.name) {
        if found.spec.name == .help { return true }
        try take(found, &rest)
      }
    }
    return false
  }

  private mutating func take(
    _ found: OptionWord.Found, _ rest: inout ArraySlice<String>
  ) throws(UsageProblem) {
    let spec = found.spec
    given.append(spec.name)
    guard let value = spec.value else {
      if found.attached != nil { throw problem("\(spec.name.spelling) takes no value") }
      values[spec.name] = []
      return
    }
    // Optional values begin with a digit, names never do.
    if value.isOptional, found.attached == nil,
      !(rest.first?.utf8.first.map { (48...57).contains($0) } ?? false)
    {
      values[spec.name, default: []] += []
      return
    }
    let text: String
    if let attached = found.attached {
      text = attached
    } else if let next = rest.first, !isOption(next) {
      text = next
      rest = rest.dropFirst()
    } else {
      throw problem("\(spec.name.spelling) needs a value: \(spec.spelling)")
    }
    if values[spec.name] != nil, !spec.isRepeatable {
      throw problem("\(spec.name.spelling) is given twice")
    }
    guard let read = value.kind.read(text, now) else {
      throw problem(refusal(of: text, for: spec, value.kind))
    }
    values[spec.name, default: []].append(read)
  }

  /// Whether a word in place of a value is an option: then the value was forgotten.
  private func isOption(_ word: String) -> Bool {
    let name = OptionWord(word).name
    return OptionTable.options(of: command).contains {
      $0.name.spelling.utf8.elementsEqual(name.utf8)
    }
  }

  private func refusal(of text: String, for spec: OptionSpec, _ kind: ValueKind) -> String {
    let name = spec.name.spelling
    if text.isEmpty { return "\(name) needs a value: \(spec.spelling)" }
    if kind.isPrivate { return "\(name) takes \(kind.expectation), without a user or password" }
    return "\(name): \(shown(text)) is not \(kind.expectation)"
  }

  private func shown(_ word: String) -> String {
    OptionTable.isAddress(word) ? "an address" : "\"\(word)\""
  }

  /// The result, if the command line is complete.
  func invocation(isForSystem: Bool) throws(UsageProblem) -> Invocation {
    var operands = operands
    let action = try takeAction(&operands)
    if let action { try checkOptions(of: action) }
    try checkExclusive()
    try checkCount(operands, action)
    var fallbacks: [OptionName: OptionValue] = [:]
    for spec in OptionTable.options(of: command, action: action) {
      guard let value = spec.value, case .value(let text) = value.fallback else { continue }
      fallbacks[spec.name] = value.kind.read(text, now)
    }
    return Invocation(
      command: command.name, action: action?.name, operands: operands, isForSystem: isForSystem,
      values: values, fallbacks: fallbacks)
  }

  private func takeAction(_ operands: inout [String]) throws(UsageProblem) -> ActionSpec? {
    guard !command.actions.isEmpty else { return nil }
    let names = command.actions.map(\.name)
    let choice = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    guard let word = operands.first else { throw problem("say what to do: \(choice)") }
    guard let action = command.action(word) else {
      throw problem("\(shown(word)) is not \(choice)" + Suggestion.clause(for: word, in: names))
    }
    operands.removeFirst()
    return action
  }

  private func checkOptions(of action: ActionSpec) throws(UsageProblem) {
    let taken = Set(OptionTable.options(of: command, action: action).map(\.name))
    if let stray = given.first(where: { !taken.contains($0) }) {
      throw problem("\(stray.spelling) is not for \"\(command.word) \(action.name)\"")
    }
  }

  private func checkExclusive() throws(UsageProblem) {
    for group in OptionTable.exclusive {
      let both = group.filter { values[$0] != nil }
      if both.count > 1 {
        throw problem("\(both[0].spelling) and \(both[1].spelling) exclude each other")
      }
    }
  }

  private func checkCount(_ operands: [String], _ action: ActionSpec?) throws(UsageProblem) {
    let specs = action?.operands ?? command.operands
    var left = operands.count
    for spec in specs {
      if left < spec.minimum {
        throw problem("\(spec.name) is missing: \(spec.about)")
      }
      left -= min(left, spec.maximum ?? left)
    }
    // Not repeated: it is the key, in all likelihood.
    if command.name == .key, left > 0 || operands.contains(where: SecretName.looksLikeSecret) {
      throw problem("the key is not an argument: it is typed unseen, or read from stdin")
    }
    if left > 0 {
      // As in `-H X-Api-Key: KEY` without quotes.
      if command.name == .new {
        throw problem("unexpected argument: what has blanks in it goes into quotes")
      }
      let stray = operands[operands.count - left]
      throw problem(
        "unexpected argument" + (OptionTable.isAddress(stray) ? ": an address" : " \"\(stray)\""))
    }
    for (index, word) in operands.enumerated() {
      let spec = specs[min(index, specs.count - 1)]
      if word.isEmpty { throw problem("\(spec.name) is empty") }
      if spec.kind.isOfJob, OptionTable.isAddress(word) {
        throw problem("an address is not a job; \(OptionTable.draft)")
      }
    }
  }

  private func problem(_ sentence: String) -> UsageProblem {
    UsageProblem(sentence, command: command.name)
  }
}
