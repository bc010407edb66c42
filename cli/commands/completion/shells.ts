import { COMPLETE } from '#cli/commands/completion/complete-word.ts';

interface Shell {
  /** How to install it. */
  about: string;
  install: string[];
  script: string;
}

/**
 * Each script asks `financectl __complete` with the words up to the cursor, and hands on what it answers. Names come
 * from the database, so nothing of an answer is ever evaluated, and all of it is quoted where it is inserted.
 */
const BASH = `# bash completion for financectl
_financectl() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=() line kind quoting=
  # What stands in quotes is closed by bash itself.
  case $word in
    \\"* | \\'*) quoting=\${word:0:1} ;;
  esac
  for line in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    case $line in
      \\"* | \\'*) line=\${line:1}; line=\${line%[\\"\\']} ;;
      *) line=\${line//\\\\/} ;;
    esac
    words+=("$line")
  done
  COMPREPLY=()
  {
    IFS= read -r kind
    while IFS= read -r line; do
      line=\${line%%$'\\t'*}
      case $quoting in
        # What would mean something inside these quotes is left out.
        \\") [[ $line == *[\\"\\$\\\`\\\\!]* ]] && continue ;;
        \\') [[ $line == *\\'* ]] && continue ;;
        *) printf -v line %q "$line" ;;
      esac
      COMPREPLY+=("$line")
    done
  } < <("\${COMP_WORDS[0]}" ${COMPLETE} "\${words[@]}" 2>/dev/null </dev/null)
  if [[ $kind == files ]]; then
    compopt -o filenames 2>/dev/null
    local files
    mapfile -t files < <(compgen -f -- "\${words[-1]}")
    COMPREPLY+=("\${files[@]}")
  fi
}
complete -F _financectl financectl
`;

const ZSH = `#compdef financectl
# zsh completion for financectl
_financectl() {
  local kind line value
  local -a values shown given
  given=("\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}")
  {
    IFS= read -r kind
    while IFS= read -r line; do
      value=\${line%%$'\\t'*}
      values+=("$value")
      if [[ $line == *$'\\t'* ]]; then
        shown+=("\${(r:24:)value} -- \${line#*$'\\t'}")
      else
        shown+=("$value")
      fi
    done
  } < <("\${(Q)words[1]}" ${COMPLETE} "\${given[@]}" 2>/dev/null </dev/null)
  (( \${#values} )) && compadd -l -d shown -a -- values
  [[ $kind == files ]] && _files
}
# Both ways work: as a file of $fpath, and read by source.
if [[ \${funcstack[1]} == _financectl ]]; then
  _financectl "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
  compdef _financectl financectl
fi
`;

const FISH = `# fish completion for financectl
function __financectl_complete
  set -l words (commandline -opc)
  set -l word (commandline -ct | string unescape)
  set -l answer ($words[1] ${COMPLETE} $words[2..-1] "$word" 2>/dev/null </dev/null)
  test (count $answer) -gt 1; and printf '%s\\n' $answer[2..-1]
  test "$answer[1]" = files; and __fish_complete_path "$word"
end
complete -c financectl -f -a '(__financectl_complete)'
`;

export const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    about: 'Read it in ~/.bashrc, or keep it in ~/.local/share/bash-completion/completions.',
    install: ['completion bash > ~/.local/share/bash-completion/completions/financectl'],
    script: BASH,
  },
  zsh: {
    about: 'Keep it as _financectl in a folder of $fpath, or read it in ~/.zshrc.',
    install: ['completion zsh > ~/.zsh/completions/_financectl'],
    script: ZSH,
  },
  fish: {
    about: 'Keep it in the folder of completions.',
    install: ['completion fish > ~/.config/fish/completions/financectl.fish'],
    script: FISH,
  },
};
