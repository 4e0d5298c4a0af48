
# --- clean-up -----------------------------------------------------------------------------------------------------

is_gone() { [ ! -e "$1" ] && [ ! -L "$1" ]; }

# Removes a tree, also one with folders that cannot be read, or no end to its depth -> problem; false where it stays
remove_tree() {
  rm -rf -- "$1" 2>/dev/null
  is_gone "$1" && return 0
  chmod -R u+rwx -- "$1" 2>/dev/null
  problem=$(rm -rf -- "$1" 2>&1 | first_words)
  is_gone "$1" && return 0
  # What something is mounted on stays where who mounted it will look for it.
  case $problem in *[Bb]usy*) return 1 ;; esac
  flatten "$1"
  problem=$(rm -rf -- "$1" 2>&1 | first_words)
  is_gone "$1" && return 0
  return 1
}

# What a program complains of first: that has no end in a tree of somebody else's making, and is read to its end.
first_words() {
  head -c 300
  cat >/dev/null
}

# Each folder is moved up to the top before it is looked into, so that no path grows longer.
flatten() {
  moved=0 more=1
  while [ "$more" = 1 ] && [ "$moved" -lt 20000 ]; do
    more=0
    for folder in "$1"/* "$1"/.[!.]*; do
      [ -d "$folder" ] && [ ! -L "$folder" ] || continue
      chmod u+rwx "$folder"
      for inner in "$folder"/* "$folder"/.[!.]* "$folder"/..?*; do
        [ -d "$inner" ] && [ ! -L "$inner" ] || continue
        chmod u+rwx "$inner"
        moved=$((moved + 1))
        mv -- "$inner" "$1/.removed-$me-$moved" && more=1
        beat
      done
      rm -rf -- "$folder"
    done
  done 2>/dev/null
}

verb_remove() {
  living=0
  for_controls "$runs/$1" note_living
  [ "$living" = 0 ] || fail living "$living"
  # Without its folder nobody would know its mark.
  for_controls "$runs/$1" kill_outlived
  for_controls "$runs/$1" end_keepers
  with_beats remove_tree "$runs/$1" || fail host "remove: $problem"
  finished
}

# is_older PATH SECONDS
is_older() {
  made=$(stat -c %Y -- "$1" 2>/dev/null) || return 1
  [ $((clock_seconds - made)) -ge "$2" ]
}

# read_names -> kept: names of run directories, one a line and "whole" at their end. As many as an installation has are no words
# of a command: Linux takes 128 KiB at most as one.
read_names() {
  printf 'send 0\n'
  kept=" $(tr '\n' ' ') "
  # Of a list that was cut the others would be removed.
  case $kept in *' whole  ') ;; *) fail host 'expected a whole list of run directories to keep, came one that was cut; nothing was removed: run it again' ;; esac
}

# sweep SECONDS DRY, and names that are sent: ends and removes what is old and not named
verb_sweep() {
  sweep_all "$1" "$2"
  finished
}

# clean SECONDS DRY KEEP-SECONDS CACHE-KB, and names that are sent: the same, then stages that make room for the others, or would
verb_clean() {
  keep=$3 cache_kb=$4
  sweep_all "$1" "$2"
  exec 9>>"$home/.expired-stages"
  # Who holds it does the same.
  ! flock -n 9 || with_beats expire_stages
  finished
}

# -> swept: names, where nothing was removed
sweep_all() {
  older=$1 dry=$2
  read_names
  clock_seconds=$(date +%s)
  for run in "$runs"/*; do
    beat
    name=${run##*/}
    case $kept in *" $name "*) continue ;; esac
    [ -d "$run" ] && is_older "$run" "$older" || continue
    living=0
    for_controls "$run" note_living
    for_controls "$run" note_outlived
    if [ "$dry" = 0 ]; then
      with_beats sweep_noting "$run" || {
        tell failed "$problem" "$name"
        continue
      }
    else
      swept="$swept$name "
    fi
    tell swept "$name" "$living"
  done
  with_beats sweep_halves "$older"
}

# spared SECONDS, and names that are sent: how many run directories a sweep leaves alone, each for the first of these: a run in it
# is under way; it is named; it is younger; it is another installation's
verb_spared() {
  older=$1 under_way=0 needed=0 young=0 of_others=0
  read_names
  clock_seconds=$(date +%s)
  for run in "$home/runs"/*/*; do
    [ -d "$run" ] || continue
    beat
    name=${run##*/} why=young
    [ "$run" = "$runs/$name" ] || { of_others=$((of_others + 1)) && continue; }
    case $kept in
      *" $name "*) why=needed ;;
      *) ! is_older "$run" "$older" || continue ;;
    esac
    for_controls "$run" is_not_under_way || why=under_way
    eval "$why=\$(($why + 1))"
  done
  tell spared '' "$under_way" "$needed" "$young" "$of_others"
  finished
}

is_not_under_way() {
  control_state "$1"
  case $state in running | claiming) return 1 ;; esac
}

# A subshell: what fails in it must not keep the others.
sweep_noting() { problem=$(sweep_one "$1"); }

sweep_one() {
  fail() {
    printf '%s' "$2"
    exit 1
  }
  beat() { clock; }
  for_controls "$1" kill_living
  for_controls "$1" kill_outlived
  remove_tree "$1" || fail host "$problem"
}

# Halves of stages, and what tried the host, of connections that were cut; and damaged stages.
sweep_halves() {
  expire_damaged "$1"
  for half in "$home/stages"/.tmp-*; do
    [ -d "$half" ] && is_older "$half" "$1" && take_damaged "$half"
  done
  [ "$dry" = 0 ] || return 0
  for half in "$home/try"/*; do
    [ -d "$half" ] && is_older "$half" "$1" && remove_tree "$half"
  done
}
