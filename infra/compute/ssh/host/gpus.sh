
# --- GPUs that several installations use --------------------------------------------------------------------------

# A lock is a file of one installation, and user of it, for one GPU; a flock process holds it as long as a supervisor of that installation
# lives there, and takes the supervisor along where it is killed itself. Users share the folder: others' files are opened
# for reading only, since the kernel may refuse to open them in any way that could make them (fs.protected_regular).
gpu_locks=/tmp/.perpetua-gpus

# Waits until nobody else looks at the locks, or takes one; descriptor 9 holds the gate.
shut_gate() {
  shared_folder "$gpu_locks"
  [ -e "$gpu_locks/gate" ] || readable_file "$gpu_locks/gate"
  [ -r "$gpu_locks/gate" ] || fail host "GPU locks: expected to read $gpu_locks/gate"
  exec 9<"$gpu_locks/gate"
  clock
  gate_then=$((now + 3000))
  until flock -n 9; do
    beat
    [ "$now" -lt "$gate_then" ] || fail host "GPU locks: expected to get $gpu_locks/gate within 30 s"
    sleep 0.05
  done
}

# shared_folder PATH: where everybody may add files, and remove only their own
shared_folder() {
  [ -d "$1" ] || problem=$(mkdir -m 1777 -- "$1" 2>&1) || [ -d "$1" ] || fail host "GPU locks: $problem"
}

readable_file() { (umask 022 && : >"$1") 2>/dev/null; }

# own_lock GPU -> lock: our file; where another user of our installation has made that, one with our number
own_lock() {
  lock=$gpu_locks/$1/$installation
  [ ! -e "$lock" ] || [ -O "$lock" ] || lock=$lock.$(id -u)
}

# holder_of GPU -> other, lock: another installation, or user of ours, that holds it, and our file; asked behind the gate
holder_of() {
  other=
  own_lock "$1"
  for file in "$gpu_locks/$1"/*; do
    [ -r "$file" ] && [ "$file" != "$lock" ] || continue
    # Ours from when another user's was there, which somebody has removed.
    case ${file##*/} in "$installation".*) [ ! -O "$file" ] || continue ;; esac
    flock -n -x 8 8<"$file" || other=${file##*/}
  done
}

# whose_lock NAME: in words
whose_lock() {
  case ${1%.*} in
    "$installation") echo "another user of this installation of Perpetua" ;;
    *) echo "another installation of Perpetua ($1)" ;;
  esac
}

# require_gpus GPU...: fails where another installation holds one of them
require_gpus() {
  shut_gate
  for gpu in "$@"; do
    case $gpu in '' | *[!A-Za-z0-9-]*) fail usage "GPU locks: expected a UUID, got $gpu" ;; esac
    shared_folder "$gpu_locks/$gpu"
    holder_of "$gpu"
    [ -z "$other" ] || fail gpu "$gpu is held by $(whose_lock "$other")"
    readable_file "$lock" || fail gpu "expected to write in $gpu_locks/$gpu, which another user has made"
  done
  exec 9<&-
}

# holders_of GPU... -> holders: the words before a command that hold these locks as long as it lives
holders_of() {
  bound=
  # Not every setpriv has it (busybox, old ones).
  ! setpriv --pdeathsig KILL true 2>/dev/null || bound='setpriv --pdeathsig KILL'
  for gpu in "$@"; do
    own_lock "$gpu"
    holders="$holders flock -s $lock $bound"
  done
}

# guard CONTROL GPU...: a supervisor whose locks are held by now; two launches may have seen these GPUs free at once
verb_guard() {
  control=$1
  shift
  require_gpus "$@"
  exec /bin/sh "$home/bin/$supervisor_name" "$control"
}

# Says which GPUs other installations hold.
tell_held_gpus() {
  [ -d "$gpu_locks" ] || return 0
  shut_gate
  for gpu in "$gpu_locks"/*/; do
    gpu=${gpu%/}
    gpu=${gpu##*/}
    holder_of "$gpu"
    # One that we may not lock is as good as held: another user has made its folder.
    [ -z "$other" ] && [ -w "$gpu_locks/$gpu" ] || tell held "$gpu"
  done
  exec 9<&-
}
