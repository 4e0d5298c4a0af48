
# --- whose a process on a GPU is ------------------------------------------------------------------------------------

# whose GPU PID -> birth, whose: `ours` where a run of this installation is under way that was given this GPU; `astray` where it
# was not given it; `left` where that run is over; `setup` of somebody's setup in our scratch folder; `other` of another
# installation, or scratch folder; of what names none `nameless` where it is our user's, else `stranger`; `unseen` where /proc does
# not show it, or it is ending.
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
  # A run of ours may have left one that forgot where it came from, but none of another user's.
  [ ! -O "/proc/$2" ] || whose=nameless
  # What is ending has no words left.
  [ -n "$(words_of "$2")" ] || whose=unseen
}

# place_of PID -> place: the attempt that it names in its environment or words; `other` for one of somebody else's, or `setup`
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
  # Of several the last: ours ends the list.
  place=${place##*"$line_end"}
}

line_end='
'

# Its environment and its words, one a line; what we may not read says nothing.
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

# judge_place ATTEMPT GPU -> whose; of a run that an older version began it is not known which GPUs it was given
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

# evict BOOT (GPU PID BIRTH)...: ends what runs that are over left on GPUs, as a look in this very boot found them; nothing else
verb_evict() {
  # The same number and birth are another process's by now.
  [ "$1" = "$boot" ] || { finished && return 0; }
  shift
  while [ $# -ge 3 ]; do
    whose "$1" "$2"
    if [ "$whose" = left ] && [ "$birth" = "$3" ]; then
      kill -KILL "$2" 2>/dev/null
      clock
      evict_then=$((now + 1000))
      # One that hangs in the kernel keeps its GPU, which the next look tells.
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
