
# --- what a control directory says --------------------------------------------------------------------------------

# read_end CONTROL -> end; false while there is none, or where a full disk cut its words
read_end() {
  end=
  [ -r "$1/ended.json" ] || return 1
  IFS= read -r end <"$1/ended.json"
  case $end in '{'*'}') return 0 ;; esac
  end=
  return 1
}

# read_owner FILE -> owner_pid owner_start owner_boot
read_owner() {
  owner_pid='' owner_start='' owner_boot=''
  [ -r "$1" ] && read -r owner_pid owner_start owner_boot _ 2>/dev/null <"$1"
  [ -n "$owner_boot" ]
}

owner_lives() { read_owner "$1" && alive "$owner_pid" "$owner_start" "$owner_boot"; }

# -> machine: what tells this one from others that may share its scratch folder
name_machine() {
  machine=
  [ ! -r /etc/machine-id ] || read -r machine </etc/machine-id
  read -r node </proc/sys/kernel/hostname
  machine="$machine $node"
}

# has RUN...: those of them that were begun on this very machine; its scratch folder may be shared with others
verb_has() {
  name_machine
  for run in "$@"; do
    for file in "$runs/$run"/*/machine; do
      theirs=
      [ ! -s "$file" ] || IFS= read -r theirs <"$file"
      [ "$theirs" = "$machine" ] || continue
      tell yes '' "$run"
      break
    done
  done
  finished
}

# inodes_of PATH -> inodes, free_inodes of its disk; 0 0 where it does not count them
inodes_of() {
  # shellcheck disable=SC2046
  set -- $(stat -f -c '%c %d' -- "$1" 2>/dev/null)
  inodes=${1:-0} free_inodes=${2:-0}
  case $inodes$free_inodes in *[!0-9]*) inodes=0 free_inodes=0 ;; esac
}

# A claim and its owner are written microseconds apart.
is_young() {
  made=$(stat -c %Y -- "$1" 2>/dev/null) || return 0
  [ $(($(date +%s) - made)) -lt 5 ]
}

# control_state CONTROL -> state: ended, staged, claiming, running or lost; end
control_state() {
  state=ended
  read_end "$1" && return 0
  state=staged
  [ -d "$1/claim" ] || return 0
  if owner_lives "$1/claim/owner"; then
    state=claiming
    [ ! -e "$1/started.json" ] || state=running
    return 0
  fi
  # It may have ended between the two looks.
  state=ended
  read_end "$1" && return 0
  state=lost
  [ -n "$owner_boot" ] || ! is_young "$1/claim" || state=claiming
}

# current RUN-DIRECTORY -> fence of the attempt that counts (empty: none), its state and end: one that ended, else one
# that runs, else the highest that was claimed, else the highest
current() {
  fence='' rank=0 found_state='' found_end=''
  for folder in "$1"/*; do
    other=${folder##*/}
    case $other in '' | *[!0-9]*) continue ;; esac
    control_state "$folder/ctl"
    case $state in ended) this=4 ;; running) this=3 ;; staged) this=1 ;; *) this=2 ;; esac
    if [ "$this" -gt "$rank" ] || { [ "$this" -eq "$rank" ] && [ "$other" -gt "$fence" ]; }; then
      fence=$other rank=$this found_state=$state found_end=$end
    fi
  done
  state=$found_state end=$found_end
}

# size_of FILE -> size; 0 where it is absent
size_of() {
  size=$(stat -c %s -- "$1" 2>/dev/null) || size=0
}

# stream_file CONTROL output|stdout|stderr -> file; where the streams are not apart, one file has both, and counts as stdout
stream_file() {
  file=$1/$2
  [ "$2" != stdout ] || [ -e "$file" ] || file=$1/output
}

# tell_end CONTROL: what the supervisor wrote last, the bytes of its output, and whether the host was booted since
tell_end() {
  size_of "$1/output"
  since=
  ! read_owner "$1/claim/owner" || [ "$owner_boot" = "$boot" ] || since=rebooted
  tell end "$end" "$size" $since
}

# uid_of CONTROL -> uid: the user of a run's files, by its spec; empty for ours
uid_of() {
  uid=$(grep -m1 -x "uid='[0-9]*'" "$1/spec" 2>/dev/null)
  uid=${uid#*\'}
  uid=${uid%\'}
}

# tell_stage ATTEMPT: the stage whose data a conversation with that run is shown; nothing where that is gone
tell_stage() {
  attempt=$1
  [ -r "$attempt/stage" ] || return 0
  read -r stage <"$attempt/stage"
  find_stage
  # What a setup made may hold its own path: made anew there, it is of more use than moved.
  [ ! -e "$at_place/prepared" ] || stage=$at_place
  ! data_is_whole "$stage" || tell stage "$stage"
}

# tell_age CONTROL: of a supervisor that lives, in hundredths of a second; its birth is of the same clock
tell_age() {
  read_owner "$1/claim/owner" || return 0
  clock
  tell age '' "$((now - owner_start))"
}

# state STATE FENCE [UID], the last of a run that ended, with the stage that it is shown; of one that is under way its age
verb_inspect() {
  current "$runs/$1"
  if [ -z "$fence" ]; then
    tell state '' absent
  else
    uid=
    [ "$state" != ended ] || uid_of "$runs/$1/$fence/ctl"
    tell state '' "$state" "$fence" ${uid:+"$uid"}
    [ "$state" != running ] || tell_age "$runs/$1/$fence/ctl"
    [ "$state" != ended ] || { tell_end "$runs/$1/$fence/ctl" && tell_stage "$runs/$1/$fence"; }
  fi
  finished
}
