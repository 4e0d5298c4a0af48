
# --- stages and launches ------------------------------------------------------------------------------------------

# unpack FOLDER: the caller's files, in one stream that is whole only if its last one came
unpack() {
  problem=$(tar -xof - -C "$1" 2>&1 >/dev/null) || abandon "$1" "tar: $problem"
  [ -e "$1/whole" ] || abandon "$1" 'the stream ended early'
}

abandon() {
  remove_tree "$1"
  fail host "$2"
}

# place FOLDER TARGET: by rename; where somebody was faster, what lies there is the same
place() {
  problem=$(mv -- "$1" "$2" 2>&1)
  # A target that was there already has taken the folder in.
  for stray in "$2/${1##*/}" "$1"; do [ ! -d "$stray" ] || remove_tree "$stray"; done
  [ -d "$2" ] || fail host "mv: $problem"
}

verb_staged() {
  # What was asked for does not expire.
  [ ! -d "$home/stages/$1" ] || { touch -- "$home/stages/$1" && tell yes ''; }
  finished
}

# stage HASH: files/, a manifest of lines "SHA-256 SIZE PATH", and their count
verb_stage() {
  target=$home/stages/$1
  if [ ! -d "$target" ]; then
    temporary=$home/stages/.tmp-$me-$birth
    try 'stage' mkdir -p "$temporary/files" "$temporary/data"
    printf 'send 0\n'
    chmod 755 "$temporary" "$temporary/files" "$temporary/data"
    umask 022
    unpack "$temporary"
    umask 077
    try 'stage' keep_executable
    place "$temporary" "$target"
  fi
  finished
}

# keep_executable: of the files that are to be executable, those that this disk lets be
keep_executable() {
  executable_in "$temporary/files" "$temporary/executable" yes >"$temporary/executable.kept" &&
    mv -- "$temporary/executable.kept" "$temporary/executable"
}

# executable_in FOLDER LIST yes|no: paths of a list that may be executed in a folder, or may not
executable_in() {
  while IFS= read -r path; do
    is=no
    [ ! -x "$1/$path" ] || is=yes
    [ "$is" != "$3" ] || printf '%s\n' "$path"
  done <"$2"
}

# launch RUN FENCE STAGE UID KEEP-SECONDS CACHE-KB [GPU...]: harmless when repeated
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

# Each program that is started here costs a slot its time.
make_attempt() {
  [ -d "$stage" ] || fail stage "${stage##*/}"
  temporary=$run/.tmp-$me-$birth
  try 'run directory' mkdir -p "$temporary/new" "$temporary/tmp" "$temporary/root"
  printf 'send 0\n'
  unpack "$temporary"
  name_machine
  printf '%s\n' "$machine" >"$temporary/machine"
  umask 022
  # The stage that is copied, whatever comes to its place meanwhile.
  command exec 8<"$stage" || fail stage "${stage##*/}"
  data_is_whole "$stage" || copy_failed
  with_beats noting copy_stage || copy_failed
  # What may take files of a stage does not wait for a copy: the copy is what has to be whole.
  is_whole "$temporary/work" "$temporary/manifest" && has_no_stray "$temporary/work" || copy_failed
  exec 8<&-
  with_beats noting lay_all_over || refuse_files
  umask 077
  place "$temporary" "$attempt"
}

# data_is_whole STAGE -> lost: is all there that its setup made for runs, by the names at the top?
data_is_whole() {
  lost=data
  [ -d "$1/data" ] || return 1
  [ -r "$1/prepared-data" ] || return 0
  while IFS= read -r name; do
    lost=data/$name
    [ -e "$1/data/$name" ] || [ -L "$1/data/$name" ] || return 1
  done <"$1/prepared-data"
}

# is_whole FOLDER MANIFEST: are all files of the list there, and executable as they were? Something that cleans the host may have
# taken some and left folders; no candidate is to fail for that. What the task's own setup took away is not asked for.
is_whole() {
  [ -d "$1" ] && [ -r "$2" ] || return 1
  gone=
  [ ! -s "$stage/prepared" ] || gone=$newline$(cat "$stage/prepared")$newline
  # No program for it, since a setup may have added any number of files.
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
  # Nor a list of what is to be executable.
  [ -r "$stage/executable" ] || return 0
  while IFS= read -r path; do
    [ -x "$1/$path" ] && continue
    case $gone in *"$newline$path$newline"*) ;; *) return 1 ;; esac
  done <"$stage/executable"
}

# has_no_stray FOLDER: has it as many files as were staged ($rows, of is_whole), or as a setup left, if that counted them?
has_no_stray() {
  wanted=$rows
  if [ -e "$stage/prepared" ]; then
    [ -s "$stage/prepared-count" ] || return 0
    read -r wanted <"$stage/prepared-count"
  fi
  counted=$(count_files "$1")
  # What this host could not count is no damage.
  [ $((${counted:-0})) = 0 ] || [ $((counted)) = "$wanted" ]
}

# Network file systems keep what is still open under such a name, for a while.
count_files() { find "$1" \( -type f -o -type l \) ! -name '.nfs*' -print0 2>/dev/null | tr -cd '\000' | wc -c; }

# is_there FOLDER PATH: a setup may have put a link in its place, or in that of a folder, which leads elsewhere in a copy.
is_there() {
  [ ! -f "$1/$2" ] || return 0
  above=$2
  while [ ! -L "$1/$above" ]; do
    [ "$above" != "${above%/*}" ] || return 1
    above=${above%/*}
  done
}

# A stage that is not whole is made again; any other reason is the host's.
copy_failed() {
  why=${problem:-expected all files of the stage in its copy}
  remove_tree "$temporary"
  judged=$(id_of "$stage")
  [ "$stage" -ef /proc/self/fd/8 ] || fail stage "${stage##*/}"
  is_whole "$stage/files" "$stage/manifest" && has_no_stray "$stage/files" && data_is_whole "$stage" || give_up_stage
  fail host "run directory: $why"
}

# Of $stage, whose id was $judged.
give_up_stage() {
  set_aside "$judged" || [ ! -d "$stage" ] || fail host "stage: $problem"
  fail stage "${stage##*/}"
}

# set_aside ID: takes a damaged stage out of the way, that one only, so that nobody finds it. Moved, not removed: a run in
# a sandbox has its folders still; any other finds them gone, which is told when it is collected. It expires. A setup that is
# under way in it is waited for, by who asks for it next.
set_aside() {
  [ ! -e "$stage/setup.lock" ] || flock -n "$stage/setup.lock" true || return 0
  [ -n "$1" ] && is_stage "$stage" "$1" || return 0
  problem=$(touch -- "$stage" 2>&1 && mv -- "$stage" "$home/stages/.damaged-$1-${stage##*/}" 2>&1) || return 1
  with_beats drop_others "${stage##*/}" "$1"
  return 0
}

# drop_others HASH ID: what was set aside before of that hash: a host that damages each one would fill its disk
drop_others() (
  clock_seconds=$(date +%s)
  expire_damaged 0 "$@" >/dev/null
)

# id_of STAGE: which one it is, wherever it lies; the number of its folder where an older version made it. Numbers are given to
# other folders at once.
id_of() {
  own_id_of "$1"
  if [ -n "$own_id" ]; then printf '%s\n' "$own_id"; else inode_of "$1"; fi
}

# own_id_of STAGE -> own_id; empty where it has none, or where it was cut: it becomes part of a path
own_id_of() {
  own_id=
  [ ! -r "$1/stage-id" ] || IFS= read -r own_id <"$1/stage-id"
  [ ${#own_id} = 32 ] || own_id=
  case $own_id in *[!0-9a-f]*) own_id= ;; esac
}

# is_stage FOLDER ID: does that one lie there? A short one is a number.
is_stage() {
  if [ ${#2} -lt 32 ]; then
    [ "$(inode_of "$1")" = "$2" ]
  else
    own_id_of "$1"
    [ "$own_id" = "$2" ]
  fi
}

# is_used STAGE: was some run made from it? By its id, or by its number where it has none.
is_used() {
  names_in stage-id
  case $names in *" $(id_of "$1") "*) ;; *) return 1 ;; esac
}

# The number of a folder, which stays when it is moved.
inode_of() { stat -c %i -- "$1" 2>/dev/null; }

# The stage, in shared blocks where the file system can.
copy_stage() {
  id_of "$stage" >"$temporary/stage-id"
  copy_files "$temporary/work" || return 1
  cp -- "$stage/manifest" "$temporary/manifest"
}

# copy_files FOLDER: those of $stage
copy_files() {
  cp -RP --reflink=auto "$stage/files" "$1" 2>/dev/null || {
    rm -rf "$1"
    cp -RP "$stage/files" "$1"
  }
}

# The candidate's files, which came into new/, over those of the stage.
lay_all_over() {
  while IFS= read -r path; do lay_over "$path" || return 1; done <"$temporary/mutable"
  [ "$uid" != - ] || return 0
  # Others may pass the folders above their own, and see nothing.
  chown -R "$uid:$uid" "$temporary/work" "$temporary/tmp" && chmod 711 "$run" "$temporary"
}

# What the setup made of the place of a mutable file is between the task and its setup, and no fault of the host.
refuse_files() {
  remove_tree "$temporary"
  case $problem in 'file path: '*) fail setup "$problem" ;; esac
  fail host "run directory: $problem"
}

# One of the candidate's files; a link among its folders would lead out of the run directory.
lay_over() {
  rest=$1 at=$temporary/work
  while [ "$rest" != "${rest#*/}" ]; do
    at=$at/${rest%%/*}
    rest=${rest#*/}
    if [ -L "$at" ] || { [ -e "$at" ] && [ ! -d "$at" ]; }; then
      echo "file path: $1 leads through a link, or through what is no folder"
      return 1
    fi
    [ -d "$at" ] || mkdir "$at" || return 1
  done
  at=$at/$rest
  [ -L "$at" ] || [ ! -d "$at" ] || {
    echo "file path: $1 is a folder of the stage"
    return 1
  }
  # Moved into what a link leads to otherwise.
  [ ! -L "$at" ] || rm -f -- "$at"
  # It keeps the mode of the file that it replaces.
  [ ! -x "$at" ] || chmod 755 -- "$temporary/new/$1" || return 1
  mv -f -- "$temporary/new/$1" "$at"
}

# start CONTROL COMMAND...: a supervisor, detached from this connection -> supervisor
start() {
  log=$1/supervisor.log
  shift
  env -i "PATH=$system_path" setsid "$@" </dev/null >>"$log" 2>&1 &
  supervisor=$!
}

# await_claim CONTROL: until the supervisor, or a faster one, has started the run
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
      # A shell forgets a process that it has waited for, and a faster one may have claimed the run and not begun it.
      [ -n "$code" ] || { wait "$supervisor" && code=0 || code=$?; }
      # Another installation took its GPU a moment ago.
      ! grep -qs 'fail [0-9]* gpu' "$1/supervisor.log" || fail gpu "$(tail -n 1 "$1/supervisor.log")"
      # It gave its claim back: another fence holds the run.
      [ "$code" != 0 ] || [ "$state" != staged ] || return 0
      [ "$code" = 0 ] || fail host "supervisor: expected it to claim $1; exit code $code: $(tail -n 3 "$1/supervisor.log")"
    fi
    beat
    [ "$now" -lt "$claim_then" ] || fail host "supervisor: expected it to claim $1 within 30 s"
    sleep 0.01
  done
}

# try UID: runs a control directory to its end, to see whether it works here
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
