#compdef infnet
# Completion of infnet's command lines for zsh. Put into ~/.zshrc, behind compinit:
#   source <(infnet completion zsh)
# or into a file named _infnet in a folder of $fpath.
_infnet() {
  local -a lines candidates
  local line
  lines=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "${(@)lines[2,-1]}"; do
    candidates+=("${${${line%%$'\t'*}//:/\\:}}${${line#*$'\t'}:+:${line#*$'\t'}}")
  done
  (( $#candidates )) && _describe infnet candidates
  case ${lines[1]} in
    toml) _files -g '*.toml' ;;
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [[ ${funcstack[1]} == _infnet ]]; then
  _infnet "$@"
else
  compdef _infnet infnet
fi
