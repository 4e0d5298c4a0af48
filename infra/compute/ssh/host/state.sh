
# --- what a control directory says --------------------------------------------------------------------------------

# read_end CONTROL -> end; false if there is no end, or if a full disk truncated it
read_end() {
  end=
  [ -r "$1/ended.json" ] || return 1
  IFS= read -r end <"$1/ended.json"
  case $end in '{'*'}') return 0 ;; esac
  end=
  return 1
}

# read_owner FILE -> owner_pid, owner_start, owner_boot; false if the file has none
read_owner() {
  owner_pid='' owner_start='' owner_boot=''
  [ -r "$1" ] && read -r owner_pid owner_start owner_boot _ 2>/dev/null <"$1"
  [ -n "$owner_boot" ]
}

owner_lives() { read_owner "$1" && alive "$owner_pid" "$owner_start" "$owner_boot"; }

# name_machine -> machine: distinguishes this machine from others that may share its scratch folder
name_machine() {
  machine=
  [ ! -r /etc/machine-id ] || read -r machine </etc/machine-id
  read -r node </proc/sys/kernel/hostname
  machine="$machine $node"
}

# has RUN...: reports the runs that this very machine began. Other machines may share the scratch folder.
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

# inodes_of PATH -> inodes, free_inodes of its disk; 0 0 if the disk does not count them
inodes_of() {
  # shellcheck disable=SC2046
  set -- $(stat -f -c '%c %d' -- "$1" 2>/dev/null)
  inodes=${1:-0} free_inodes=${2:-0}
  case $inodes$free_inodes in *[!0-9]*) inodes=0 free_inodes=0 ;; esac
}

# is_young PATH: a supervisor writes a claim and its owner microseconds apart, so a young claim may still lack an owner.
is_young() {
  made=$(stat -c %Y -- "$1" 2>/dev/null) || return 0
  [ $(($(date +%s) - made)) -lt 5 ]
}

# control_state CONTROL -> state (ended, staged, claiming, running or lost), end
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
  # The run may have ended between the two checks.
  state=ended
  read_end "$1" && return 0
  state=lost
  [ -n "$owner_boot" ] || ! is_young "$1/claim" || state=claiming
}

# current RUN-DIRECTORY -> fence of the attempt that counts (empty: none), its state and end. That is an ended attempt,
# else a running one, else the highest claimed fence, else the highest fence.
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

# size_of FILE -> size; 0 if there is no file
size_of() {
  size=$(stat -c %s -- "$1" 2>/dev/null) || size=0
}

# stream_file CONTROL output|stdout|stderr -> file. If the streams are not separate, `output` holds both, and counts as
# stdout.
stream_file() {
  file=$1/$2
  [ "$2" != stdout ] || [ -e "$file" ] || file=$1/output
}

# tell_end CONTROL: reports the end, the size of the output, and whether the host was booted since the run began
tell_end() {
  size_of "$1/output"
  since=
  ! read_owner "$1/claim/owner" || [ "$owner_boot" = "$boot" ] || since=rebooted
  tell end "$end" "$size" $since
}

# uid_of CONTROL -> uid: user of a run's files, by its spec; empty for this script's user
uid_of() {
  uid=$(grep -m1 -x "uid='[0-9]*'" "$1/spec" 2>/dev/null)
  uid=${uid#*\'}
  uid=${uid%\'}
}

# tell_stage ATTEMPT: reports the stage whose data a conversation with that run sees; nothing if the stage is gone
tell_stage() {
  attempt=$1
  [ -r "$attempt/stage" ] || return 0
  read -r stage <"$attempt/stage"
  find_stage
  # Files of a setup may hold the path of their stage. So a stage that was made again at that path is better than the
  # moved one.
  [ ! -e "$at_place/prepared" ] || stage=$at_place
  ! data_is_whole "$stage" || tell stage "$stage"
}

# tell_age CONTROL: reports the age of a living supervisor, in hundredths of a second. Its start time is of the same
# clock.
tell_age() {
  read_owner "$1/claim/owner" || return 0
  clock
  tell age '' "$((now - owner_start))"
}

# tell_waited CONTROL: reports how long others kept the run from a CPU, in hundredths of a second, as its supervisor
# measured last. Without a sandbox, the candidate can replace the file.
tell_waited() {
  waited=
  [ -f "$1/usage" ] && read -r _ _ _ waited _ <"$1/usage"
  case $waited in '' | *[!0-9]*) ;; *) tell waited '' "$waited" ;; esac
} 2>/dev/null

# inspect RUN: reports a frame "state 0 STATE FENCE [UID]". For an ended run, adds UID, the end and the stage that a
# conversation sees. For a running one, adds the age and the wait for a CPU.
verb_inspect() {
  current "$runs/$1"
  if [ -z "$fence" ]; then
    tell state '' absent
  else
    uid=
    [ "$state" != ended ] || uid_of "$runs/$1/$fence/ctl"
    tell state '' "$state" "$fence" ${uid:+"$uid"}
    [ "$state" != running ] || { tell_age "$runs/$1/$fence/ctl" && tell_waited "$runs/$1/$fence/ctl"; }
    [ "$state" != ended ] || { tell_end "$runs/$1/$fence/ctl" && tell_stage "$runs/$1/$fence"; }
  fi
  finished
}
