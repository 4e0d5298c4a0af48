
# --- GPUs that several installations use --------------------------------------------------------------------------

# A lock is a file of one installation for one GPU, in a folder that only its user can write. A flock process holds the
# lock as long as a supervisor of that installation lives, and kills the supervisor if it is killed itself. This script
# neither writes nor follows as a link any file that another user may have made. It opens the locks of others for
# reading only.
gpu_locks=/tmp/.perpetua-gpus

# shut_gate -> locker (number of this user): waits until no other process checks or takes a lock. Descriptor 9 holds the
# gate.
shut_gate() {
  locker=$(id -u)
  [ -d "$gpu_locks" ] || problem=$(mkdir -m 1777 -- "$gpu_locks" 2>&1) || [ -d "$gpu_locks" ] || fail host "GPU locks: $problem"
  [ ! -L "$gpu_locks" ] || fail host "GPU locks: expected a folder, got a link at $gpu_locks"
  [ -e "$gpu_locks/gate" ] || [ -L "$gpu_locks/gate" ] || new_file "$gpu_locks/gate"
  is_file "$gpu_locks/gate" || fail host "GPU locks: expected to read the file $gpu_locks/gate"
  exec 9<"$gpu_locks/gate"
  clock
  gate_then=$((now + 3000))
  until flock -n 9; do
    beat
    [ "$now" -lt "$gate_then" ] || fail host "GPU locks: expected to get $gpu_locks/gate within 30 s"
    sleep 0.05
  done
}

# new_file FILE: makes a file that every user may read; fails if it exists
new_file() { (umask 022 && set -C && : >"$1") 2>/dev/null; }
is_file() { [ -f "$1" ] && [ ! -L "$1" ] && [ -r "$1" ]; }
is_ours_or_free() { is_own_folder "$1" || { [ ! -e "$1" ] && [ ! -L "$1" ]; }; }
is_own_folder() { [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ]; }

# own_lock GPU -> lock: this installation's file, made if it is missing; 1 if another user has taken its path
own_lock() {
  lock=$gpu_locks/$locker/$1/$installation
  for folder in "$gpu_locks/$locker" "$gpu_locks/$locker/$1"; do
    [ -e "$folder" ] || [ -L "$folder" ] || mkdir -m 755 -- "$folder" 2>/dev/null
    is_own_folder "$folder" || return 1
  done
  is_file "$lock" || new_file "$lock"
}

# holder_of GPU -> other: lock of another installation, or of another user of this one, that holds the GPU. Needs the
# gate. Older versions had no folder for each user.
holder_of() {
  other=
  for file in "$gpu_locks"/[0-9]*/"$1"/* "$gpu_locks/$1"/*; do
    is_file "$file" && [ ! -L "${file%/*}" ] || continue
    case ${file##*/} in "$installation" | "$installation.$locker") [ ! -O "$file" ] || continue ;; esac
    flock -n -x 8 8<"$file" || other=$file
  done
}

# whose_lock FILE: prints the holder of a lock as a phrase
whose_lock() {
  case ${1##*/} in
    fleet-check) echo 'a short run of perpetua fleet check; try again in a moment' ;;
    "$installation") echo "another user of this installation of Perpetua" ;;
    *) echo "another installation of Perpetua (${1##*/})" ;;
  esac
}

# require_gpus GPU...: fails if another installation holds one of them
require_gpus() {
  shut_gate
  for gpu in "$@"; do
    case $gpu in '' | *[!A-Za-z0-9-]*) fail usage "GPU locks: expected a UUID, got $gpu" ;; esac
    holder_of "$gpu"
    [ -z "$other" ] || fail gpu "$gpu is held by $(whose_lock "$other")"
    own_lock "$gpu" || fail gpu "GPU locks: expected to write $lock; another user made that path"
  done
  exec 9<&-
}

# gpus_of ATTEMPT -> gpus: GPUs that a run was given; empty for a run of an older version
gpus_of() {
  gpus=
  [ ! -s "$1/gpus" ] || gpus=$(tr '\n' ' ' <"$1/gpus")
}

# find_bound -> bound: words before a command that must die with its parent. Some versions of setpriv lack the option
# (busybox, old ones).
find_bound() {
  bound=
  ! setpriv --pdeathsig KILL true 2>/dev/null || bound='setpriv --pdeathsig KILL'
}

# holders_of GPU... -> holders: words before a command that hold these locks as long as the command lives
holders_of() {
  holders=
  find_bound
  locker=$(id -u)
  for gpu in "$@"; do holders="$holders flock -s $gpu_locks/$locker/$gpu/$installation $bound"; done
}

# guard CONTROL GPU...: runs a supervisor whose locks are held already. Checks the GPUs again, since two launches may
# have found them free at once.
verb_guard() {
  control=$1
  shift
  ! will_be_asked "$control" || exec >>"$control/supervisor.log" 2>&1
  require_gpus "$@"
  case $control in
    # The output of the conversation goes to the caller; the output of this script did not.
    */talk-*/ctl) exec /bin/sh "$home/bin/$supervisor_name" "$control" >&6 2>&7 6>&- 7>&- ;;
  esac
  will_be_asked "$control" || exec /bin/sh "$home/bin/$supervisor_name" "$control"
  find_bound
  $bound /bin/sh "$home/bin/$supervisor_name" "$control"
  code=$?
  await_questions
  exit "$code"
}

# will_be_asked CONTROL: true for a run with which an evaluator talks after its end
will_be_asked() { [ -e "${1%/ctl}/asked" ]; }

# await_questions: keeps the locks after the end of such a run, so that no other run takes its GPUs before the
# conversation. Ends when the run is removed, or after a quarter of an hour, since the worker may be gone. No file of
# the run directory stays open.
await_questions() {
  exec >/dev/null 2>&1
  read_end "$control" || return 0
  # No conversation follows a run that failed or was stopped.
  case $end in *'"reason":"exit","code":0,'*) ;; *) return 0 ;; esac
  clock
  questions_then=$((now + 90000))
  while [ -d "$control" ] && [ "$now" -lt "$questions_then" ]; do
    sleep 0.3
    clock
  done
}

# tell_held_gpus: reports the GPUs that others hold. A GPU that cannot be locked counts as held.
tell_held_gpus() {
  [ -d "$gpu_locks" ] || return 0
  shut_gate
  told=' '
  for folder in "$gpu_locks"/[0-9]*/*/ "$gpu_locks"/[!0-9]*/; do
    gpu=${folder%/}
    gpu=${gpu##*/}
    case $told in *" $gpu "*) continue ;; esac
    told="$told$gpu "
    holder_of "$gpu"
    [ -z "$other" ] && is_ours_or_free "$gpu_locks/$locker" && is_ours_or_free "$gpu_locks/$locker/$gpu" || tell held "$gpu"
  done
  exec 9<&-
}
