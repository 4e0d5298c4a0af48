
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

# collect RUN STDOUT-BYTES (BYTES PATH)...: the end, the tails of the log and of stdout, artefacts by their place in the list, changed
# files
verb_collect() {
  run=$runs/$1 stdout_bytes=$2
  shift 2
  current "$run"
  [ "$state" = ended ] || fail state "${state:-absent}"
  failed=1
  case $end in *'"reason":"exit","code":0,'*) failed=0 ;; esac
  attempt=$run/$fence
  tell_end "$attempt/ctl"
  tell_tail log "$attempt/ctl/output" 65536
  stream_file "$attempt/ctl" stdout
  tell_tail stdout "$file" "$stdout_bytes"
  index=0
  while [ $# -ge 2 ]; do
    tell_artefact "$1" "$2"
    shift 2
    index=$((index + 1))
  done
  tell_changed
  finished
}

# tell_tail TYPE FILE BYTES: so many of them at most
tell_tail() {
  size_of "$2"
  [ "$size" -le "$3" ] || size=$3
  printf '%s %d\n' "$1" "$size"
  [ "$size" = 0 ] || tail -c "$size" "$2" | head -c "$size"
}

tell_artefact() {
  if ! regular "$attempt/work" "$2"; then
    tell missing '' "$index"
    failed=1
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

# The first few immutable files that are not what was staged, and whether it is the stage itself that is damaged.
tell_changed() {
  # Whoever removes the run meanwhile takes that along; without a name all stages would be judged.
  stage=
  [ ! -r "$attempt/stage" ] || read -r stage <"$attempt/stage"
  [ -n "$stage" ] || fail state absent
  find_stage
  judged=$(id_of "$stage")
  # It was touched when it was moved.
  [ "$stage" = "$at_place" ] || [ ! -d "$stage" ] || [ "$stage" -nt "$attempt/ctl/ended.json" ] || tell aside yes
  manifest=$attempt/manifest
  # Of a run that an older version began.
  [ -r "$manifest" ] || manifest=$stage/manifest
  if [ ! -r "$manifest" ]; then
    blame_stage 'the list of its files cannot be read'
    return
  fi
  mutable=$newline$(cat "$attempt/mutable")$newline
  # Not beside the run's files: it may have left no block and no inode.
  size_of "$manifest"
  spool_bytes=$((spool_bytes + 4 * size))
  size_of "$stage/prepared-files"
  spool_bytes=$((spool_bytes + 2 * size))
  make_spool
  check=$spool/check
  find_changed "$attempt/work" 10
  while IFS= read -r path; do tell changed "$path"; done <"$check.changed"
  if [ -d "$stage" ]; then tell_damage; else tell damaged 'it is gone'; fi
  rm -rf "$spool"
}

# find_stage -> stage: where the one that the run was made from lies by now; at_place: where it lay
find_stage() {
  name=$stage
  at_place=$home/stages/$name
  stage=$at_place
  made=
  # The second one is of the version before, the number of a folder.
  for file in "$attempt/stage-id" "$attempt/stage-inode"; do
    [ -n "$made" ] || [ ! -s "$file" ] || read -r made <"$file"
  done
  [ -n "$made" ] && ! is_stage "$stage" "$made" || return 0
  stage=$home/stages/.damaged-$made-$name
  [ ${#made} -lt 32 ] || return 0
  # It may have been made from one with an id, which lies under that.
  for other in "$home/stages"/.damaged-*-"$name"; do
    ! is_stage "$other" "$made" || stage=$other
  done
}

# Which of these files are not what was staged in the stage itself either, nor were when its setup was over?
tell_damage() {
  data_is_whole "$stage" || {
    blame_stage "$lost, which its runs are shown, is gone"
    return
  }
  if [ ! -s "$check.changed" ]; then
    # Too many looks for each run that went well.
    [ "$failed" = 0 ] || blame_data
    return 0
  fi
  questioned=$newline$(cat "$check.changed")$newline
  gone=
  [ ! -s "$stage/prepared" ] || gone=$newline$(cat "$stage/prepared")$newline
  while IFS= read -r row; do
    path=${row#* }
    path=${path#* }
    case $questioned in *"$newline$path$newline"*) ;; *) continue ;; esac
    case $gone in *"$newline$path$newline"*) continue ;; esac
    with_beats is_still "$stage/files" "$row" && continue
    blame_stage "$path is not what was staged"
    return
  done <"$manifest"
  blame_data
}

# Is some of what the setup made for runs not what it was? Files that were added are not looked for.
blame_data() {
  [ -s "$stage/prepared-files" ] || return 0
  with_beats look_again
  # By a program, where the host has it: rows are read byte by byte.
  ! cmp -s "$stage/prepared-files" "$check.data" 2>/dev/null || return 0
  exec 5<"$stage/prepared-files" 6<"$check.data"
  while IFS= read -r row <&5; do
    IFS= read -r got <&6 || got=
    [ "$got" != "$row" ] || continue
    path=${row#* * ./}
    if is_gone "$stage/data/$path"; then
      blame_stage "data/$path, which its setup made, is gone"
    else
      # What this host could not say is no damage.
      got=$(line "./$path" | look_at_data "$stage")
      [ "${got:-$row}" = "$row" ] || blame_stage "data/$path, which its setup made, is not what it was"
    fi
    break
  done
  exec 5<&- 6<&-
}

look_again() { sed 's/^[^ ]* [^ ]* //' "$stage/prepared-files" | look_at_data "$stage" >"$check.data"; }

# is_still FOLDER ROW: is a file of a folder what its row says?
is_still() {
  row=$2
  wanted=${row%% *}
  row=${row#* }
  regular "$1" "${row#* }" || return 1
  size_of "$file"
  [ "$size" = "${row%% *}" ] || return 1
  got=$(sha256sum <"$file") && [ "${got%% *}" = "$wanted" ]
}

blame_stage() {
  tell damaged "$1"
  # One that lies aside stays there.
  [ "$stage" != "$at_place" ] || set_aside "$judged"
}

# find_changed FOLDER MOST -> $check.changed: files of $manifest, less those of $mutable, that are not what it says; by size
# first, since a run makes a file of any size in no time, and to hash it would take minutes
find_changed() {
  tree=$1 most=$2
  changed=0
  : >"$check.changed"
  while IFS= read -r row; do
    path=${row#* }
    path=${path#* }
    case $mutable in *"$newline$path$newline"*) continue ;; esac
    if regular "$tree" "$path"; then line "$row"; else note_changed "$path"; fi
  done <"$manifest" >"$check"
  compare "$check" 2 stat -c %s --
  compare "$check.same" 1 sha256sum --
  rm -f "$check" "$check.same" "$check.same.same" "$check.found" "$check.same.found"
}

line() { printf '%s\n' "$1"; }

note_changed() {
  changed=$((changed + 1))
  [ "$changed" -gt "$most" ] || line "$1" >>"$check.changed"
}

# ask_of_all COMMAND...: of all files of $list, which may be many, and large -> $list.found
ask_of_all() {
  sed 's/^[^ ]* [^ ]* //' "$list" | tr '\n' '\000' | (cd "$tree" && xargs -0 "$@") >"$list.found" 2>/dev/null
}

# compare LIST FIELD COMMAND...: of a list of lines "SHA-256 SIZE PATH", those whose field the command prints -> LIST.same
compare() {
  list=$1 field=$2
  shift 2
  : >"$list.same"
  [ -s "$list" ] && [ "$changed" -lt "$most" ] || return 0
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
