#!/bin/sh
# The host's side of a machine that is reached by SSH: one verb a call.
# Usage: host.sh MARK-1 MARK-2 INSTALLATION VERB [WORD...], as SCRATCH/bin/host-HASH.sh
# Output of the login shell comes before the mark. After the mark, standard output holds only frames: a line "TYPE
# LENGTH [WORD...]", then LENGTH bytes. The last frame is "done 0" or "fail LENGTH CODE".
# Must pass under dash, busybox sh and bash. Made of the files of this folder, in the order of scripts.ts.

# --- frames -----------------------------------------------------------------------------------------------------

# tell TYPE TEXT [WORD...]: prints one frame that holds a text
tell() {
  type=$1 text=$2
  shift 2
  printf '%s %d %s\n%s' "$type" "${#text}" "$*" "$text"
}

# fail CODE MESSAGE: prints the last frame and exits
fail() {
  printf 'fail %d %s\n%s' "${#2}" "$1" "$2"
  exit 1
}

finished() { printf 'done 0\n'; }

# beat: reports that the script still works, at most once a second
beat() {
  clock
  [ $((now - ${last_beat:-0})) -ge 100 ] || return 0
  last_beat=$now
  printf 'beat 0\n'
}

# with_beats COMMAND...: runs a function that may take long and prints nothing -> its exit code. Meanwhile a child
# prints beats. The child's sleep keeps neither the channel nor a lock open.
with_beats() {
  { while sleep 1 >/dev/null && kill -0 "$me"; do printf 'beat 0\n'; done; } </dev/null 2>/dev/null 9>&- &
  beater=$!
  "$@"
  result=$?
  { kill "$beater" && wait "$beater"; } 2>/dev/null
  return "$result"
}

# noting COMMAND... -> problem: output of the command; its exit code
noting() { problem=$("$@" 2>&1); }

# try WHAT COMMAND...: runs the command. If it fails, the host cannot be used, and the error holds its output.
try() {
  what=$1
  shift
  problem=$("$@" 2>&1 >/dev/null) || fail host "$what: $problem"
}

# --- children and waiting; clocks and identities follow from supervisor.sh ----------------------------------------

# still_runs PID: true for a child that has not ended. A child that nobody has waited for keeps its pid.
still_runs() {
  stat_fields "/proc/$1/stat"
  case $fields in '' | ' Z'* | ' X'* | Z* | X*) return 1 ;; esac
}

# until_not STATE CONTROL CENTISECONDS: waits while a control directory is in that state; false if it stays
until_not() {
  clock
  until_then=$((now + $3))
  while control_state "$2" && [ "$state" = "$1" ]; do
    beat
    [ "$now" -lt "$until_then" ] || return 1
    sleep 0.02
  done
}
