
# --- the setup of a stage -----------------------------------------------------------------------------------------

# setup HASH ID FROM SECONDS PATH COMMAND...: starts the setup under this id, detached, or finds it again
# Reports "begun" once the setup has the lock, which admits one at a time; its log from offset FROM; then "result 0 CODE
# INDEX", if this setup ended.
# SECONDS: time after which another caller may kill the setup, since its worker has left it.
verb_setup() {
  stage=$home/stages/$1 id=$2 from=$3
  starts=0 begun=0
  while :; do
    [ -d "$stage" ] || fail stage "$1"
    # The pid file is written under the lock.
    [ "$begun" = 1 ] || [ ! -e "$stage/setup-$id.pid" ] || { begun=1 && tell begun ''; }
    over=0
    [ ! -e "$stage/setup-$id.result" ] || over=1
    send_log
    if [ "$over" = 1 ]; then
      read -r code index <"$stage/setup-$id.result"
      tell result '' "$code" "$index"
      break
    fi
    if ! owner_lives "$stage/setup-$id.pid"; then
      [ ! -e "$stage/prepared" ] || [ -e "$stage/setup-$id.result" ] || break
      [ -e "$stage/setup-$id.result" ] || start_setup "$@"
    fi
    beat
    sleep 0.1
  done
  finished
}

# start_setup: if another setup holds the lock, this one exits, and is started again later.
start_setup() {
  # On a full disk, each start fails.
  [ "$starts" -lt 3 ] || fail host "setup: expected it to run to its end: $(tail -n 3 "$stage/setup-runner.log")"
  starts=$((starts + 1))
  hash=$1
  shift 3
  env -i "PATH=$system_path" setsid /bin/sh "$0" '' '' "$installation" setup_run "$hash" "$id" "$@" \
    </dev/null >>"$stage/setup-runner.log" 2>&1 &
  runner=$!
  # The file may still name a runner that was killed.
  while still_runs "$runner" && ! owner_lives "$stage/setup-$id.pid" && [ ! -e "$stage/setup-$id.result" ]; do
    beat
    sleep 0.02
  done
  still_runs "$runner" && return 0
  wait "$runner"
  case $? in
    3)
      starts=$((starts - 1))
      sleep 0.3
      ;;
    # Another caller may have staged it again meanwhile.
    4)
      judged=$(id_of "$stage")
      is_to_set_up "$stage" || give_up_stage
      ;;
  esac
}

# is_to_set_up STAGE: false if the stage is incomplete, or if it lost its mark `prepared` after runs were made from it.
# These runs read the data of the earlier setup, so that no setup may run again under them.
is_to_set_up() {
  is_whole "$1/files" "$1/manifest" || return 1
  [ -e "$1/prepared" ] || ! is_used "$1"
}

send_log() {
  size_of "$stage/setup-$id.log"
  while [ "$from" -lt "$size" ]; do
    part=$((size - from))
    [ "$part" -le 65536 ] || part=65536
    printf 'out %d %d\n' "$part" "$from"
    tail -c "+$((from + 1))" "$stage/setup-$id.log" | head -c "$part"
    from=$((from + part))
  done
}

# setup_run HASH ID SECONDS PATH COMMAND...: the detached part. The commands are the task's, and trusted. They run
# without a sandbox, since they download.
verb_setup_run() {
  stage=$home/stages/$1 id=$2 longest=$3 path=$4
  shift 4
  exec 9>>"$stage/setup.lock"
  if ! problem=$(flock -n 9 2>&1); then
    # If the lock is held, flock prints nothing.
    [ -z "$problem" ] || { printf '%s\n' "$problem" >&2 && exit 71; }
    end_overdue
    exit 3
  fi
  [ ! -e "$stage/prepared" ] || exit 0
  # A setup that was killed left its commands running.
  kill_all scan_setup "$stage"
  # Files were deleted by a cleaner, or by a setup that did not complete.
  (is_to_set_up "$stage") || exit 4
  for owner in setup.owner "setup-$id.pid"; do
    printf '%s %s %s %s\n' "$me" "$birth" "$boot" "$longest" >"$stage/$owner.tmp" || exit 70
    mv "$stage/$owner.tmp" "$stage/$owner" || exit 70
  done
  # A call that ends the setup writes a result first, and then searches for this process.
  [ ! -e "$stage/setup-$id.result" ] || exit 0
  code=0 index=0
  # The log comes before the umask that the commands need: only the worker reads it.
  : >>"$stage/setup-$id.log" || exit 70
  umask 022
  cd "$stage/files" || exit 70
  for command in "$@"; do
    setsid env -i "PATH=$path" "HOME=$stage" LANG=C.UTF-8 PYTHONUNBUFFERED=1 "PERPETUA_DATA=$stage/data" \
      /bin/sh -c "exec 2>&1
$command" </dev/null >>"$stage/setup-$id.log" 2>&1 9>&- &
    wait $!
    code=$?
    [ "$code" = 0 ] || break
    index=$((index + 1))
  done
  umask 077
  # Another stage may have taken this path.
  [ "$stage/setup.lock" -ef /proc/self/fd/9 ] || exit 70
  if [ "$code" = 0 ]; then
    { note_left && mv "$stage/prepared.tmp" "$stage/prepared"; } || exit 70
  else
    kill_all scan_setup "$stage"
  fi
  [ ! -e "$stage/setup-$id.log" ] || ln -f "$stage/setup-$id.log" "$stage/setup.log"
  printf '%s %s\n' "$code" "$index" >"$stage/setup-$id.result.tmp" || exit 70
  mv "$stage/setup-$id.result.tmp" "$stage/setup-$id.result"
}

# end_overdue: kills a setup that is past its limit and that its worker has left. The next holder of the lock kills its
# commands.
end_overdue() {
  owner_lives "$stage/setup.owner" || return 0
  read -r _ _ _ owner_longest <"$stage/setup.owner"
  clock
  [ $((now - owner_start)) -le $((${owner_longest:-999999999} * 100)) ] || kill -KILL "$owner_pid" 2>/dev/null
}

# note_left: records what the setup made for runs. Also records files of the workspace that now differ from the stage.
# They count as made by the setup: each run reports them as changed.
note_left() {
  mkdir -p "$stage/data" || return 1
  (
    cd "$stage/data" || exit 1
    for name in * .[!.]*; do
      # Lists have one name a line.
      case $name in *"$newline"*) continue ;; esac
      [ ! -e "$name" ] && [ ! -L "$name" ] || printf '%s\n' "$name"
    done
  ) >"$stage/prepared-data" || return 1
  echo $(($(count_files "$stage/files"))) >"$stage/prepared-count" || return 1
  list_data "$stage" >"$stage/prepared-files" || return 1
  manifest=$stage/manifest mutable='' check=$stage/check-$me
  # The sleep of a beat must not keep the lock.
  find_changed "$stage/files" 2147483647 >/dev/null 9>&-
  [ ! -r "$stage/executable" ] || executable_in "$stage/files" "$stage/executable" no >>"$check.changed"
  mv "$check.changed" "$stage/prepared.tmp"
}

# list_data STAGE: prints files of its data as lines "SIZE - PATH", as many as can be compared quickly
list_data() {
  (cd "$1/data" && find . \( -type f -o -type l \) ! -name '.nfs*' ! -path "*$newline*" 2>/dev/null) |
    head -n 20000 | look_at_data "$1"
}

# look_at_data STAGE: prints the same for paths that it reads. Leaves out their times, since caches and locks are
# written.
look_at_data() {
  # Without any path, stat fails on most hosts.
  tr '\n' '\000' | (cd "$1/data" && xargs -0 stat -c '%s - %n' -- 2>/dev/null) || :
}

verb_prepared() {
  # An environment without its interpreter, which a person may remove at any time, is built again.
  case $1 in
    env*_*) [ ! -e "$home/stages/$1/prepared" ] || [ -e "$home/stages/$1/data/venv/bin/python" ] || rm -f -- "$home/stages/$1/prepared" ;;
  esac
  # The touch keeps the stage from expiring.
  [ ! -e "$home/stages/$1/prepared" ] || { touch -- "$home/stages/$1" && tell yes ''; }
  finished
}

# setup_kill HASH ID: kills that setup, and all processes that it started. Leaves other setups alone.
verb_setup_kill() {
  stage=$home/stages/$1
  # The result keeps a waiting caller from starting the setup again.
  printf '%s\n' '-1 0' >"$stage/setup-$2.result.tmp" && mv "$stage/setup-$2.result.tmp" "$stage/setup-$2.result"
  if owner_lives "$stage/setup-$2.pid"; then
    kill -KILL "$owner_pid"
    while owner_lives "$stage/setup-$2.pid"; do
      beat
      sleep 0.02
    done
    # Under the lock, no other setup runs. A setup that has the lock by now has killed what was left.
    exec 9>>"$stage/setup.lock"
    until flock -n 9; do
      ! owner_lives "$stage/setup.owner" || { finished && return 0; }
      beat
      sleep 0.02
    done
    [ -e "$stage/prepared" ] || kill_all scan_setup "$stage"
  fi
  finished
}

# scan_setup STAGE -> found: processes that have the stage as HOME, processes in a session that such a process leads,
# and all their children. Uses no stored pid, which may belong to another process by now.
scan_setup() {
  tagged=' '
  for file in $(grep -lsF -- "HOME=$1" /proc/[0-9]*/environ); do
    tr '\000' '\n' 2>/dev/null <"$file" | grep -qxF -- "HOME=$1" || continue
    file=${file#/proc/}
    tagged="$tagged${file%%/*} "
  done
  found=
  [ "$tagged" != ' ' ] || return 0
  table=
  for folder in /proc/[0-9]*; do
    stat_fields "$folder/stat"
    # shellcheck disable=SC2086
    set -- $fields
    case ${1:-Z} in Z | X) continue ;; esac
    table="$table ${folder#/proc/}:$2:$4"
  done
  members=$tagged
  for row in $table; do
    case $tagged in *" ${row##*:} "*) add_member "${row%%:*}" ;; esac
  done
  grown=1
  while [ "$grown" = 1 ]; do
    grown=0
    for row in $table; do
      parent=${row#*:}
      case $members in *" ${parent%%:*} "*) add_member "${row%%:*}" ;; esac
    done
  done
  for member in $members; do add_living "$member"; done
}

add_member() {
  case $members in *" $1 "*) return 0 ;; esac
  members="$members$1 "
  grown=1
}
