
# --- clean-up -----------------------------------------------------------------------------------------------------

is_gone() { [ ! -e "$1" ] && [ ! -L "$1" ]; }

# remove_tree FOLDER -> problem: removes a tree, even one with unreadable folders or of any depth; false if it stays
remove_tree() {
  rm -rf -- "$1" 2>/dev/null
  is_gone "$1" && return 0
  chmod -R u+rwx -- "$1" 2>/dev/null
  problem=$(rm -rf -- "$1" 2>&1 | first_words)
  is_gone "$1" && return 0
  # A mount point stays where the user who mounted it expects it.
  case $problem in *[Bb]usy*) return 1 ;; esac
  flatten "$1"
  problem=$(rm -rf -- "$1" 2>&1 | first_words)
  is_gone "$1" && return 0
  return 1
}

# first_words: prints the first complaints of a program, and reads the rest. A tree made by others can cause them
# without end.
first_words() {
  head -c 300
  cat >/dev/null
}

# flatten FOLDER: moves each folder to the top before it is read, so that no path grows longer
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
  # Without the run directory, the mark of the run would be unknown.
  for_controls "$runs/$1" kill_outlived
  for_controls "$runs/$1" end_keepers
  for_controls "$runs/$1" remove_short_link
  with_beats remove_tree "$runs/$1" || fail host "remove: $problem"
  finished
}

# remove_short_link CONTROL: removes the link to the temporary folder, which a killed supervisor left. A run may have
# written the file that names it, so the target counts.
remove_short_link() {
  short=
  while IFS= read -r row; do
    case $row in "short='/tmp/pt-"*"'") short=${row#"short='"} && short=${short%"'"} && break ;; esac
  done <"$1/spec"
  case $short in */*/*/* | *..*) return 0 ;; esac
  [ ! -L "$short" ] || [ "$(readlink "$short")" != "${1%/*}/tmp" ] || rm -f "$short"
} 2>/dev/null

# remove_dangling_links: removes links to runs that are gone; a person may have deleted their directories.
remove_dangling_links() {
  for link in /tmp/pt-*; do
    [ -L "$link" ] || continue
    target=$(readlink "$link")
    case $target in "$runs"/*) [ -e "$target" ] || rm -f "$link" ;; esac
  done
} 2>/dev/null

# drop_groups: removes control groups that killed supervisors left
drop_groups() { env -i "PATH=$system_path" /bin/sh "$home/bin/$supervisor_name" --drop-groups; } >/dev/null 2>&1

# is_older PATH SECONDS: true if the path is at least that old, at clock_seconds
is_older() {
  made=$(stat -c %Y -- "$1" 2>/dev/null) || return 1
  [ $((clock_seconds - made)) -ge "$2" ]
}

# read_names -> kept: reads names of run directories, one a line, with "whole" at the end. They come as input, since
# Linux takes at most 128 KiB as one argument.
read_names() {
  printf 'send 0\n'
  kept=" $(tr '\n' ' ') "
  # With a truncated list, the other directories would be removed.
  case $kept in *' whole  ') ;; *) fail host 'expected a complete list of run directories to keep, got a truncated one; nothing was removed: run it again' ;; esac
}

# sweep SECONDS DRY, with names as input: kills and removes run directories that are old and not named
verb_sweep() {
  sweep_all "$1" "$2"
  finished
}

# clean SECONDS DRY KEEP-SECONDS CACHE-KB, with names as input: the same, then removes stages until the rest fits the
# cache. With DRY, only reports both.
verb_clean() {
  keep=$3 cache_kb=$4
  sweep_all "$1" "$2"
  exec 9>>"$home/.expired-stages"
  # The process that holds the lock does the same.
  ! flock -n 9 || with_beats expire_stages
  finished
}

# sweep_all SECONDS DRY -> swept: names of the directories that a dry run would remove
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
  [ "$dry" = 0 ] || return 0
  with_beats remove_dangling_links
  with_beats drop_groups
}

# spared SECONDS, with names as input: reports how many run directories a sweep keeps. Each counts for the first of
# these reasons: its run is under way; it is named; it is younger; it belongs to another installation.
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

# sweep_noting RUN-DIRECTORY: runs in a subshell, so that a failure does not keep the others.
sweep_noting() { problem=$(sweep_one "$1"); }

sweep_one() {
  fail() {
    printf '%s' "$2"
    exit 1
  }
  beat() { clock; }
  for_controls "$1" kill_living
  for_controls "$1" kill_outlived
  for_controls "$1" remove_short_link
  remove_tree "$1" || fail host "$problem"
}

# sweep_halves SECONDS: removes damaged stages, and what lost connections left: incomplete stages and probes of the host
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
