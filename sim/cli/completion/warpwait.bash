# bash completion for warpwait: `warpwait complete` says what can follow, from the rows that its parser reads.
_warpwait() {
  local line=${COMP_LINE:${#COMP_WORDS[0]}} words=() word reply value current=${COMP_WORDS[COMP_CWORD]} i
  # bash splits words at = and :, which are part of ours: rejoin those with no blank between them.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $line == [[:blank:]]* || $i == 1 ]]; then
      words+=("$word")
    else
      words[-1]+=$word
    fi
    line=${line#"${line%%[![:blank:]]*}"}
    line=${line#"$word"}
  done
  # bash replaces only what follows the last = or :.
  word=${words[-1]}
  [[ $current == [=:] ]] && current=
  local joined=${word%"$current"}
  COMPREPLY=()
  while IFS= read -r reply; do
    case $reply in
    :files*) _warpwait_files "${word#--*=}" ${reply#:files} ;;
    :folders) compopt -o filenames && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "${word#--*=}") ;;
    *)
      value=${reply%%$'\t'*}
      COMPREPLY+=("${value#"$joined"}")
      [[ $value == *[=:,] ]] && compopt -o nospace
      ;;
    esac
  done < <("${COMP_WORDS[0]/#\~/$HOME}" complete "${words[@]//[\"\'\\]/}" 2>/dev/null)
}

# Folders, and files with one of these suffixes; all files if there is no suffix.
_warpwait_files() {
  local begun=$1 suffix
  shift
  compopt -o filenames
  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(
    compgen -d -- "$begun"
    for suffix; do compgen -f -X "!*.$suffix" -- "$begun"; done
  )
  ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "$begun")
}

complete -F _warpwait warpwait
