
# --- a conversation -----------------------------------------------------------------------------------------------

# talk_make RUN FENCE ID UID: the control directory of a conversation with an ended run
verb_talk_make() {
  attempt=$runs/$1/$2
  control_state "$attempt/ctl"
  [ "$state" = ended ] || fail state "$([ -d "$attempt/ctl" ] && echo "$state" || echo absent)"
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
    [ "$state" != ended ] || continue
    because "$control" replaced
    kill_control "$control"
  done
}

# talk_run RUN FENCE ID: standard input, output and error are the program's from here on. It dies with the connection.
verb_talk_run() {
  talk=$runs/$1/$2/talk-$3
  printf '%s\n' "$mark" >&2
  stat_fields "/proc/$me/stat"
  # shellcheck disable=SC2086
  set -- $fields
  parent=$2
  birth_of "$parent"
  mkfifo "$talk/life"
  exec 5<&0 6>&1 7>&2
  { watch_parent; } 4>"$talk/life" </dev/null >/dev/null 2>&1 5<&- 6>&- 7>&- &
  watcher=$!
  env -i "PATH=$system_path" setsid /bin/sh "$home/bin/$supervisor_name" "$talk/ctl" \
    <&5 >&6 2>&7 3<"$talk/life" 5<&- 6>&- 7>&- &
  supervisor=$!
  exec 0</dev/null 1>/dev/null 2>/dev/null 5<&- 6>&- 7>&-
  wait "$supervisor"
  kill "$watcher"
  exit 0
}

# Who holds the other end of the lifeline: it ends with the connection's process.
watch_parent() {
  while alive "$parent" "$birth" "$boot"; do sleep 0.3; done
}

# talk_stop RUN FENCE ID REASON: ends it for that reason
verb_talk_stop() {
  control=$runs/$1/$2/talk-$3/ctl
  [ ! -d "$control" ] || because "$control" "$4"
  kill_control "$control"
  finished
}

# talk_end RUN FENCE ID: its end, which is brought about where the connection was cut
verb_talk_end() {
  talk=$runs/$1/$2/talk-$3
  [ -d "$talk/ctl" ] || fail gone "$3"
  kill_control "$talk/ctl"
  read_end "$talk/ctl" && tell_end "$talk/ctl"
  remove_tree "$talk/tmp"
  finished
}
