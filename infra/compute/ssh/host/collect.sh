
# --- what a run left ----------------------------------------------------------------------------------------------

# regular FOLDER PATH -> file: true for a regular file that is reached without any link
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

# collect RUN STDOUT-BYTES (BYTES PATH)...: reports the end, the tails of the log and of stdout, artefacts by their
# index in the list, and changed files
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

# tell_tail TYPE FILE BYTES: reports at most that many bytes of the file's end
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

# tell_changed: reports the first few immutable files that differ from the stage's manifest, and whether the stage
# itself is damaged
tell_changed() {
  # A call that removes the run deletes this file, too. With an empty name, all stages would be judged.
  stage=
  [ ! -r "$attempt/stage" ] || read -r stage <"$attempt/stage"
  [ -n "$stage" ] || fail state absent
  find_stage
  judged=$(id_of "$stage")
  # set_aside touched the stage. If the stage is older than the end, it was set aside before the run ended.
  [ "$stage" = "$at_place" ] || [ ! -d "$stage" ] || [ "$stage" -nt "$attempt/ctl/ended.json" ] || tell aside yes
  manifest=$attempt/manifest
  # A run of an older version has no manifest of its own.
  [ -r "$manifest" ] || manifest=$stage/manifest
  if [ ! -r "$manifest" ]; then
    blame_stage 'the list of its files cannot be read'
    return
  fi
  mutable=$newline$(cat "$attempt/mutable")$newline
  # Not on the run's disk, where the run may have left no free block and no free inode.
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

# find_stage -> stage: current path of the stage that the run was made from; at_place: its original path
find_stage() {
  name=$stage
  at_place=$home/stages/$name
  stage=$at_place
  made=
  # An older version wrote the inode number of the folder to the second file.
  for file in "$attempt/stage-id" "$attempt/stage-inode"; do
    [ -n "$made" ] || [ ! -s "$file" ] || read -r made <"$file"
  done
  [ -n "$made" ] && ! is_stage "$stage" "$made" || return 0
  stage=$home/stages/.damaged-$made-$name
  [ ${#made} -lt 32 ] || return 0
  # The stage may have an id, and lie under that.
  for other in "$home/stages"/.damaged-*-"$name"; do
    ! is_stage "$other" "$made" || stage=$other
  done
}

# tell_damage: reports damage of the stage: changed files that also differ in the stage, and did not when its setup
# ended
tell_damage() {
  data_is_whole "$stage" || {
    blame_stage "$lost, which runs read, is gone"
    return
  }
  if [ ! -s "$check.changed" ]; then
    # Too expensive for each run that succeeded.
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
    blame_stage "$path differs from the staged file"
    return
  done <"$manifest"
  blame_data
}

# blame_data: reports a file that the setup made for runs, if it is not as it was. Added files do not count.
blame_data() {
  [ -s "$stage/prepared-files" ] || return 0
  with_beats look_again
  # cmp compares first, if the host has it: the shell reads rows byte by byte.
  ! cmp -s "$stage/prepared-files" "$check.data" 2>/dev/null || return 0
  exec 5<"$stage/prepared-files" 6<"$check.data"
  while IFS= read -r row <&5; do
    IFS= read -r got <&6 || got=
    [ "$got" != "$row" ] || continue
    path=${row#* * ./}
    if is_gone "$stage/data/$path"; then
      blame_stage "data/$path, which its setup made, is gone"
    else
      # If this host could not read it, that is no damage.
      got=$(line "./$path" | look_at_data "$stage")
      [ "${got:-$row}" = "$row" ] || blame_stage "data/$path, which its setup made, has changed"
    fi
    break
  done
  exec 5<&- 6<&-
}

look_again() { sed 's/^[^ ]* [^ ]* //' "$stage/prepared-files" | look_at_data "$stage" >"$check.data"; }

# is_still FOLDER ROW: true if the file of the row is what the row says
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
  # A stage that was set aside already stays where it is.
  [ "$stage" != "$at_place" ] || set_aside "$judged"
}

# find_changed FOLDER MOST -> $check.changed: files of $manifest, except those of $mutable, that differ from it.
# Compares sizes first: a run makes a file of any size at once, and hashing it would take minutes.
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

# ask_of_all COMMAND... -> $list.found: runs the command on all files of $list, which may be many and large
ask_of_all() {
  sed 's/^[^ ]* [^ ]* //' "$list" | tr '\n' '\000' | (cd "$tree" && xargs -0 "$@") >"$list.found" 2>/dev/null
}

# compare LIST FIELD COMMAND... -> LIST.same: lines "SHA-256 SIZE PATH" of the list whose field equals what the command
# prints
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
