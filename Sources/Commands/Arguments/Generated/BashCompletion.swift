/// Completion for bash 4 and later; needs no other script.
struct BashCompletion: Sendable {
  let table: OptionTable

  var text: String {
    """
    # bash completion for trawl, made by: trawl --completions bash
    _trawl_words() {
      mapfile -t COMPREPLY < <(compgen -W "$(trawl \(CompletionWords.option) "$1" "$2" 2>/dev/null)" -- "$cur")
    }
    _trawl() {
      local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
      local command="" action="" job="" word i hidden=".*"
      # Hidden folders are for whoever types their dot.
      [[ $cur != .* ]] || hidden=""
      COMPREPLY=()
      # bash takes "--data=x" for three words.
      if [[ $cur == "=" ]]; then
        cur=""
      elif [[ $prev == "=" ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
        [[ $prev == --* ]] || return
      fi
      for (( i = 1; i < COMP_CWORD; i++ )); do
        word=${COMP_WORDS[i]}
        case $word in
          \(valued.flatMap(\.words).joined(separator: "|")))
            if [[ ${COMP_WORDS[i+1]} == "=" ]]; then (( i += 2 )); else (( i++ )); fi ;;
          -*|=) ;;
          *)
            if [[ -z $command ]]; then command=$word
            elif [[ -z $action && " \(withActions) " == *" $command "* ]]; then action=$word
            elif [[ -z $job ]]; then job=$word; fi ;;
        esac
      done
      case $prev in
    \(values)
      esac
      if [[ $cur == -* ]]; then
        case $command in
          "") word="\(words(table.options(table.programOptions)))" ;;
    \(options)
          *) return ;;
        esac
        mapfile -t COMPREPLY < <(compgen -W "$word" -- "$cur")
        return
      fi
      case $command in
        "") mapfile -t COMPREPLY < <(compgen -W "\(commands)" -- "$cur") ;;
    \(operands)
      esac
    }
    complete -F _trawl trawl

    """
  }

  private var valued: [OptionSpec] { table.options.filter { $0.value != nil } }

  private var commands: String { table.commands.map(\.word).joined(separator: " ") }

  private var withActions: String {
    table.commands.filter { !$0.actions.isEmpty }.map(\.word).joined(separator: " ")
  }

  private func words(_ options: [OptionSpec]) -> String {
    options.map(\.name.spelling).joined(separator: " ")
  }

  private var values: String {
    valued.map { option in
      "    \(option.words.joined(separator: "|"))) \(completion(of: option.value?.kind ?? .text)) ;;"
    }.joined(separator: "\n")
  }

  private func completion(of kind: ValueKind) -> String {
    switch kind {
    case .folder: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return"
    case .file: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return"
    case .choice(let words):
      "mapfile -t COMPREPLY < <(compgen -W \"\(words.joined(separator: " "))\" -- \"$cur\"); return"
    case .job: "_trawl_words jobs \"\"; return"
    case .stream: "_trawl_words streams \"$job\"; return"
    case .setting: "compopt -o nospace; _trawl_words params \"$job\"; return"
    default: "return"
    }
  }

  private var options: String {
    table.commands.map {
      "      \($0.words.joined(separator: "|"))) word=\"\(words(table.options(of: $0)))\" ;;"
    }
    .joined(separator: "\n")
  }

  private var operands: String {
    table.commands.map { command in
      let pattern = command.words.joined(separator: "|")
      guard command.actions.isEmpty else {
        let names = command.actions.map(\.name).joined(separator: " ")
        let kinds = Set(command.actions.flatMap(\.operands).map(\.kind))
        let rest =
          [OperandSpec.Kind.job, .jobOrTable, .table].first(where: kinds.contains).map(operand)
          ?? ":"
        return "    \(pattern)) if [[ -z $action ]]; then "
          + "mapfile -t COMPREPLY < <(compgen -W \"\(names)\" -- \"$cur\"); else \(rest); fi ;;"
      }
      return "    \(pattern)) \(command.operands.first.map { operand($0.kind) } ?? ":") ;;"
    }.joined(separator: "\n")
  }

  private func operand(_ kind: OperandSpec.Kind) -> String {
    switch kind {
    case .job:
      "_trawl_words jobs \"\"; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X "
        + "'!*.json5' -- \"$cur\"; compgen -d -S / -X \"$hidden\" -- \"$cur\"); "
        + "compopt -o nosort 2>/dev/null"
    case .jobOrRun: "_trawl_words runs \"\""
    case .jobOrTable:
      "_trawl_words jobs \"\"; word=(\"${COMPREPLY[@]}\"); _trawl_words tables \"\"; "
        + "COMPREPLY+=(\"${word[@]}\")"
    case .table: "_trawl_words tables \"\""
    case .command: "mapfile -t COMPREPLY < <(compgen -W \"\(table.helpWords)\" -- \"$cur\")"
    case .word: ":"
    case .file: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"
    }
  }
}
