
# --- stages and launches ------------------------------------------------------------------------------------------

# unpack FOLDER: unpacks the caller's files. The stream is complete only if its last file came.
unpack() {
  problem=$(tar -xof - -C "$1" 2>&1 >/dev/null) || abandon "$1" "tar: $problem"
  [ -e "$1/whole" ] || abandon "$1" 'the stream ended early'
}

abandon() {
  remove_tree "$1"
  fail host "$2"
}

# place FOLDER TARGET: renames the folder. If another call was faster, the target holds the same files.
place() {
  problem=$(mv -- "$1" "$2" 2>&1)
  # If the target existed already, mv has moved the folder into it.
  for stray in "$2/${1##*/}" "$1"; do [ ! -d "$stray" ] || remove_tree "$stray"; done
  [ -d "$2" ] || fail host "mv: $problem"
}

verb_staged() {
  # The touch keeps the stage from expiring.
  [ ! -d "$home/stages/$1" ] || { touch -- "$home/stages/$1" && tell yes ''; }
  finished
}

# stage HASH: receives a stage: files/, a manifest of lines "SHA-256 SIZE PATH", and their count
verb_stage() {
  target=$home/stages/$1
  if [ ! -d "$target" ]; then
    temporary=$home/stages/.tmp-$me-$birth
    try 'stage' mkdir -p "$temporary/files" "$temporary/data"
    printf 'send 0\n'
    # A run with a user of its own reaches the data; only the worker's user reads the rest.
    chmod 711 "$temporary"
    chmod 755 "$temporary/data"
    umask 022
    unpack "$temporary"
    umask 077
    try 'stage' keep_executable
    place "$temporary" "$target"
  fi
  finished
}

# keep_executable: reduces the list of executable files to those that this disk lets be executable
keep_executable() {
  executable_in "$temporary/files" "$temporary/executable" yes >"$temporary/executable.kept" &&
    mv -- "$temporary/executable.kept" "$temporary/executable"
}

# executable_in FOLDER LIST yes|no: prints the paths of the list that are executable in the folder, or that are not
executable_in() {
  while IFS= read -r path; do
    is=no
    [ ! -x "$1/$path" ] || is=yes
    [ "$is" != "$3" ] || printf '%s\n' "$path"
  done <"$2"
}

# launch RUN FENCE STAGE UID KEEP-SECONDS CACHE-KB [GPU...]: safe to repeat
verb_launch() {
  run=$runs/$1 wanted_fence=$2 stage=$home/stages/$3 uid=$4 keep=$5 cache_kb=$6
  shift 6
  current "$run"
  case $state in
    running | ended) finished && return 0 ;;
    # A lost run may start again, but only under a higher fence.
    lost) [ "$wanted_fence" -gt "$fence" ] || { finished && return 0; } ;;
  esac
  attempt=$run/$wanted_fence
  [ -d "$attempt" ] || make_attempt
  [ $# = 0 ] || require_gpus "$@"
  start "$attempt/ctl" /bin/sh "$0" '' '' "$installation" tend "$keep" "$cache_kb" "$attempt/ctl" "$@"
  await_claim "$attempt/ctl"
  finished
}

# make_attempt: starts few programs, since each one costs time of a slot.
make_attempt() {
  [ -d "$stage" ] || fail stage "${stage##*/}"
  temporary=$run/.tmp-$me-$birth
  try 'run directory' mkdir -p "$temporary/new" "$temporary/tmp" "$temporary/root"
  printf 'send 0\n'
  unpack "$temporary"
  name_machine
  printf '%s\n' "$machine" >"$temporary/machine"
  umask 022
  # Descriptor 8 holds the stage that is copied, even if another stage takes its path.
  command exec 8<"$stage" || fail stage "${stage##*/}"
  data_is_whole "$stage" || copy_failed
  with_beats noting copy_stage || copy_failed
  # The check comes after the copy: a cleaner may delete files of the stage during the copy, and the copy must be
  # complete.
  is_whole "$temporary/work" "$temporary/manifest" && has_no_stray "$temporary/work" || copy_failed
  exec 8<&-
  with_beats noting lay_all_over || refuse_files
  umask 077
  place "$temporary" "$attempt"
}

# data_is_whole STAGE -> lost: true if all data that its setup made for runs is there, by the names at the top
data_is_whole() {
  lost=data
  [ -d "$1/data" ] || return 1
  [ -r "$1/prepared-data" ] || return 0
  while IFS= read -r name; do
    lost=data/$name
    [ -e "$1/data/$name" ] || [ -L "$1/data/$name" ] || return 1
  done <"$1/prepared-data"
}

# is_whole FOLDER MANIFEST: true if all files of the list exist, and are executable as before. A program that cleans the
# host may have deleted files and left folders, which must not fail a candidate. Files that the task's own setup removed
# may be missing.
is_whole() {
  [ -d "$1" ] && [ -r "$2" ] || return 1
  gone=
  [ ! -s "$stage/prepared" ] || gone=$newline$(cat "$stage/prepared")$newline
  # Runs no program, since a setup may have added any number of files.
  rows=0
  while IFS= read -r row; do
    rows=$((rows + 1))
    path=${row#* }
    path=${path#* }
    is_there "$1" "$path" && continue
    case $gone in *"$newline$path$newline"*) ;; *) return 1 ;; esac
  done <"$2"
  # A stage of an older version has no count.
  [ ! -s "$stage/count" ] || { read -r count <"$stage/count" && [ "$count" = "$rows" ]; } || return 1
  # It has no list of executable files either.
  [ -r "$stage/executable" ] || return 0
  while IFS= read -r path; do
    [ -x "$1/$path" ] && continue
    case $gone in *"$newline$path$newline"*) ;; *) return 1 ;; esac
  done <"$stage/executable"
}

# has_no_stray FOLDER: true if it has as many files as were staged ($rows, from is_whole), or as a setup left, if the
# setup counted them
has_no_stray() {
  wanted=$rows
  if [ -e "$stage/prepared" ]; then
    [ -s "$stage/prepared-count" ] || return 0
    read -r wanted <"$stage/prepared-count"
  fi
  counted=$(count_files "$1")
  # If this host could not count, that is no damage.
  [ $((${counted:-0})) = 0 ] || [ $((counted)) = "$wanted" ]
}

# count_files FOLDER: skips names under which network file systems keep deleted files that are still open.
count_files() { find "$1" \( -type f -o -type l \) ! -name '.nfs*' -print0 2>/dev/null | tr -cd '\000' | wc -c; }

# is_there FOLDER PATH: also true if a setup replaced the file, or a folder above it, by a link. In a copy, the link may
# lead elsewhere.
is_there() {
  [ ! -f "$1/$2" ] || return 0
  above=$2
  while [ ! -L "$1/$above" ]; do
    [ "$above" != "${above%/*}" ] || return 1
    above=${above%/*}
  done
}

# copy_failed: a stage that is not complete must be staged again. Any other reason is the host's fault.
copy_failed() {
  why=${problem:-expected all files of the stage in its copy}
  remove_tree "$temporary"
  judged=$(id_of "$stage")
  [ "$stage" -ef /proc/self/fd/8 ] || fail stage "${stage##*/}"
  is_whole "$stage/files" "$stage/manifest" && has_no_stray "$stage/files" && data_is_whole "$stage" || give_up_stage
  fail host "run directory: $why"
}

# give_up_stage: sets $stage aside, whose id was $judged, and fails
give_up_stage() {
  set_aside "$judged" || [ ! -d "$stage" ] || fail host "stage: $problem"
  fail stage "${stage##*/}"
}

# set_aside ID: moves a damaged stage of that id away, so that no caller finds it. It is not deleted, since runs in a
# sandbox still use its folders. Other runs find the folders gone, which collect reports. The moved stage expires. If a
# setup is under way in the stage, does nothing: the next caller waits for that setup.
set_aside() {
  [ ! -e "$stage/setup.lock" ] || flock -n "$stage/setup.lock" true || return 0
  [ -n "$1" ] && is_stage "$stage" "$1" || return 0
  problem=$(touch -- "$stage" 2>&1 && mv -- "$stage" "$home/stages/.damaged-$1-${stage##*/}" 2>&1) || return 1
  with_beats drop_others "${stage##*/}" "$1"
  return 0
}

# drop_others HASH ID: removes stages of that hash that were set aside before. Otherwise a host that damages each stage
# would fill its disk.
drop_others() (
  clock_seconds=$(date +%s)
  expire_damaged 0 "$@" >/dev/null
)

# id_of STAGE: prints the id of a stage, wherever it lies. For a stage of an older version, prints the inode number of
# its folder, although the file system may reuse that at once.
id_of() {
  own_id_of "$1"
  if [ -n "$own_id" ]; then printf '%s\n' "$own_id"; else inode_of "$1"; fi
}

# own_id_of STAGE -> own_id; empty if the stage has no id, or a truncated one, since the id becomes part of a path
own_id_of() {
  own_id=
  [ ! -r "$1/stage-id" ] || IFS= read -r own_id <"$1/stage-id"
  [ ${#own_id} = 32 ] || own_id=
  case $own_id in *[!0-9a-f]*) own_id= ;; esac
}

# is_stage FOLDER ID: true if that stage lies there. A short id is an inode number.
is_stage() {
  if [ ${#2} -lt 32 ]; then
    [ "$(inode_of "$1")" = "$2" ]
  else
    own_id_of "$1"
    [ "$own_id" = "$2" ]
  fi
}

# is_used STAGE: true if a run was made from it, by its id, or by its inode number if it has no id
is_used() {
  names_in stage-id
  case $names in *" $(id_of "$1") "*) ;; *) return 1 ;; esac
}

# inode_of FOLDER: prints its inode number, which stays the same when the folder is moved
inode_of() { stat -c %i -- "$1" 2>/dev/null; }

# copy_stage: copies the stage, in shared blocks if the file system can do so
copy_stage() {
  id_of "$stage" >"$temporary/stage-id"
  copy_files "$temporary/work" || return 1
  cp -- "$stage/manifest" "$temporary/manifest"
}

# copy_files FOLDER: copies the files of $stage
copy_files() {
  cp -RP --reflink=auto "$stage/files" "$1" 2>/dev/null || {
    rm -rf "$1"
    cp -RP "$stage/files" "$1"
  }
}

# lay_all_over: moves the candidate's files, which came into new/, over those of the stage
lay_all_over() {
  while IFS= read -r path; do lay_over "$path" || return 1; done <"$temporary/mutable"
  [ "$uid" != - ] || return 0
  # Other users may pass through the folders above their own, but cannot list them.
  chown -R "$uid:$uid" "$temporary/work" "$temporary/tmp" && chmod 711 "$run" "$temporary"
}

# refuse_files: if the setup left something else at the path of a mutable file, the task is at fault, not the host.
refuse_files() {
  remove_tree "$temporary"
  case $problem in 'file path: '*) fail setup "$problem" ;; esac
  fail host "run directory: $problem"
}

# lay_over PATH: moves one file of the candidate into place. A link among its folders would lead out of the run
# directory.
lay_over() {
  rest=$1 at=$temporary/work
  while [ "$rest" != "${rest#*/}" ]; do
    at=$at/${rest%%/*}
    rest=${rest#*/}
    if [ -L "$at" ] || { [ -e "$at" ] && [ ! -d "$at" ]; }; then
      echo "file path: $1 leads through a link, or a part of it is not a folder"
      return 1
    fi
    [ -d "$at" ] || mkdir "$at" || return 1
  done
  at=$at/$rest
  [ -L "$at" ] || [ ! -d "$at" ] || {
    echo "file path: $1 is a folder of the stage"
    return 1
  }
  # Otherwise mv would move the file into the folder that a link leads to.
  [ ! -L "$at" ] || rm -f -- "$at"
  # The file keeps the mode of the file that it replaces.
  [ ! -x "$at" ] || chmod 755 -- "$temporary/new/$1" || return 1
  mv -f -- "$temporary/new/$1" "$at"
}

# start CONTROL COMMAND... -> supervisor: starts it detached from this connection
start() {
  log=$1/supervisor.log
  shift
  env -i "PATH=$system_path" setsid "$@" </dev/null >>"$log" 2>&1 &
  supervisor=$!
}

# await_claim CONTROL: waits until this supervisor, or a faster one, has started the run
await_claim() {
  clock
  claim_then=$((now + 3000))
  code=
  while :; do
    left=0
    still_runs "$supervisor" || left=1
    control_state "$1"
    case $state in running | ended | lost) return 0 ;; esac
    if [ "$left" = 1 ]; then
      # A shell forgets a process that it has waited for, so the code is kept. A faster supervisor may have claimed the
      # run without starting it yet.
      [ -n "$code" ] || { wait "$supervisor" && code=0 || code=$?; }
      # Another installation took the GPU a moment ago.
      ! grep -qs 'fail [0-9]* gpu' "$1/supervisor.log" || fail gpu "$(tail -n 1 "$1/supervisor.log")"
      # The supervisor gave its claim back: another fence holds the run.
      [ "$code" != 0 ] || [ "$state" != staged ] || return 0
      [ "$code" = 0 ] || fail host "supervisor: expected it to claim $1; exit code $code: $(tail -n 3 "$1/supervisor.log")"
    fi
    beat
    [ "$now" -lt "$claim_then" ] || fail host "supervisor: expected it to claim $1 within 30 s"
    sleep 0.01
  done
}

# try UID ID: runs a control directory to its end, to test a confinement on this host
verb_try() {
  temporary=$home/try/$2
  try 'scratch' mkdir -p "$temporary/0/work" "$temporary/0/tmp" "$temporary/0/root"
  printf 'send 0\n'
  unpack "$temporary/0"
  [ "$1" = - ] || chown "$1" "$temporary/0/work"
  start "$temporary/0/ctl" /bin/sh "$home/bin/$supervisor_name" "$temporary/0/ctl"
  while still_runs "$supervisor"; do
    beat
    sleep 0.02
  done
  read_end "$temporary/0/ctl" && tell_end "$temporary/0/ctl"
  remove_tree "$temporary"
  finished
}
