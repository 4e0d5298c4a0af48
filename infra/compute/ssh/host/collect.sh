
# --- what a run left ----------------------------------------------------------------------------------------------

# regular FOLDER PATH -> file: a regular file that is reached without any link
regular() {
  file=$1 rest=$2
  while :; do
    part=${rest%%/*}
    file=$file/$part
    [ ! -L "$file" ] || return 1
    [ "$rest" != "$part" ] || break
    [ -d "$file" ] || return 1
    rest=${rest#*/}
  done
  [ -f "$file" ] && [ -r "$file" ]
}

# collect RUN (BYTES PATH)...: the end, the log's tail, artefacts by their place in the list, changed files
verb_collect() {
  run=$runs/$1
  shift
  current "$run"
  [ "$state" = ended ] || fail state "${state:-absent}"
  attempt=$run/$fence
  tell_end "$attempt/ctl"
  size_of "$attempt/ctl/output"
  [ "$size" -le 65536 ] || size=65536
  printf 'log %d\n' "$size"
  [ "$size" = 0 ] || tail -c "$size" "$attempt/ctl/output" | head -c "$size"
  index=0
  while [ $# -ge 2 ]; do
    tell_artefact "$1" "$2"
    shift 2
    index=$((index + 1))
  done
  tell_changed
  finished
}

tell_artefact() {
  if ! regular "$attempt/work" "$2"; then
    tell missing '' "$index"
    return
  fi
  size_of "$file"
  if [ "$size" -gt "$1" ]; then
    tell large '' "$index"
  else
    printf 'artefact %d %d\n' "$size" "$index"
    head -c "$size" <"$file"
  fi
}

# The first few immutable files that are not what was staged; by size first, since a run makes a file of any size in no
# time, and to hash it would take minutes.
tell_changed() {
  read -r stage <"$attempt/stage"
  manifest=$attempt/manifest
  # Of a run that an older version began.
  [ -r "$manifest" ] || manifest=$home/stages/$stage/manifest
  [ -r "$manifest" ] || fail host "expected a list of what was staged at $manifest"
  newline='
'
  mutable=$newline$(cat "$attempt/mutable")$newline
  changed=0
  check=$attempt/check-$me
  while IFS= read -r row; do
    path=${row#* }
    path=${path#* }
    case $mutable in *"$newline$path$newline"*) continue ;; esac
    if regular "$attempt/work" "$path"; then line "$row"; else note_changed "$path" >&3; fi
  done 3>&1 <"$manifest" >"$check"
  compare "$check" 2 stat -c %s --
  compare "$check.same" 1 sha256sum --
  rm -f "$check" "$check.same" "$check.same.same" "$check.found" "$check.same.found"
}

line() { printf '%s\n' "$1"; }

note_changed() {
  changed=$((changed + 1))
  [ "$changed" -gt 10 ] || tell changed "$1"
}

# ask_of_all COMMAND...: of all files of $list, which may be many, and large -> $list.found
ask_of_all() {
  sed 's/^[^ ]* [^ ]* //' "$list" | tr '\n' '\000' | (cd "$attempt/work" && xargs -0 "$@") >"$list.found" 2>/dev/null
}

# compare LIST FIELD COMMAND...: of a list of lines "SHA-256 SIZE PATH", those whose field the command prints -> LIST.same
compare() {
  list=$1 field=$2
  shift 2
  : >"$list.same"
  [ -s "$list" ] && [ "$changed" -lt 10 ] || return 0
  with_beats ask_of_all "$@"
  exec 5<"$list" 6<"$list.found" 7>"$list.same"
  while IFS= read -r row <&5; do
    IFS=' ' read -r got _ <&6 || got=
    wanted=${row%% *} path=${row#* }
    [ "$field" = 1 ] || wanted=${path%% *}
    path=${path#* }
    if [ "$got" = "$wanted" ]; then line "$row" >&7; else note_changed "$path"; fi
  done
  exec 5<&- 6<&- 7>&-
}
