/// `--completions SHELL`: passes what was typed to `Completion`, and its answer to the shell.
enum CompletionScript {
  static func text(for shell: Shell) -> String {
    let script =
      switch shell {
      case .bash: bash
      case .zsh: zsh
      case .fish: fish
      }
    return (shell == .zsh ? "#compdef trawl\n" : "")
      + "# \(shell) completion for trawl, made by: trawl --completions \(shell)\n" + script
  }

  /// For bash 4 and later; needs no other scripts.
  private static let bash = """
    _trawl() {
      local cur=${COMP_WORDS[COMP_CWORD]} hidden=".*" words=() front line i n=0
      # bash takes "--data=x" for three words.
      for (( i = 1; i <= COMP_CWORD; i++ )); do
        if [[ ${COMP_WORDS[i]} == "=" || ${COMP_WORDS[i-1]} == "=" ]]; then
          words[n-1]+=${COMP_WORDS[i]}
        else
          words[n++]=${COMP_WORDS[i]}
        fi
      done
      [[ $cur != "=" ]] || cur=""
      front=${words[n-1]%"$cur"}
      # Hidden folders are for whoever types their dot.
      [[ $cur != .* ]] || hidden=""
      COMPREPLY=()
      while IFS= read -r line; do
        line=${line%%$'\\t'*}
        case ${line#"$front"} in
          :nospace) compopt -o nospace ;;
          :folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
          :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
          :jobs)
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.json5' -- "$cur"
              compgen -d -S / -X "$hidden" -- "$cur")
            compopt -o nosort 2>/dev/null ;;
          "") ;;
          "$cur"*) COMPREPLY+=("${line#"$front"}") ;;
        esac
      done < <(trawl \(Completion.option) "${words[@]}" 2>/dev/null)
    }
    complete -F _trawl trawl

    """

  private static let zsh = """
    _trawl() {
      local line
      local -a found suffix
      for line in ${(f)"$(trawl \(Completion.option) "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
        case $line in
          (:nospace) suffix=(-S '') ;;
          (:folders) _files -/ ;;
          (:files) _files ;;
          (:jobs) _files -g '*.json5' ;;
          (*$'\\t'*) found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}") ;;
          (*) found+=("${line//:/\\\\:}") ;;
        esac
      done
      (( $#found )) && _describe word found "${(@)suffix}"
    }
    if [[ $funcstack[1] == _trawl ]]; then _trawl "$@"; else compdef _trawl trawl; fi

    """

  private static let fish = """
    function __trawl
      set -l words (commandline -opc)
      set -e words[1]
      set -l current (commandline -ct)
      for line in (trawl \(Completion.option) $words "$current" 2>/dev/null)
        switch $line
          case :nospace
          case :folders
            __fish_complete_directories
          case :files :jobs
            __fish_complete_path "$current"
          case '*'
            echo $line
        end
      end
    end
    complete -c trawl -f -a '(__trawl)'

    """
}
