
# --- what nobody will ask for any more ------------------------------------------------------------------------------

# tend KEEP-SECONDS CACHE-KB CONTROL [GPU...]: a supervisor, which holds these GPUs; before and after it, what is expired
# is cleaned, since who could ask for that may be gone for good
verb_tend() {
  keep=$1 cache_kb=$2 control=$3 expired=$home/.expired-$installation
  shift 3
  (expire) >/dev/null 2>&1 &
  if [ $# = 0 ]; then
    /bin/sh "$home/bin/$supervisor_name" "$control"
  else
    holders_of "$@"
    # Who holds the locks may stay when the run is removed.
    ! will_be_asked "$control" || exec >/dev/null 2>&1
    # shellcheck disable=SC2086
    $holders /bin/sh "$0" '' '' "$installation" guard "$control" "$@"
  fi
  code=$?
  (expire) >/dev/null 2>&1
  exit "$code"
}

# expire KEEP-SECONDS CACHE-KB: the same at once
verb_expire() {
  keep=$1 cache_kb=$2 expired=$home/.expired-$installation
  expire_all
  finished
}

# At most once an hour.
expire() {
  clock_seconds=$(date +%s)
  # One of the future was made before the clock was set.
  [ ! -e "$expired" ] || is_older "$expired" 3600 || ! is_older "$expired" 0 || return 0
  expire_all
}

# One at a time of an installation, and of a host where it comes to the stages, which installations share.
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

# Nothing of it was begun, nor has ended, since; what its supervisor still watches stays, however old, and what another
# machine may run in a scratch folder that it shares with this one: none but a server lasts longer than 30 days, and the supervisor
# of that writes there twice a second.
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

# Nothing is removed where dry is 1; then there are run directories that would be (swept), and halves of stages and damaged ones
# (taken, with their kB).
dry=0 swept=' ' taken=' ' taken_kb=0

# Removes stages, used longest ago first, until all of them fit. One that a run directory names stays, and one that was
# asked for within the hour, or whose setup is under way.
expire_stages() {
  expire_damaged "$keep"
  ! all_fit || return 0
  expire_damaged 3600
  ! all_fit || return 0
  names_in stage
  used=$names
  names_in environment
  used=$used$names
  # Names are hashes.
  # shellcheck disable=SC2012
  for name in $(ls -1tr "$home/stages"); do
    stage=$home/stages/$name
    case $used in *" $name "*) continue ;; esac
    [ -d "$stage" ] && is_older "$stage" 3600 || continue
    # Asked for only where it is there: making it would make the stage young.
    [ ! -e "$stage/setup.lock" ] || flock -n "$stage/setup.lock" true || continue
    freed=$(size_kb "$stage")
    # Nobody finds half of one.
    [ "$dry" = 1 ] || { mv -- "$stage" "$home/stages/.tmp-$me-$birth" && remove_tree "$home/stages/.tmp-$me-$birth"; } || continue
    tell trimmed '' "$name" "$freed"
    total=$((total - freed))
    [ "$total" -gt "$cache_kb" ] || return 0
  done
}

# -> total
all_fit() {
  total=$(($(size_kb "$home/stages") - taken_kb))
  [ "$total" -le "$cache_kb" ]
}

# expire_damaged SECONDS [HASH ID]: stages that were set aside that long ago and that no run directory is made from; with a
# hash those of it alone, but not the one of that id
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

# take_damaged STAGE: removes one that is damaged, or half of one, or would; each with its kB
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

# -> made_from: ids of stages that run directories were made from, or are being made from, and numbers, where an older version
# did; unknown: hashes alone, where one did that is older still
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

# names_in FILE -> names: what is written there of attempts, but of those that would be swept. By no program: so many files may be
# more words than one can be given.
names_in() {
  names=' '
  for file in "$home"/runs/*/*/*/"$1" "$home"/runs/*/*/.tmp-*/"$1"; do
    [ -s "$file" ] && read -r name <"$file" || continue
    case $names in *" $name "*) continue ;; esac
    is_swept "$file" || names="$names$name "
  done 2>/dev/null
}

# is_swept FILE: is it in a run directory that would be?
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
