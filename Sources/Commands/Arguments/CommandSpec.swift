/// What a shell completes at this place.
enum Offer: Sendable {
  case word
  case choice([String])
  case file, folder
  /// A job's name; for `job` also the path of a job file.
  case jobName, job
  case jobOrRun, table, jobOrTable
  case stream, setting
  /// A command of Trawl.
  case command

  var isOfJob: Bool {
    switch self {
    case .jobName, .job, .jobOrRun, .jobOrTable: true
    default: false
    }
  }
}

/// A word of the command line that is not an option.
struct OperandSpec: Sendable {
  /// `JOB|FILE`
  let name: String
  let kind: Offer
  let minimum: Int
  /// Nil: as many as there are.
  let maximum: Int?
  let about: String

  init(_ name: String, _ kind: Offer, _ minimum: Int, _ maximum: Int?, _ about: String) {
    (self.name, self.kind, self.about) = (name, kind, about)
    (self.minimum, self.maximum) = (minimum, maximum)
  }

  /// `JOB`, `[JOB]`, `JOB...`, `[JOB...]`
  var usage: String {
    let many = maximum == 1 ? name : name + "..."
    return minimum == 0 ? "[\(many)]" : many
  }
}

/// An action of a command that has several: `media verify`.
struct ActionSpec: Sendable {
  let name: String
  let purpose: String
  let operands: [OperandSpec]
  /// In addition to the options of the command.
  let options: [OptionName]
}

/// One command: everything that help, man page, completions and the reader need to know of it.
struct CommandSpec: Sendable {
  let name: CommandName
  /// One line, without a full stop.
  let purpose: String
  /// A few more sentences.
  var details = ""
  var operands: [OperandSpec] = []
  var actions: [ActionSpec] = []
  let options: [OptionName]
  /// Options whose value differs from that of other commands.
  var variants: [OptionSpec] = []
  /// A whole command line and what it does.
  let examples: [(line: String, about: String)]
  /// Besides `usage`, `bug` and `cannotWrite`, which any command may end with.
  let exits: [ExitStatus]
  /// Synonyms that are accepted.
  var also: [String] = []

  /// As typed.
  var word: String { name.rawValue }

  var words: [String] { [word] + also }

  /// Commands of other programs, with the nearest equivalent here.
  static let elsewhere: [String: String] = {
    let export = "trawl sql TABLE -o FILE writes a table to a file"
    let codes = "trawl help lists the exit codes, trawl help COMMAND those of one command"
    let completions = "trawl --completions SHELL writes them for bash, zsh or fish"
    let logs = "trawl report JOB shows what its last run did"
    return [
      "export": export, "dump": export, "exit-codes": codes, "exits": codes,
      "completions": completions, "completion": completions, "logs": logs,
    ]
  }()

  func action(_ name: String) -> ActionSpec? {
    actions.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// All exit statuses, by code.
  var allExits: [ExitStatus] {
    let every = Set(exits).union([.complete, .usage, .bug, .cannotWrite])
    return ExitStatus.allCases.filter(every.contains)
  }
}
