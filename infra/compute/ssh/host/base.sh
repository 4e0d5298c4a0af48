#!/bin/sh
# The host's side of a machine that is reached by SSH: one verb a call.
# Usage: host.sh MARK-1 MARK-2 VERB [WORD...], as SCRATCH/bin/host-HASH.sh
# What the login shell prints comes before the mark; after it, standard output holds frames alone: a line
# "TYPE LENGTH [WORD...]", then LENGTH bytes. The last frame is "done 0" or "fail LENGTH CODE".
# Must pass under dash, busybox sh and bash. Made of the files of this folder, in the order of scripts.ts.

# --- frames -----------------------------------------------------------------------------------------------------

# tell TYPE TEXT [WORD...]: one frame that holds a text
tell() {
  type=$1 text=$2
  shift 2
  printf '%s %d %s\n%s' "$type" "${#text}" "$*" "$text"
}

# fail CODE MESSAGE: the last frame
fail() {
  printf 'fail %d %s\n%s' "${#2}" "$1" "$2"
  exit 1
}

finished() { printf 'done 0\n'; }

# Says that we still work, at most once a second.
beat() {
  clock
  [ $((now - ${last_beat:-0})) -ge 100 ] || return 0
  last_beat=$now
  printf 'beat 0\n'
}

# with_beats COMMAND...: something of ours that may take long and says nothing itself -> its own exit code. A child says meanwhile
# that we work; what it sleeps in keeps neither the channel nor a lock.
with_beats() {
  { while sleep 1 >/dev/null && kill -0 "$me"; do printf 'beat 0\n'; done; } </dev/null 2>/dev/null 9>&- &
  beater=$!
  "$@"
  result=$?
  { kill "$beater" && wait "$beater"; } 2>/dev/null
  return "$result"
}

# noting COMMAND... -> problem: its words; its own exit code
noting() { problem=$("$@" 2>&1); }

# try WHAT COMMAND...: runs it; where it fails, the host cannot be used, and its own words say why
try() {
  what=$1
  shift
  problem=$("$@" 2>&1 >/dev/null) || fail host "$what: $problem"
}

# --- children and waiting; clocks and identities follow from supervisor.sh ----------------------------------------

# still_runs PID: a child of ours that has not ended (one that nobody has waited for keeps its number)
still_runs() {
  stat_fields "/proc/$1/stat"
  case $fields in '' | ' Z'* | ' X'* | Z* | X*) return 1 ;; esac
}

# until_not STATE CONTROL CENTISECONDS: waits while a control directory is in a state; false where it stays
until_not() {
  clock
  until_then=$((now + $3))
  while control_state "$2" && [ "$state" = "$1" ]; do
    beat
    [ "$now" -lt "$until_then" ] || return 1
    sleep 0.02
  done
}
