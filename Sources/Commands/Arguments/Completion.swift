internal import Base
internal import Jobs

/// Candidates for a command line that is being typed. A completion script requests them: `trawl --complete-words run
/// git`. The answer has one word a line, with a tab and its meaning. A line that begins with a colon is for the shell:
/// complete `:files`, `:folders` or job files (`:jobs`), or add no blank (`:nospace`).
struct Completion {
  /// The hidden option.
  static let option = "--complete-words"

  /// More would not help.
  private static let wordsMax = 1000

  private let environment: Environment
  private var command: CommandSpec?
  private var operands: [String] = []
  private var given: Set<OptionName> = []
  /// The option whose value the last word is.
  private var valued: OptionSpec?
  private let current: String
  /// The command is unknown.
  private var isUnknown = false

  /// - Parameter words: those after the program's name, up to the cursor.
  init(_ words: [String], environment: Environment) {
    self.environment = environment
    current = words.last ?? ""
    for word in words.dropLast() { take(word) }
  }

  private mutating func take(_ word: String) {
    guard valued == nil else { return valued = nil }
    guard word.hasPrefix("-") else {
      if command != nil { operands.append(word) }
      command = command ?? OptionTable.command(word)
      isUnknown = command == nil
      return
    }
    guard let (option, attached) = option(word) else { return }
    given.insert(option.name)
    valued = option.value == nil || attached != nil ? nil : option
  }

  private var options: [OptionSpec] {
    command.map { OptionTable.options(of: $0, action: operands.first.flatMap($0.action)) }
      ?? OptionTable.options(OptionTable.programOptions)
  }

  private func option(_ word: String) -> (OptionSpec, attached: String?)? {
    let typed = OptionWord(word)
    return options.first { $0.words.contains(typed.name) }.map { ($0, typed.attached) }
  }

  var text: String { Self.answer(candidates) }

  /// Leaves out words that a shell or a terminal could misread.
  static func answer(_ words: [Candidate]) -> String {
    words.prefix(wordsMax).filter { isPlain($0.word) }
      .map { $0.word + ($0.about.isEmpty ? "" : "\t\($0.about)") + "\n" }.joined()
  }

  /// Letters and digits of any script, and the characters usual in names and paths.
  private static func isPlain(_ word: String) -> Bool {
    !word.isEmpty
      && word.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil
          || "-_./=@+%:".unicodeScalars.contains($0)
      }
  }

  // MARK: what fits

  struct Candidate {
    var word: String
    var about = ""
  }

  private var candidates: [Candidate] {
    if isUnknown { return [] }
    if let kind = valued?.value?.kind { return named(words(of: kind.offer)) }
    if current.hasPrefix("-") {
      if let (option, typed) = option(current), let attached = typed, let kind = option.value?.kind
      {
        let front = current.dropLast(attached.count)
        return named(words(of: kind.offer).map { $0.hasPrefix(":") ? $0 : front + $0 })
      }
      return options.filter { $0.isRepeatable || !given.contains($0.name) }.flatMap { option in
        option.words.map { Candidate(word: $0, about: option.about) }
      }
    }
    guard let command else {
      return OptionTable.commands.map { Candidate(word: $0.word, about: $0.purpose) }
    }
    let action = operands.first.flatMap(command.action)
    if !command.actions.isEmpty, action == nil {
      let actions = command.actions.map { Candidate(word: $0.name, about: $0.purpose) }
      return operands.isEmpty ? actions : []
    }
    var place = operands.count - (action == nil ? 0 : 1)
    for operand in action?.operands ?? command.operands {
      guard let most = operand.maximum, place >= most else { return named(words(of: operand.kind)) }
      place -= most
    }
    return []
  }

  private func named(_ words: [String]) -> [Candidate] { words.map { Candidate(word: $0) } }

  private func words(of offer: Offer) -> [String] {
    switch offer {
    case .word: []
    case .choice(let words): words
    case .file: [":files"]
    case .folder: [":folders"]
    case .jobName: jobs
    case .job: jobs + [":jobs"]
    case .jobOrRun: shelf?.words ?? []
    case .table: tables
    case .jobOrTable: jobs + tables
    case .stream: job?.streams.map(\.name) ?? []
    case .setting: [":nospace"] + (job?.parameters.map { "\($0.name)=" } ?? [])
    case .command: OptionTable.helpWords
    }
  }

  /// The job whose streams and parameters are completed.
  private var job: Job? {
    operands.dropFirst(command?.actions.isEmpty ?? true ? 0 : 1).first
      // An unreadable job completes to nothing; running it says why.
      .flatMap { try? environment.library.job($0) }
  }

  /// Includes jobs that ran here but whose files are not found by name.
  private var jobs: [String] {
    let known = environment.library.names
    return known + (shelf?.jobs.sorted() ?? []).filter { !known.contains($0) }
  }

  private var tables: [String] {
    var tables: [String] = []
    // Unreadable jobs have no tables.
    for job in environment.library.names.compactMap({ try? environment.library.job($0) }) {
      for table in job.streams.map({ "\(job.tablePrefix)_\($0.table)" })
      where !tables.contains(table) {
        tables.append(table)
      }
    }
    return tables
  }

  /// Reports in the default data folder: its jobs and their last runs.
  private var shelf: ReportShelf? {
    // Without HOME there is no such folder.
    guard let location = try? DataLocation.forReading(data: nil, ledger: nil, environment) else {
      return nil
    }
    return ReportShelf(folder: "\(location.folder)/reports")
  }
}
