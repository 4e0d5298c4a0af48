
# --- a conversation -----------------------------------------------------------------------------------------------

# talk_make RUN FENCE ID UID: the control directory of a conversation with an ended run, whose GPUs nobody else has
verb_talk_make() {
  attempt=$runs/$1/$2
  control_state "$attempt/ctl"
  [ "$state" = ended ] || fail state "$([ -d "$attempt/ctl" ] && echo "$state" || echo absent)"
  gpus_of "$attempt"
  # shellcheck disable=SC2086
  [ -z "$gpus" ] || require_gpus $gpus
  talk=$attempt/talk-$3
  try 'conversation' mkdir -p "$talk/tmp" "$talk/root"
  printf 'send 0\n'
  unpack "$talk"
  end_older
  [ "$4" = - ] || try 'conversation' chown "$4:$4" "$talk/tmp"
  finished
}

# Who began another conversation with this run sleeps, or was given up: it would compete for the slot.
end_older() {
  for control in "$attempt"/talk-*/ctl; do
    [ -d "$control" ] && [ "$control" != "$talk/ctl" ] || continue
    control_state "$control"
    [ "$state" = ended ] || because "$control" replaced
    kill_talk "$control"
  done
}

# talk_run RUN FENCE ID: standard input, output and error are the program's from here on. It dies with the connection,
# and with the locks of its GPUs.
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
  # The program may have stopped it.
  kill -KILL "$watcher"
  exit 0
}

# note_keepers PID...: what keeps the conversation open
note_keepers() {
  for one in "$@"; do
    birth_of "$one"
    printf '%s %s %s\n' "$one" "$birth" "$boot"
  done 2>/dev/null >>"$talk/keepers"
}

# Who holds the other end of the lifeline: it ends with the connection's process.
watch_parent() {
  while alive "$parent" "$birth" "$boot"; do sleep 0.3; done
}

# talk_stop RUN FENCE ID REASON: ends it for that reason
verb_talk_stop() {
  control=$runs/$1/$2/talk-$3/ctl
  [ ! -d "$control" ] || because "$control" "$4"
  kill_talk "$control"
  finished
}

# talk_end RUN FENCE ID: its end, which is brought about where the connection was cut
verb_talk_end() {
  talk=$runs/$1/$2/talk-$3
  [ -d "$talk/ctl" ] || fail gone "$3"
  # Said by who was to lock its GPUs: nothing of it was begun.
  why=$(grep -sv '^beat 0$' "$talk/ctl/supervisor.log")
  case $why in
    '') ;;
    "fail "*" gpu$newline"*) fail gpu "${why##*"$newline"}" ;;
    *) fail host "conversation: ${why##*"$newline"}" ;;
  esac
  kill_talk "$talk/ctl"
  read_end "$talk/ctl" && tell_end "$talk/ctl"
  remove_tree "$talk/tmp"
  finished
}
