/// Completion for fish.
struct FishCompletion: Sendable {
  let table: OptionTable

  var text: String {
    var text = """
      # fish completion for trawl, made by: trawl --completions fish
      function __trawl_words
        set -l words (commandline -opc)
        set -l operands
        set -l skip 0
        for word in $words[2..-1]
          if test $skip = 1
            set skip 0
            continue
          end
          switch $word
            case \(valued)
              set skip 1
            case '-*'
            case '*'
              set -a operands $word
          end
        end
        # The first is the command, or command and action.
        set -l at 2
        contains -- "$operands[1]" \(withActions); and set at 3
        trawl \(CompletionWords.option) $argv[1] $operands[$at] 2>/dev/null
      end
      complete -c trawl -f

      """
    for option in table.options(table.programOptions) {
      text += line("__fish_use_subcommand", arguments(of: option))
    }
    for command in table.commands {
      text += line("__fish_use_subcommand", "-a \(command.word) -d \(quoted(command.purpose))")
    }
    for command in table.commands { text += section(command) }
    return text
  }

  private var valued: String {
    table.options.filter { $0.value != nil }.flatMap(\.words).joined(separator: " ")
  }

  private var withActions: String {
    table.commands.filter { !$0.actions.isEmpty }.map(\.word).joined(separator: " ")
  }

  private func section(_ command: CommandSpec) -> String {
    let here = "__fish_seen_subcommand_from \(command.words.joined(separator: " "))"
    var text = table.options(of: command).map { line(here, arguments(of: $0)) }.joined()
    var operands = command.operands
    var place = here
    if !command.actions.isEmpty {
      let names = command.actions.map(\.name).joined(separator: " ")
      for action in command.actions {
        text += line(
          "\(here); and not __fish_seen_subcommand_from \(names)",
          "-a \(action.name) -d \(quoted(action.purpose))")
      }
      operands = HelpText.operands(of: command)
      place += "; and __fish_seen_subcommand_from \(names)"
    }
    for operand in operands {
      switch operand.kind {
      case .job: text += line(place, "-F -a '(__trawl_words jobs)'")
      case .jobOrRun: text += line(place, "-a '(__trawl_words runs)'")
      case .jobOrTable:
        text += line(place, "-a '(__trawl_words jobs; trawl \(CompletionWords.option) tables)'")
      case .table: text += line(place, "-a '(__trawl_words tables)'")
      case .command:
        text += line(place, "-a \(quoted(table.helpWords))")
      case .file: text += line(place, "-F")
      case .word: break
      }
    }
    return text
  }

  private func line(_ condition: String, _ rest: String) -> String {
    "complete -c trawl -n \(quoted(condition)) \(rest)\n"
  }

  private func arguments(of option: OptionSpec) -> String {
    var words = option.short.map { "-s \($0) " } ?? ""
    words += "-l \(option.name.rawValue) "
    switch option.value?.kind {
    case nil: break
    case .folder: words += "-x -a '(__fish_complete_directories)' "
    case .file: words += "-r -F "
    case .choice(let choices): words += "-x -a \(quoted(choices.joined(separator: " "))) "
    case .job: words += "-x -a '(__trawl_words jobs)' "
    case .stream: words += "-x -a '(__trawl_words streams)' "
    case .setting: words += "-x -a '(__trawl_words params)' "
    default: words += "-x "
    }
    return words + "-d " + quoted(option.about)
  }

  private func quoted(_ text: String) -> String {
    "'" + text.map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
