
# --- the end of a run ---------------------------------------------------------------------------------------------

# because CONTROL REASON: records the reason of the end; the first one stays. The supervisor may read it at any time, so
# that it appears whole. Written over a file that exists from the start: a run may have left no free block and no free
# inode.
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

# forbid CONTROL: takes the claim of a run that no supervisor has claimed, so that a late supervisor finds it taken.
forbid() {
  claimed=1
  mkdir "$1/claim" 2>/dev/null || claimed=0
  [ "$claimed" = 1 ] || { [ ! -e "$1/claim" ] && [ -e "$1/ended.tmp" ]; } || return 1
  why=killed
  [ ! -r "$1/reason" ] || IFS= read -r why <"$1/reason"
  printf '{"reason":"%s","code":143,"startedAt":"%s","wallCs":0,"user":"0m0s","system":"0m0s","maxRssKb":0,"ticks":0,"containment":"process-group","sandboxed":0,"treeGone":true}\n' \
    "$why" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" 1<>"$1/ended.tmp" && mv "$1/ended.tmp" "$1/ended.json"
  # No inode was free for a claim. A supervisor claims first and then checks for an end, so that at least one side sees
  # the other.
  [ "$claimed" = 1 ] || [ ! -e "$1/claim" ] || { mv "$1/ended.json" "$1/ended.tmp" && return 1; }
}

# spec_value CONTROL NAME -> value: first line of that name. No value of several lines comes before it.
spec_value() {
  value=
  while IFS= read -r row; do
    case $row in "$2='"*"'")
      value=${row#*\'}
      value=${value%\'}
      # Undo the quoting of spec.ts.
      while :; do
        case $value in *"'\''"*) value=${value%%"'\''"*}"'"${value#*"'\''"} ;; *) return 0 ;; esac
      done
      ;;
    esac
  done 2>/dev/null <"$1/spec"
}

# kill_control CONTROL: ends the run of one control directory. TERM to its supervisor, which gives grace; then KILL;
# then leftovers.
kill_control() {
  control_state "$1"
  if [ "$state" = staged ]; then
    forbid "$1" && return 0
    control_state "$1"
  fi
  # If its disk stalls, the supervisor may begin after this call: then it finds the reason and ends.
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

# kill_talk CONTROL: the same, and ends the processes that keep a conversation open
kill_talk() {
  kill_control "$1"
  end_keepers "$1"
}

# end_keepers CONTROL: kills the keepers of a conversation after a second. They end by themselves, unless they hang, or
# an unconfined program has stopped them.
end_keepers() {
  [ -s "${1%/ctl}/keepers" ] || return 0
  clock
  keepers_then=$((now + 100))
  # At most three lines: an unconfined program may have added others.
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

# kill_leftovers CONTROL: kills the processes that a dead supervisor left, once. If process 1 of a namespace lives, it
# takes all others with it. Otherwise searches for all of them.
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
  # No supervisor is left to write an end. Its file exists, even if the run has left no free inode.
  mv "$1/ended.tmp" "$1/gone" 2>/dev/null || touch "$1/gone"
}

# has_nothing CONTROL: true if no process can be left. Nothing starts before the owner is written, and nothing survives
# a reboot. Once found gone, a run stays gone: its uid may belong to another run by now, so nothing may be searched by
# it again.
has_nothing() {
  [ -e "$1/gone" ] && return 0
  read_owner "$1/claim/owner" || return 0
  [ "$owner_boot" != "$boot" ]
}

# kill_all SCAN OF: stops, scans and kills until two scans find nothing
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
    # Stopped first, so that no process starts another while the rest dies.
    # shellcheck disable=SC2086
    kill -STOP $found 2>/dev/null
    stopped=$found
    "$1" "$2"
    # shellcheck disable=SC2086
    kill -KILL $stopped $found 2>/dev/null
  done
}

# scan_members CONTROL -> found: living processes of the run outside a pid namespace
scan_members() {
  found=
  spec_value "$1" containment
  held=$value
  [ "$held" != pid-namespace ] || return 0
  spec_value "$1" work
  work=$value
  spec_value "$1" uid
  # A scan with an empty name would find all processes.
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

# mark_of CONTROL -> value: mark of the processes of a process group, else empty. An incomplete mark counts as none,
# since it would find all processes.
mark_of() {
  spec_value "$1" containment
  held=$value value=
  [ "$held" = process-group ] || return 0
  spec_value "$1" mark
  case $value in *[!0-9]*) value= ;; [1-9]??????????????) ;; *) value= ;; esac
}

# scan_marked CONTROL -> found: living processes with the run's mark, which no process has by chance
scan_marked() {
  found=
  mark_of "$1"
  [ -n "$value" ] || return 0
  for file in $(marked "$value"); do
    file=${file#/proc/}
    add_living "${file%%/*}"
  done
}

# outlives CONTROL: true if a process still lives that its supervisor could not end, in this boot
outlives() {
  control_state "$1"
  case $state$end in ended*'"treeGone":false'*) ;; *) return 1 ;; esac
  has_nothing "$1" && return 1
  scan_marked "$1"
  [ -n "$found" ]
}

# marked NUMBER: prints the limits files of this user's processes that have the mark. Processes of any user may take it
# on.
marked() {
  user_of /proc/self
  our_user=$user
  grep -lsF -- " $1 " /proc/[0-9]*/limits | while IFS= read -r file; do
    user_of "${file%/limits}"
    [ "$user" != "$our_user" ] || echo "$file"
  done
}

# scan_nameless FOLDER/ -> found: living processes that have the folder in their arguments or environment
scan_nameless() {
  found=
  for file in $(grep -lsF -- "$1" /proc/[0-9]*/cmdline /proc/[0-9]*/environ); do
    file=${file#/proc/}
    add_living "${file%%/*}"
  done
}

# add_living PID: adds a living process to found. The processes of the search itself are gone by now.
add_living() {
  [ "$1" != "$me" ] && [ "$1" != 1 ] || return 0
  case " $found " in *" $1 "*) return 0 ;; esac
  stat_fields "/proc/$1/stat"
  is_over "/proc/$1" || found="$found $1"
}

# lives CONTROL: true if a process of the run still lives
lives() {
  control_state "$1"
  case $state in running | claiming) return 0 ;; esac
  owner_lives "$1/init" && return 0
  [ "$state" = lost ] || return 1
  has_nothing "$1" && return 1
  scan_members "$1"
  [ -n "$found" ]
}

# for_controls RUN-DIRECTORY COMMAND: calls the command for all attempts and conversations of a run; stops if it returns
# 1
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
  # The run directory was removed under the run: only its name in processes is left to search for.
  [ -d "$runs/$1" ] || kill_all scan_nameless "$runs/$1/"
  for folder in "$runs/$1"/*; do
    other=${folder##*/}
    case $other in '' | *[!0-9]*) continue ;; esac
    [ "$other" -le "$2" ] || continue
    for control in "$folder/ctl" "$folder"/talk-*/ctl; do [ ! -d "$control" ] || kill_talk "$control"; done
  done
  finished
}
