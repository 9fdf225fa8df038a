/// What applies when an option is not given.
enum Fallback: Sendable, Equatable {
  case none
  /// Parsed like a value on the command line, so help and behaviour cannot differ.
  case value(String)
  /// Determined elsewhere; described in words.
  case described(String)

  /// What the help says after "default:".
  var text: String? {
    switch self {
    case .none: nil
    case .value(let text), .described(let text): text
    }
  }
}

struct ValueSpec: Sendable {
  /// `DIR`
  let name: String
  let kind: ValueKind
  let fallback: Fallback
  /// The option may be given without a value.
  let isOptional: Bool
}

/// One option: everything that help, man page, completions and the reader need to know of it.
struct OptionSpec: Sendable {
  let name: OptionName
  /// `q` for `-q`.
  let short: Character?
  /// Nil for a switch.
  private(set) var value: ValueSpec?
  let about: String
  /// Repeated, it adds to a list.
  private(set) var isRepeatable = false

  /// A switch.
  init(_ name: OptionName, short: Character? = nil, _ about: String) {
    (self.name, self.short, self.about) = (name, short, about)
  }

  /// An option with a value.
  init(
    _ name: OptionName, short: Character? = nil, takes valueName: String, _ kind: ValueKind,
    default fallback: Fallback = .none, isRepeatable: Bool = false, isOptional: Bool = false,
    _ about: String
  ) {
    self.init(name, short: short, about)
    value = ValueSpec(name: valueName, kind: kind, fallback: fallback, isOptional: isOptional)
    self.isRepeatable = isRepeatable
  }

  /// `--data DIR`
  var spelling: String {
    name.spelling + (value.map { $0.isOptional ? " [\($0.name)]" : " \($0.name)" } ?? "")
  }

  /// Each spelling: `-o` and `--output`.
  var words: [String] { (short.map { ["-\($0)"] } ?? []) + [name.spelling] }

  /// `-q, --quiet`
  var spellings: String { (short.map { "-\($0), " } ?? "") + spelling }
}
