
# --- what nobody will ask for any more ------------------------------------------------------------------------------

# tend KEEP-SECONDS CACHE-KB CONTROL [GPU...]: runs a supervisor that holds these GPUs. Removes what has expired, before
# and after it, since the worker that would do so may be gone for good.
verb_tend() {
  keep=$1 cache_kb=$2 control=$3 expired=$home/.expired-$installation
  shift 3
  (expire) >/dev/null 2>&1 &
  if [ $# = 0 ]; then
    /bin/sh "$home/bin/$supervisor_name" "$control"
  else
    holders_of "$@"
    # The process that holds the locks may outlive the run directory.
    ! will_be_asked "$control" || exec >/dev/null 2>&1
    # shellcheck disable=SC2086
    $holders /bin/sh "$0" '' '' "$installation" guard "$control" "$@"
  fi
  code=$?
  (expire) >/dev/null 2>&1
  exit "$code"
}

# expire KEEP-SECONDS CACHE-KB: removes at once what has expired
verb_expire() {
  keep=$1 cache_kb=$2 expired=$home/.expired-$installation
  expire_all
  finished
}

# expire: removes what has expired, at most once an hour
expire() {
  clock_seconds=$(date +%s)
  # A time in the future is from before the clock was set.
  [ ! -e "$expired" ] || is_older "$expired" 3600 || ! is_older "$expired" 0 || return 0
  expire_all
}

# expire_all: one at a time for each installation. For the stages, which installations share, one at a time for the
# host.
expire_all() {
  exec 9>>"$expired"
  flock -n 9 || return 0
  clock_seconds=$(date +%s)
  touch -- "$expired"
  for run in "$runs"/*; do
    [ -d "$run" ] && is_expired "$run" || continue
    problem=$(sweep_one "$run") || tell failed "$problem" "${run##*/}"
  done
  exec 9>>"$home/.expired-stages"
  flock -n 9 || return 0
  expire_stages
}

# is_expired RUN-DIRECTORY: true if nothing in it began or ended since. A run that its supervisor watches stays, however
# old. So does a run that another machine may run in a shared scratch folder, for 30 days more: only a server runs for
# longer, and its supervisor writes `usage` twice a second.
is_expired() {
  is_older "$1" "$keep" || return 1
  name_machine
  for attempt in "$1"/*/machine; do
    theirs=$machine
    [ ! -s "$attempt" ] || IFS= read -r theirs <"$attempt"
    [ "$theirs" = "$machine" ] || is_older "$1" $((keep + 2592000)) || return 1
    usage=${attempt%machine}ctl/usage
    [ ! -e "$usage" ] || is_older "$usage" "$keep" || return 1
  done
  for control in "$1"/*/ctl "$1"/*/talk-*/ctl; do
    [ -d "$control" ] || continue
    control_state "$control"
    case $state in running | claiming) return 1 ;; esac
    [ ! -e "$control/ended.json" ] || is_older "$control/ended.json" "$keep" || return 1
  done
}

# If dry is 1, nothing is removed. Then swept names run directories that would be removed; taken names incomplete and
# damaged stages that would be, and taken_kb is their size.
dry=0 swept=' ' taken=' ' taken_kb=0

# expire_stages: removes stages, the least recently used first, until the rest fits. Keeps stages that a run directory
# names, that were used within the hour, or whose setup is under way.
expire_stages() {
  expire_damaged "$keep"
  ! all_fit || return 0
  expire_damaged 3600
  ! all_fit || return 0
  names_in stage
  used=$names
  names_in environment
  used=$used$names
  # Names are hashes, so that ls is safe here.
  # shellcheck disable=SC2012
  for name in $(ls -1tr "$home/stages"); do
    stage=$home/stages/$name
    case $used in *" $name "*) continue ;; esac
    [ -d "$stage" ] && is_older "$stage" 3600 || continue
    # The lock is checked only if its file exists: making it would make the stage young.
    [ ! -e "$stage/setup.lock" ] || flock -n "$stage/setup.lock" true || continue
    freed=$(size_kb "$stage")
    # Renamed first, so that no caller finds an incomplete stage.
    [ "$dry" = 1 ] || { mv -- "$stage" "$home/stages/.tmp-$me-$birth" && remove_tree "$home/stages/.tmp-$me-$birth"; } || continue
    tell trimmed '' "$name" "$freed"
    total=$((total - freed))
    [ "$total" -gt "$cache_kb" ] || return 0
  done
}

# all_fit -> total: true if all stages fit into the cache
all_fit() {
  total=$(($(size_kb "$home/stages") - taken_kb))
  [ "$total" -le "$cache_kb" ]
}

# expire_damaged SECONDS [HASH ID]: removes stages that were set aside that long ago and that no run directory was made
# from. With HASH, only stages of that hash, except the one with that ID.
expire_damaged() {
  made_from='' unknown=''
  for stage in "$home/stages"/.damaged-*; do
    one=${stage##*/.damaged-}
    case ${2:-} in '' | "${one#*-}") ;; *) continue ;; esac
    [ "${one%%-*}" != "${3:-}" ] || continue
    [ -d "$stage" ] && is_older "$stage" "$1" || continue
    [ -n "$made_from" ] || note_made_from
    case $made_from in *" ${one%%-*} "* | *" $(inode_of "$stage") "*) continue ;; esac
    case $unknown in *" ${one#*-} "*) ;; *) take_damaged "$stage" ;; esac
  done
}

# take_damaged STAGE: removes a damaged or incomplete stage, or notes it in a dry run, and reports its kB
take_damaged() {
  case $taken in *" ${1##*/} "*) return 0 ;; esac
  freed=$(size_kb "$1")
  if [ "$dry" = 1 ]; then
    taken="$taken${1##*/} " taken_kb=$((taken_kb + freed))
  else
    remove_tree "$1" || return 0
  fi
  tell dropped '' "${1##*/}" "$freed"
}

# note_made_from -> made_from: ids of stages that run directories were made from, or are being made from; inode numbers,
# for an older version. unknown: hashes alone, for a version older still.
note_made_from() {
  names_in stage-id
  made_from=$names
  names_in stage-inode
  made_from=$made_from$names unknown=' '
  for file in "$home"/runs/*/*/*/stage; do
    [ -s "$file" ] && [ ! -s "$file-id" ] && [ ! -s "$file-inode" ] && ! is_swept "$file" && read -r name <"$file" &&
      unknown="$unknown$name "
  done
}

# names_in FILE -> names: content of that file in all attempts, except those that would be swept. Runs no program: the
# paths may be more than one command line can hold.
names_in() {
  names=' '
  for file in "$home"/runs/*/*/*/"$1" "$home"/runs/*/*/.tmp-*/"$1"; do
    [ -s "$file" ] && read -r name <"$file" || continue
    case $names in *" $name "*) continue ;; esac
    is_swept "$file" || names="$names$name "
  done 2>/dev/null
}

# is_swept FILE: true if the file lies in a run directory that would be removed
is_swept() {
  [ "$swept" != ' ' ] || return 1
  rest=${1#"$runs"/}
  [ "$rest" != "$1" ] || return 1
  case $swept in *" ${rest%%/*} "*) ;; *) return 1 ;; esac
}

size_kb() {
  size=$(du -skx -- "$1/." 2>/dev/null)
  size=${size%%[!0-9]*}
  echo "${size:-0}"
}
