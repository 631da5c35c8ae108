# Completion of infnet's command lines for bash. Put into ~/.bashrc:
#   source <(infnet completion bash)
_infnet() {
  local cur=${COMP_WORDS[COMP_CWORD]} IFS=$'\n' lines=() line
  COMPREPLY=()
  [[ $cur == = ]] && cur=
  while read -r line; do # bash 3 has no mapfile
    lines+=("$line")
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  for line in "${lines[@]:1}"; do
    COMPREPLY+=("${line%%$'\t'*}")
  done
  case ${lines[0]} in
  toml)
    COMPREPLY+=($(compgen -f -X '!*.toml' -- "$cur") $(compgen -d -- "$cur"))
    compopt -o filenames 2>/dev/null
    ;;
  files)
    COMPREPLY+=($(compgen -f -- "$cur"))
    compopt -o filenames 2>/dev/null
    ;;
  folders)
    COMPREPLY+=($(compgen -d -- "$cur"))
    compopt -o filenames 2>/dev/null
    ;;
  esac
}
complete -F _infnet infnet
