
# --- whose a process on a GPU is ------------------------------------------------------------------------------------

# whose GPU PID -> birth, whose: owner of a process on a GPU
#   ours: a run of this installation that is under way and was given this GPU
#   astray: such a run that was not given this GPU
#   left: a run of this installation that is over
#   setup: a setup in this scratch folder, of any installation
#   other: a run of another installation or scratch folder
#   nameless: a process of this script's user that names no run
#   stranger: a process of another user that names no run
#   unseen: a process that /proc does not show, or that is ending
whose() {
  birth_of "$2"
  whose=unseen
  [ -n "$birth" ] || return 0
  whose=stranger climb=$2
  while [ "${climb:-0}" -gt 1 ]; do
    place_of "$climb"
    case $place in
      '') ;;
      other | setup) whose=$place ;;
      *)
        judge_place "$place" "$1"
        return 0
        ;;
    esac
    parent_of "$climb"
    climb=$parent
  done
  [ "$whose" = stranger ] || return 0
  # A run of this installation may have left a process that names no run, but only one of this user.
  [ ! -O "/proc/$2" ] || whose=nameless
  # A process that is ending shows neither environment nor arguments.
  [ -n "$(words_of "$2")" ] || whose=unseen
}

# place_of PID -> place: path of the attempt that the process names in its environment or arguments; `other` for a run
# of others, `setup` for a setup
place_of() {
  place=$(words_of "$1" | while IFS= read -r row; do
    case $row in
      HOME=*/runs/*/*/work) row=${row%/work} ;;
      /*/runs/*/*/ctl) row=${row%/ctl} ;;
      "HOME=$home/stages/"*) echo setup && continue ;;
      *) continue ;;
    esac
    row=${row#HOME=}
    row=${row%/talk-*}
    rest=${row#"$runs"/}
    case $rest in
      /* | */*/* | */ | */*[!0-9]*) echo other ;;
      */*) echo "$row" && break ;;
    esac
  done)
  # The last line counts: the search ends at a run of this installation.
  place=${place##*"$line_end"}
}

line_end='
'

# words_of PID: prints the environment and the arguments, one a line; nothing if this user may not read them
words_of() {
  for file in "/proc/$1/environ" "/proc/$1/cmdline"; do tr '\000' '\n' <"$file" && echo; done 2>/dev/null
}

# parent_of PID -> parent
parent_of() {
  stat_fields "/proc/$1/stat"
  # shellcheck disable=SC2086
  set -- $fields
  parent=${2:-0}
}

# judge_place ATTEMPT GPU -> whose. An attempt of an older version has no list of its GPUs, and counts as ours.
judge_place() {
  whose=left
  for control in "$1/ctl" "$1"/talk-*/ctl; do
    [ -d "$control" ] || continue
    control_state "$control"
    case $state in running | claiming) ;; *) continue ;; esac
    whose=ours
    [ ! -e "$1/gpus" ] || grep -qxF -- "$2" "$1/gpus" || whose=astray
    return 0
  done
}

# evict BOOT (GPU PID BIRTH)...: kills processes that ended runs left on GPUs, as a probe in that boot found them
verb_evict() {
  # After a reboot, the same pid and start time belong to another process.
  [ "$1" = "$boot" ] || { finished && return 0; }
  shift
  while [ $# -ge 3 ]; do
    whose "$1" "$2"
    if [ "$whose" = left ] && [ "$birth" = "$3" ]; then
      kill -KILL "$2" 2>/dev/null
      clock
      evict_then=$((now + 1000))
      # A process that hangs in the kernel keeps its GPU. The next probe reports it.
      while alive "$2" "$3" "$boot" && [ "$now" -lt "$evict_then" ]; do
        beat
        clock
        sleep 0.02
      done
    fi
    shift 3
  done
  finished
}
