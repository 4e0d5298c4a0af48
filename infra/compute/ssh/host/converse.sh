
# --- a conversation -----------------------------------------------------------------------------------------------

# talk_make RUN FENCE ID UID STAGE (BYTES PATH)...: makes the control directory of a conversation with an ended run, if
# no other installation holds its GPUs. Its own folder gets the workspace, the candidate, and these artefacts of the
# run.
verb_talk_make() {
  attempt=$runs/$1/$2 talk=$runs/$1/$2/talk-$3 talk_uid=$4 talk_stage=$5
  shift 5
  control_state "$attempt/ctl"
  [ "$state" = ended ] || fail state "$([ -d "$attempt/ctl" ] && echo "$state" || echo absent)"
  gpus_of "$attempt"
  # shellcheck disable=SC2086
  [ -z "$gpus" ] || require_gpus $gpus
  try 'conversation' mkdir -p "$talk/tmp" "$talk/root"
  printf 'send 0\n'
  unpack "$talk"
  end_older
  umask 022
  with_beats noting lay_out_talk "$@" || {
    remove_tree "$talk"
    fail host "conversation: $problem"
  }
  umask 077
  finished
}

# lay_out_talk (BYTES PATH)...: the staged files come from the run's own copy, which collect has compared. The stage
# itself may have been damaged since; it only adds what a setup made.
lay_out_talk() {
  temporary=$talk
  # Other users may pass through the folders above their own, but cannot list them.
  stage=$talk_stage
  chmod 711 "$talk" && copy_files "$talk/work" || return 1
  manifest=$attempt/manifest
  [ -r "$manifest" ] || manifest=$stage/manifest
  mutable=$newline$(cat "$talk/mutable")$newline
  while IFS= read -r row; do
    path=${row#* }
    path=${path#* }
    case $mutable in *"$newline$path$newline"*) continue ;; esac
    ! regular "$attempt/work" "$path" || line "./$path"
  done <"$manifest" >"$talk/staged"
  [ ! -s "$talk/staged" ] || tar -C "$attempt/work" -cf - -T "$talk/staged" | tar -C "$talk/work" -xpf - || return 1
  while IFS= read -r path; do [ -f "$talk/work/$path" ] || return 1; done <"$talk/staged"
  while IFS= read -r path; do lay_over "$path" || return 1; done <"$talk/mutable"
  while [ $# -ge 2 ]; do
    bring_artefact "$1" "$2" || return 1
    shift 2
  done
  [ "$talk_uid" = - ] || chown -R "$talk_uid:$talk_uid" "$talk/work" "$talk/tmp"
}

# bring_artefact BYTES PATH: copies a regular file of the run, if it is no larger. The setup may have left a link among
# its folders where the run had a folder: the link would lead out of the copy, and is replaced.
bring_artefact() {
  regular "$attempt/work" "$2" || return 0
  size_of "$file"
  [ "$size" -le "$1" ] || return 0
  rest=$2 at=$talk/work
  while [ "$rest" != "${rest#*/}" ]; do
    at=$at/${rest%%/*}
    rest=${rest#*/}
    { [ -d "$at" ] && [ ! -L "$at" ]; } || { rm -f -- "$at" && mkdir "$at"; } || return 1
  done
  rm -rf -- "$at/$rest" && cp -p -- "$file" "$at/$rest"
}

# end_older: ends other conversations with this run. Their workers sleep, or were given up, and they would compete for
# the slot.
end_older() {
  for control in "$attempt"/talk-*/ctl; do
    [ -d "$control" ] && [ "$control" != "$talk/ctl" ] || continue
    control_state "$control"
    [ "$state" = ended ] || because "$control" replaced
    kill_talk "$control"
  done
}

# talk_run RUN FENCE ID: from here on, standard input, output and error belong to the program. It dies with the
# connection, and with the locks of its GPUs.
verb_talk_run() {
  attempt=$runs/$1/$2
  talk=$attempt/talk-$3
  printf '%s\n' "$mark" >&2
  stat_fields "/proc/$me/stat"
  # shellcheck disable=SC2086
  set -- $fields
  parent=$2
  birth_of "$parent"
  mkfifo "$talk/life"
  gpus_of "$attempt"
  exec 5<&0 6>&1 7>&2
  { watch_parent; } 4>"$talk/life" </dev/null >/dev/null 2>&1 5<&- 6>&- 7>&- &
  watcher=$!
  note_keepers "$me" "$watcher"
  if [ -z "$gpus" ]; then
    env -i "PATH=$system_path" setsid /bin/sh "$home/bin/$supervisor_name" "$talk/ctl" \
      <&5 >&6 2>&7 3<"$talk/life" 5<&- 6>&- 7>&- &
  else
    # shellcheck disable=SC2086
    holders_of $gpus
    # shellcheck disable=SC2086
    env -i "PATH=$system_path" setsid $holders /bin/sh "$0" '' '' "$installation" guard "$talk/ctl" $gpus \
      <&5 >>"$talk/ctl/supervisor.log" 2>&1 3<"$talk/life" 5<&- &
  fi
  supervisor=$!
  note_keepers "$supervisor"
  exec 0</dev/null 1>/dev/null 2>/dev/null 5<&- 6>&- 7>&-
  wait "$supervisor"
  # KILL, since the program may have stopped the watcher.
  kill -KILL "$watcher"
  exit 0
}

# note_keepers PID...: records processes that keep the conversation open
note_keepers() {
  for one in "$@"; do
    birth_of "$one"
    printf '%s %s %s\n' "$one" "$birth" "$boot"
  done 2>/dev/null >>"$talk/keepers"
}

# watch_parent: holds the other end of the lifeline, and ends with the connection's process
watch_parent() {
  while alive "$parent" "$birth" "$boot"; do sleep 0.3; done
}

# talk_stop RUN FENCE ID REASON: ends the conversation for that reason
verb_talk_stop() {
  control=$runs/$1/$2/talk-$3/ctl
  [ ! -d "$control" ] || because "$control" "$4"
  kill_talk "$control"
  finished
}

# talk_end RUN FENCE ID: reports the end of the conversation; ends it first, if the connection was lost
verb_talk_end() {
  talk=$runs/$1/$2/talk-$3
  [ -d "$talk/ctl" ] || fail gone "$3"
  # The log is of the process that locks the GPUs: an error there means that the program never started.
  why=$(grep -sv '^beat 0$' "$talk/ctl/supervisor.log")
  case $why in
    '') ;;
    "fail "*" gpu$newline"*) fail gpu "${why##*"$newline"}" ;;
    *) fail host "conversation: ${why##*"$newline"}" ;;
  esac
  kill_talk "$talk/ctl"
  read_end "$talk/ctl" && tell_end "$talk/ctl"
  remove_tree "$talk/tmp"
  remove_tree "$talk/work"
  finished
}
