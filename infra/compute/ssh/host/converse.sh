
# --- a conversation -----------------------------------------------------------------------------------------------

# talk_make RUN FENCE ID UID: the control directory of a conversation with an ended run
verb_talk_make() {
  attempt=$runs/$1/$2
  control_state "$attempt/ctl"
  [ "$state" = ended ] || fail state "$state"
  talk=$attempt/talk-$3
  try 'conversation' mkdir -p "$talk/tmp" "$talk/root"
  printf 'send 0\n'
  unpack "$talk"
  [ "$4" = - ] || try 'conversation' chown "$4:$4" "$talk/tmp"
  finished
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

# talk_stop RUN FENCE ID REASON: ends it, for a reason of its own if one is given
verb_talk_stop() {
  control=$runs/$1/$2/talk-$3/ctl
  if [ -n "$4" ]; then
    # The supervisor may look at any time: the reason comes whole, by a link.
    printf '%s\n' "$4" >"$control/flood"
    ln "$control/flood" "$control/reason" 2>/dev/null
  fi
  kill_control "$control"
  finished
}

# talk_end RUN FENCE ID: its end, which is brought about where the connection was cut
verb_talk_end() {
  talk=$runs/$1/$2/talk-$3
  kill_control "$talk/ctl"
  read_end "$talk/ctl" && tell_end "$talk/ctl"
  remove_tree "$talk/tmp"
  finished
}
