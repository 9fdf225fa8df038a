/// Completion for zsh, by its `_arguments`.
struct ZshCompletion: Sendable {
  let table: OptionTable

  var text: String {
    """
    #compdef trawl
    # zsh completion for trawl, made by: trawl --completions zsh
    _trawl_words() {
      local -a found
      local job="" word skip=""
      # words[1] is the command; the first word behind it that is no option is the job.
      for word in ${words[2,CURRENT-1]}; do
        if [[ -n $skip ]]; then skip=""; continue; fi
        case $word in
          (\(valued)) skip=1 ;;
          (-*) ;;
          (\(actions)) ;;
          (*) job=$word; break ;;
        esac
      done
      found=(${(f)"$(trawl \(CompletionWords.option) $1 $job 2>/dev/null)"})
      if [[ $1 == params ]]; then compadd -S '' -a found; else compadd -a found; fi
    }
    _trawl_job() {
      _trawl_words jobs
      _files -g '*.json5'
    }
    _trawl() {
      local curcontext=$curcontext state line
      local -A opt_args
      local -a commands
      commands=(
    \(table.commands.map { "    " + quoted("\($0.word):\(plain($0.purpose))") }.joined(separator: "\n"))
      )
      _arguments -C \\
    \(table.options(table.programOptions).map { specification($0) }.joined(separator: " \\\n")) \\
        '1: :->command' '*:: :->rest'
      case $state in
        (command) _describe command commands ;;
        (rest)
          case $words[1] in
    \(table.commands.map(section).joined(separator: "\n"))
          esac ;;
      esac
    }
    if [[ $funcstack[1] == _trawl ]]; then _trawl "$@"; else compdef _trawl trawl; fi

    """
  }

  private var valued: String {
    table.options.filter { $0.value != nil }.flatMap(\.words).joined(separator: "|")
  }

  private var actions: String {
    let names = table.commands.flatMap { $0.actions.map(\.name) }
    return names.isEmpty ? "''" : names.joined(separator: "|")
  }

  private func section(_ command: CommandSpec) -> String {
    var lines = table.options(of: command).map { specification($0) }
    if command.actions.isEmpty {
      lines += command.operands.map {
        "    " + quoted("*:\(plain($0.name)):\(action(of: $0.kind))")
      }
    } else {
      let actions = command.actions.map { "\($0.name)\\:\"\(plain($0.purpose))\"" }
      lines.append("    " + quoted("1:action:((\(actions.joined(separator: " "))))"))
      let kinds = command.actions.flatMap(\.operands).map(\.kind)
      let rest = action(
        of: [OperandSpec.Kind.job, .jobOrTable, .table].first(where: kinds.contains) ?? .word)
      lines.append("    " + quoted("*:operand:\(rest)"))
    }
    return "        (\(command.words.joined(separator: "|"))) _arguments \\\n"
      + lines.joined(separator: " \\\n") + " ;;"
  }

  private func specification(_ option: OptionSpec) -> String {
    let about = "[\(plain(option.about))]"
    let many = option.isRepeatable ? "*" : ""
    if let value = option.value, let short = option.short {
      let spec = "\(about):\(plain(value.name)):\(action(of: value.kind))"
      return "    " + quoted("(-\(short) \(option.name.spelling))")
        + "{-\(short)+,\(option.name.spelling)=}" + quoted(spec)
    }
    if let value = option.value {
      return "    "
        + quoted(
          "\(many)\(option.name.spelling)=\(about):\(plain(value.name)):\(action(of: value.kind))")
    }
    guard let short = option.short else { return "    " + quoted(option.name.spelling + about) }
    return "    " + quoted("(-\(short) \(option.name.spelling))")
      + "{-\(short),\(option.name.spelling)}" + quoted(about)
  }

  private func action(of kind: ValueKind) -> String {
    switch kind {
    case .folder: "_files -/"
    case .file: "_files"
    case .choice(let words): "(\(words.joined(separator: " ")))"
    case .job: "{_trawl_words jobs}"
    case .stream: "{_trawl_words streams}"
    case .setting: "{_trawl_words params}"
    default: " "
    }
  }

  private func action(of kind: OperandSpec.Kind) -> String {
    switch kind {
    case .job: "_trawl_job"
    case .jobOrRun: "{_trawl_words runs}"
    case .jobOrTable: "{_trawl_words jobs; _trawl_words tables}"
    case .table: "{_trawl_words tables}"
    case .command: "(\(table.helpWords))"
    case .file: "_files"
    case .word: " "
    }
  }

  /// Brackets and colons mean something in a specification.
  private func plain(_ text: String) -> String {
    text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  private func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
