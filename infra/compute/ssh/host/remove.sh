
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
  with_beats remove_tree "$runs/$1" || fail host "remove: $problem"
  finished
}

# is_older PATH SECONDS
is_older() {
  made=$(stat -c %Y -- "$1" 2>/dev/null) || return 1
  [ $((clock_seconds - made)) -ge "$2" ]
}

# sweep SECONDS DRY NAME...: ends and removes what is old and not named
verb_sweep() {
  older=$1 dry=$2
  shift 2
  kept=" $* "
  clock_seconds=$(date +%s)
  for run in "$runs"/*; do
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
    fi
    tell swept "$name" "$living"
    beat
  done
  [ "$dry" = 1 ] || sweep_halves "$older"
  finished
}

# spared SECONDS NAME...: how many run directories a sweep leaves alone, each for the first of these: a run in it is under way; it is
# named; it is younger; it is another installation's
verb_spared() {
  older=$1
  shift
  kept=" $* " under_way=0 needed=0 young=0 of_others=0
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

# Halves of stages, and followers, of connections that were cut; and damaged stages.
sweep_halves() {
  expire_damaged "$1"
  for half in "$home/stages"/.tmp-* "$home/try"/*; do
    [ -d "$half" ] && is_older "$half" "$1" && remove_tree "$half"
  done
}
