
# --- the end of a run ---------------------------------------------------------------------------------------------

# because CONTROL REASON: the supervisor may look at any time, so that the reason comes whole; the first one stays. It is
# written over a file that is there from the start: a run may have left no block and no inode.
because() {
  [ ! -e "$1/reason" ] || return 0
  if mv "$1/reason.spare" "$1/because-$me" 2>/dev/null; then
    printf '%s\n' "$2" 1<>"$1/because-$me" && ! ln "$1/because-$me" "$1/reason" 2>/dev/null && [ ! -e "$1/reason" ] &&
      mv "$1/because-$me" "$1/reason"
    return 0
  fi
  printf '%s\n' "$2" >"$1/because-$me"
  ln "$1/because-$me" "$1/reason" 2>/dev/null
  rm -f "$1/because-$me"
}

# Takes the claim of a run that nobody has claimed, so that a supervisor on its way finds it taken.
forbid() {
  claimed=1
  mkdir "$1/claim" 2>/dev/null || claimed=0
  [ "$claimed" = 1 ] || { [ ! -e "$1/claim" ] && [ -e "$1/ended.tmp" ]; } || return 1
  why=killed
  [ ! -r "$1/reason" ] || IFS= read -r why <"$1/reason"
  printf '{"reason":"%s","code":143,"startedAt":"%s","wallCs":0,"user":"0m0s","system":"0m0s","maxRssKb":0,"ticks":0,"containment":"process-group","sandboxed":0,"treeGone":true}\n' \
    "$why" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" 1<>"$1/ended.tmp" && mv "$1/ended.tmp" "$1/ended.json"
  # Without an inode for a claim: a supervisor that claims looks for an end, then begins, so that one at least sees the other.
  [ "$claimed" = 1 ] || [ ! -e "$1/claim" ] || { mv "$1/ended.json" "$1/ended.tmp" && return 1; }
}

# spec_value CONTROL NAME -> value; the first line of that name, which no value of several lines comes before
spec_value() {
  value=
  while IFS= read -r row; do
    case $row in "$2='"*"'")
      value=${row#*\'}
      value=${value%\'}
      # As spec.ts writes a quotation mark that is in it.
      while :; do
        case $value in *"'\''"*) value=${value%%"'\''"*}"'"${value#*"'\''"} ;; *) return 0 ;; esac
      done
      ;;
    esac
  done 2>/dev/null <"$1/spec"
}

# Ends what one control directory runs: TERM to its supervisor, which gives grace; then KILL; then leftovers.
kill_control() {
  control_state "$1"
  if [ "$state" = staged ]; then
    forbid "$1" && return 0
    control_state "$1"
  fi
  # Where its disk stalls, it may begin when we are gone: it ends itself then.
  case $state$owner_boot in claiming* | lost) because "$1" killed ;; esac
  if [ "$state" = claiming ]; then
    until_not claiming "$1" 1000
    [ "$state" != claiming ] || { owner_lives "$1/claim/owner" && kill -KILL "$owner_pid" 2>/dev/null; }
  fi
  [ "$state" != ended ] || return 0
  if [ "$state" = running ]; then
    kill -TERM "$owner_pid" 2>/dev/null
    spec_value "$1" grace
    if until_not running "$1" "$((${value:-0} + 1000))"; then
      [ "$state" != ended ] || return 0
    else
      owner_lives "$1/claim/owner" && kill -KILL "$owner_pid" 2>/dev/null
    fi
  fi
  kill_leftovers "$1"
}

# kill_talk CONTROL: the same, with what keeps a conversation open
kill_talk() {
  kill_control "$1"
  end_keepers "$1"
}

# end_keepers CONTROL: they end by themselves unless a program that nothing held has stopped them, or they hang
end_keepers() {
  [ -s "${1%/ctl}/keepers" ] || return 0
  clock
  keepers_then=$((now + 100))
  # Such a program may have written more.
  for _ in 1 2 3; do
    read -r pid since in_boot || return 0
    while alive "$pid" "$since" "$in_boot"; do
      beat
      clock
      [ "$now" -lt "$keepers_then" ] || {
        kill -KILL "$pid" 2>/dev/null
        break
      }
      sleep 0.02
    done
  done 2>/dev/null <"${1%/ctl}/keepers" || :
}

# Kills what a dead supervisor left, once: process 1 of a namespace takes all others with it, else all are looked for.
kill_leftovers() {
  if owner_lives "$1/init"; then
    kill -KILL "$owner_pid" 2>/dev/null
    rounds=0
    while owner_lives "$1/init"; do
      [ "$rounds" -lt 500 ] || fail host "kill: expected process $owner_pid of $1 to be gone within 10 s"
      rounds=$((rounds + 1))
      beat
      sleep 0.02
    done
  fi
  has_nothing "$1" && return 0
  kill_all scan_members "$1"
  # Nobody is left to write an end; the file for it is there although the run may have left no inode.
  mv "$1/ended.tmp" "$1/gone" 2>/dev/null || touch "$1/gone"
}

# Before its owner was written nothing had started, and a reboot leaves nothing. What was found gone once stays so: its
# uid may be another run's by now, and must not be looked for again.
has_nothing() {
  [ -e "$1/gone" ] && return 0
  read_owner "$1/claim/owner" || return 0
  [ "$owner_boot" != "$boot" ]
}

# kill_all SCAN OF: stop, scan, kill until two scans find nothing
kill_all() {
  empty=0
  clock
  kill_then=$((now + 1000))
  while [ "$empty" -lt 2 ]; do
    "$1" "$2"
    if [ -z "$found" ]; then
      empty=$((empty + 1))
      continue
    fi
    empty=0
    beat
    [ "$now" -lt "$kill_then" ] || fail host "kill: expected processes$found of $2 to be gone within 10 s"
    # Stopped first, so that none of them starts another while the rest dies.
    # shellcheck disable=SC2086
    kill -STOP $found 2>/dev/null
    stopped=$found
    "$1" "$2"
    # shellcheck disable=SC2086
    kill -KILL $stopped $found 2>/dev/null
  done
}

# scan_members CONTROL -> found: what still lives of it outside a pid namespace
scan_members() {
  found=
  spec_value "$1" containment
  held=$value
  [ "$held" != pid-namespace ] || return 0
  spec_value "$1" work
  work=$value
  spec_value "$1" uid
  # A scan with an empty name would find everybody.
  case $work in /?*/?*) ;; *) return 0 ;; esac
  case $held$value in uid[1-9][0-9][0-9][0-9]*) uid=$value ;; *) uid= ;; esac
  mark_of "$1"
  for file in $(
    grep -lsF -- "$1" /proc/[0-9]*/cmdline
    grep -lsF -- "HOME=$work" /proc/[0-9]*/environ
    [ -z "$value" ] || marked "$value"
    [ -z "$uid" ] || grep -lsE "^Uid:.*[[:space:]]$uid([[:space:]]|\$)" /proc/[0-9]*/status
  ); do
    file=${file#/proc/}
    add_living "${file%%/*}"
  done
}

# mark_of CONTROL -> value: what its processes were marked with where they are a process group; a search for less than all of it
# would find everybody
mark_of() {
  spec_value "$1" containment
  held=$value value=
  [ "$held" = process-group ] || return 0
  spec_value "$1" mark
  case $value in *[!0-9]*) value= ;; [1-9]??????????????) ;; *) value= ;; esac
}

# scan_marked CONTROL -> found: what lives of it by its mark alone, which nobody has by chance
scan_marked() {
  found=
  mark_of "$1"
  [ -n "$value" ] || return 0
  for file in $(marked "$value"); do
    file=${file#/proc/}
    add_living "${file%%/*}"
  done
}

# outlives CONTROL: does anything still live that its supervisor could not end, in this very boot?
outlives() {
  control_state "$1"
  case $state$end in ended*'"treeGone":false'*) ;; *) return 1 ;; esac
  has_nothing "$1" && return 1
  scan_marked "$1"
  [ -n "$found" ]
}

# marked NUMBER: files of our own user's processes that have this mark; anybody may take it on
marked() {
  user_of /proc/self
  our_user=$user
  grep -lsF -- " $1 " /proc/[0-9]*/limits | while IFS= read -r file; do
    user_of "${file%/limits}"
    [ "$user" != "$our_user" ] || echo "$file"
  done
}

# scan_nameless FOLDER/ -> found: whose words or environment name it
scan_nameless() {
  found=
  for file in $(grep -lsF -- "$1" /proc/[0-9]*/cmdline /proc/[0-9]*/environ); do
    file=${file#/proc/}
    add_living "${file%%/*}"
  done
}

# add_living PID: to found, if it still lives (who searched is gone by now)
add_living() {
  [ "$1" != "$me" ] && [ "$1" != 1 ] || return 0
  case " $found " in *" $1 "*) return 0 ;; esac
  stat_fields "/proc/$1/stat"
  is_over "/proc/$1" || found="$found $1"
}

# lives CONTROL: does anything of it still live?
lives() {
  control_state "$1"
  case $state in running | claiming) return 0 ;; esac
  owner_lives "$1/init" && return 0
  [ "$state" = lost ] || return 1
  has_nothing "$1" && return 1
  scan_members "$1"
  [ -n "$found" ]
}

# for_controls RUN-DIRECTORY COMMAND: of all attempts and conversations of a run; stops where the command says 1
for_controls() {
  for control in "$1"/*/ctl "$1"/*/talk-*/ctl; do
    [ -d "$control" ] || continue
    "$2" "$control" || return 1
  done
}

note_living() {
  ! lives "$1" || living=$((living + 1))
}
note_outlived() {
  ! outlives "$1" || living=$((living + 1))
}
kill_living() {
  ! lives "$1" || kill_control "$1"
  end_keepers "$1"
}
kill_outlived() {
  ! outlives "$1" || kill_all scan_marked "$1"
}

verb_kill() {
  # Its folder was removed under it: what still carries the name of that folder is all there is to find.
  [ -d "$runs/$1" ] || kill_all scan_nameless "$runs/$1/"
  for folder in "$runs/$1"/*; do
    other=${folder##*/}
    case $other in '' | *[!0-9]*) continue ;; esac
    [ "$other" -le "$2" ] || continue
    for control in "$folder/ctl" "$folder"/talk-*/ctl; do [ ! -d "$control" ] || kill_talk "$control"; done
  done
  finished
}
