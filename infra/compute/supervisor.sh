#!/bin/sh
# Runs one command on a slot: claim, contain, watch, record. Usage: supervisor.sh CONTROL-DIRECTORY
# CONTROL/spec is a file of shell assignments and the function run_command (spec.ts writes it).
# It leaves there: claim/owner (pid, start time, boot id, fence), started.json first, begun once the command is what runs,
# output (of both streams; where they are apart also stdout and stderr), ended.json last; no ended.json, and why in failed, where the
# machine was at fault.
# Must pass under dash, busybox sh and bash; everything on the way of a run avoids forks.

# --- clocks and identities, without forks; ssh/scripts.ts copies this section -----------------------------------

# centiseconds since boot -> now
clock() {
  read -r now _ </proc/uptime
  now=${now%.*}${now#*.}
}

# fields of a stat file after the command's name, which may itself hold newlines and brackets -> fields
stat_fields() {
  fields=
  while read -r part; do fields="$fields $part"; done 2>/dev/null <"$1"
  fields=${fields##*) }
}

# alive PID START BOOT: is that very process there, and not a zombie?
alive() {
  [ "$3" = "$boot" ] && [ -r "/proc/$1/stat" ] || return 1
  wanted=$2
  stat_fields "/proc/$1/stat"
  # shellcheck disable=SC2086
  set -- $fields
  [ $# -ge 22 ] && [ "$1" != Z ] && [ "$1" != X ] && [ "${20}" = "$wanted" ]
}

# is_over FOLDER: whether a process has ended, by its fields; where its first thread has, others may go on
is_over() {
  case $fields in '' | X*) return 0 ;; Z*) ;; *) return 1 ;; esac
  for task in "$1"/task/*; do
    [ ! -e "$task" ] || [ "${task##*/}" = "${1##*/}" ] || return 1
  done
}

# user_of FOLDER -> user: the number of its real user
user_of() {
  user=
  while read -r key real _; do [ "$key" != Uid: ] || { user=$real && break; }; done 2>/dev/null <"$1/status"
}

identify() {
  read -r boot </proc/sys/kernel/random/boot_id
  read -r me _ </proc/self/stat
  birth_of "$me"
}

# birth_of PID -> birth, which is our own at first
birth_of() {
  born_of "$1"
  birth=$born
}

# born_of PID -> born: when it began
born_of() {
  stat_fields "/proc/$1/stat"
  # shellcheck disable=SC2086
  set -- $fields
  born=${20:-}
}

# --- descriptors that the caller left open ----------------------------------------------------------------------

# Closes all but 0, 1, 2 and, in a conversation, the pipe on 3: a run must not read or write through them.
close_inherited() {
  for file in /proc/self/fd/*; do
    number=${file##*/}
    case $number in
      [012]) ;;
      3) [ "$talk" = 1 ] || exec 3>&- ;;
      ?) eval "exec $number>&-" ;;
      *) is_passed_on "$number" && close_far "$number" ;;
    esac
  done
}

# The shell's own are closed when it starts a program.
is_passed_on() {
  flags=
  while read -r key value; do [ "$key" != flags: ] || flags=$value; done 2>/dev/null <"/proc/self/fdinfo/$1"
  case $flags in '' | *[2367]??????) return 1 ;; esac
}

# dash takes a number of two digits for a command; then another shell does all the work of this run.
close_far() {
  if (eval "exec $1>&-") 2>/dev/null; then
    eval "exec $1>&-"
    return 0
  fi
  for able in bash 'busybox sh'; do
    [ "$again" = 1 ] || ! command -v "${able%% *}" >/dev/null || exec $able "$self" "$control" again
  done
  echo "descriptor $1 was left open by the caller, and there is neither bash nor busybox to close it" >&2
  exit 78
}

# --- claim ------------------------------------------------------------------------------------------------------

# Looks at the other fences of this run. 0: free to go on; 1: one of them holds or held the run.
others_free() {
  for other in ../../*/ctl; do
    theirs=${other#../../}
    theirs=${theirs%/ctl}
    case $theirs in "$fence" | *[!0-9]*) continue ;; esac
    [ -e "$other/ended.json" ] && return 1
    [ -d "$other/claim" ] || continue
    [ "$theirs" -gt "$fence" ] && return 1
    rounds=0
    # A lower one that has just claimed sees our claim and leaves, unless it started before.
    while [ "$rounds" -lt 100 ] && [ -d "$other/claim" ]; do
      pid='' start='' life=''
      [ -r "$other/claim/owner" ] && read -r pid start life _ <"$other/claim/owner"
      if [ -n "$pid" ]; then
        alive "$pid" "$start" "$life" || break
        [ -e "$other/started.json" ] && return 1
      fi
      sleep 0.05
      rounds=$((rounds + 1))
    done
  done
  return 0
}

claim() {
  mkdir claim 2>/dev/null || exit 0
  printf '%s %s %s %s\n' "$me" "$birth" "$boot" "$fence" >claim/owner
  # Ended before it began, by somebody for whom there was no inode to take the claim.
  [ ! -e ended.json ] || exit 0
  if [ "$talk" = 0 ] && ! others_free; then
    # Nothing ran under this claim: give it back.
    rm -rf claim
    exit 0
  fi
}

# --- the sandbox: a new root that holds system folders (read-only), the run directory, and nothing else ------------

# echo of some shells reads backslashes, which stand for blanks here
line() { printf '%s\n' "$1"; }

# `ro` of a bind is said of that mount alone: what lies mounted below it (a disk, a volume) is made read-only by itself.
seal_below() (
  set -f
  IFS='
'
  for entry in $(cat /proc/self/mountinfo); do
    IFS=' '
    # shellcheck disable=SC2086
    set -- $entry
    at=$5 flags=$6
    case $at in *\\*) at=$(printf '%b' "$at") ;; esac
    case $at in "$root"/*) ;; *) continue ;; esac
    case ${at#"$root"} in /dev/* | /proc | /tmp | "$work") continue ;; esac
    case ,$flags, in *,ro,*) continue ;; esac
    # A mask: empty, and its maker's.
    case $entry in *' - tmpfs '*size=64k*) continue ;; esac
    mount -o "remount,bind,ro,${flags#rw}" "$at" 2>/dev/null && continue
    # What another mount covers is out of reach for the run, too; below a mask it is not even there.
    if is_mounted "$at"; then return 1; fi
  done
)

# Not every host has mountpoint.
is_mounted() { if command -v mountpoint >/dev/null; then mountpoint -q "$1"; else [ -e "$1" ]; fi; }

build_root() {
  mount -t tmpfs -o mode=755,size=4m tmpfs "$root" || return 1
  links='' binds=''
  for folder in bin sbin lib lib32 lib64 libx32; do
    if [ -L "/$folder" ]; then links="$links /$folder"; elif [ -d "/$folder" ]; then binds="$binds $folder"; fi
  done
  for folder in usr etc opt nix gnu; do [ -d "/$folder" ] && binds="$binds $folder"; done
  mkdir -p "$root/.old" "$root/dev/shm" "$root/proc" "$root/tmp" "$root$work" || return 1
  # shellcheck disable=SC2086
  [ -z "$links" ] || cp -P $links "$root/" || return 1
  table=$root/.fstab
  {
    for folder in $binds; do
      line "/$folder $root_escaped/$folder none rbind,ro,nosuid,nodev,X-mount.mkdir 0 0"
    done
    gpu=0
    for node in null zero full random urandom nvidiactl nvidia-uvm nvidia-uvm-tools nvidia[0-9]* dxg kfd; do
      for device in /dev/$node; do
        [ -c "$device" ] || continue
        : >"$root$device"
        line "$device $root_escaped$device none bind 0 0"
        case $device in /dev/nvidia* | /dev/kfd) gpu=1 ;; esac
      done
    done
    # Parts of a GPU (MIG) are opened by way of nvidia-caps.
    for folder in dri nvidia-caps; do
      [ ! -d "/dev/$folder" ] || line "/dev/$folder $root_escaped/dev/$folder none rbind,X-mount.mkdir 0 0"
    done
    [ "$gpu" = 0 ] || line "/sys $root_escaped/sys none rbind,ro,X-mount.mkdir 0 0"
    line "tmpfs $root_escaped/dev/shm tmpfs mode=1777,nosuid,nodev,size=$((memory_kb / 2))k,nr_inodes=$((memory_kb / 16 + 1024)) 0 0"
    line "proc $root_escaped/proc proc nosuid,nodev,noexec 0 0"
    # With the run's user it could be made what the kernel kills first.
    for file in oom_score_adj oom_adj task/1/oom_score_adj task/1/oom_adj; do
      [ -n "$uid" ] || [ ! -e "/proc/self/${file##*/}" ] ||
        line "$root_escaped/proc/1/$file $root_escaped/proc/1/$file none bind,ro 0 0"
    done
    printf '%s' "$mounts"
  } >"$table"
  mount -a -T "$table" && seal_below || return 1
  : >"$table"
  mount -o remount,bind,ro "$root" || return 1
  cd "$root" && pivot_root . .old && umount -l /.old
}

# Process 1 of the run's own pid namespace: builds the sandbox, starts the command, reaps, passes TERM on.
inside() {
  identify
  asked=0 ours=$$
  echo "$me $birth $boot" >init
  # Who ends the run writes the reason, then looks for process 1: killed in its first steps, unshare leaves us alone.
  [ ! -e reason ] || exit 143
  # Opened while the control directory can be seen; the run never has it.
  exec 4>"$control/seen" 5<>"$control/begun"
  umask 022
  case $containment$sandbox in
    *1) build_root || { echo 'the sandbox could not be built' >"$control/failed" && exit 125; } ;;
    pid-namespace0) mount -t proc proc /proc || { echo 'no /proc of its own' >"$control/failed" && exit 125; } ;;
  esac
  [ "$sandbox" = 0 ] || limit_segments
  cd "$work" || exit 125
  # Signalling everybody is right only where this is process 1 of a namespace of its own.
  if [ "$containment" = pid-namespace ]; then
    { [ "$$" = 1 ] && [ "$me" != 1 ]; } || exit 125
    trap 'asked=1; kill -TERM -1' TERM
  fi
  [ "$early$asked" = 00 ] || exit 143
  exec 3<&0
  { start_command; } <&3 3<&- 4>&- &
  # It leads a session of its own, by which it is found where no namespace holds it.
  [ "$containment" = pid-namespace ] || echo "$!" >"$control/session"
  # Asked while there was nobody to hear it yet.
  [ "$asked" = 0 ] || kill -TERM -1
  exec 0</dev/null 3<&- 5>&- 1>/dev/null 2>/dev/null
  await $!
  # The shell around the command ends at once: what it called has the grace, which KILL of process 1 ends.
  while [ "$asked" = 1 ] && is_anybody_left /proc/[0-9]*; do sleep 0.05; done
  echo "$code" >&4
  exit "$code"
}

# Memory that System V's calls share need be held by no process: there is as much of it as in /dev/shm, where the kernel lets us say so.
limit_segments() {
  read_page_size
  echo "$((memory_kb / 2 / page_kb))" >/proc/sys/kernel/shmall
  # Queues of messages and semaphores come to some MB.
  echo 64 >/proc/sys/kernel/msgmni
  echo 16384 >/proc/sys/kernel/msgmnb
  echo 250 32000 100 1024 >/proc/sys/kernel/sem
} 2>/dev/null

# is_anybody_left FOLDER...: does one of these processes live but our own?
is_anybody_left() {
  for folder in "$@"; do
    [ "$folder" != "/proc/$ours" ] || continue
    stat_fields "$folder/stat"
    is_over "$folder" || return 0
  done
  return 1
}

# Limits that the kernel holds, then the command with less rights than its supervisor.
start_command() {
  trap - TERM
  ulimit -c 0
  ulimit -f "$((disk_kb * 2))" 2>/dev/null
  limit_descriptors
  [ "$containment" != process-group ] || leave_room
  [ -z "$rlimit_processes" ] || limit_processes "$rlimit_processes"
  if [ -w /proc/self/oom_score_adj ]; then echo 1000 >/proc/self/oom_score_adj; fi 2>/dev/null
  run_command
}

# All descriptors are looked through for what has no name.
limit_descriptors() {
  while read -r _ first second soft hard _; do
    [ "$first$second" = openfiles ] || continue
    case $soft in unlimited | [2-9]???? | ??????*) ulimit -S -n 20000 ;; esac
    case $hard in unlimited | [2-9]???? | ??????*) ulimit -H -n 20000 ;; esac
  done </proc/self/limits
} 2>/dev/null

limit_processes() { ulimit -u "$1" || ulimit -p "$1"; } 2>/dev/null

# Of the processes that our user may have some stay for us, to end the run with.
leave_room() {
  while read -r first second most _; do
    [ "$first$second" = Maxprocesses ] && [ "$most" != unlimited ] && [ "$most" -gt 36 ] && limit_processes "$((most - 24))"
  done </proc/self/limits
}

# Waits for a child through any trapped signal -> code
await() {
  while :; do
    wait "$1"
    code=$?
    kill -0 "$1" 2>/dev/null || return 0
  done
}

# --- who belongs to the run ------------------------------------------------------------------------------------

# members [WORD]: folders of /proc of all processes of the run, one a line; then the word, unless a search could not be started
members() {
  case $containment in
    pid-namespace) for folder in "/proc/$init/root/proc"/[0-9]*; do echo "$folder"; done ;;
    # The folder of a process is its effective user's, also where what is in it is root's (a program that is not dumpable).
    uid)
      find /proc -maxdepth 1 -name '[0-9]*' -user "$uid" 2>/dev/null
      [ "$?" -ge 126 ] || echo "${1:-}"
      ;;
    *) { marked_members && unmarked_members && echo "${1:-}"; } | sort -u ;;
  esac
}

# Those that have its mark. Anybody may lower their own limit to that number: only our own user's count.
marked_members() {
  [ -n "$mark" ] || return 0
  search -lsF -- " $mark " /proc/[0-9]*/limits | {
    whole=1
    while read -r file; do
      user_of "${file%/limits}"
      if [ "$file" = . ]; then whole=0; elif [ "$user" = "$our_user" ]; then echo "${file%/limits}"; fi
    done
    [ "$whole" = 0 ]
  }
}

# search WORD...: what grep finds, then a dot unless it was killed, or could not be started
search() {
  grep "$@"
  [ "$?" -ge 126 ] || echo .
}

# Those of its session, and of what left that those that have the run's folder in their environment.
unmarked_members() {
  read_session
  for folder in /proc/[0-9]*; do
    stat_fields "$folder/stat"
    # shellcheck disable=SC2086
    case $fields in Z*) ;; *) is_of_session $fields && echo "$folder" ;; esac
  done
  search -lsF -- "HOME=$work" /proc/[0-9]*/environ | {
    whole=1
    while read -r file; do
      if [ "$file" = . ]; then whole=0; else echo "${file%/environ}"; fi
    done
    [ "$whole" = 0 ]
  }
}

# -> session: the command's own, once it has begun
read_session() {
  session=
  [ ! -r session ] || read -r session <session
  case $session in [1-9]*) ;; *) session= ;; esac
}

# is_of_session FIELD...: a process of the command, or of the shell that waits for it
is_of_session() {
  [ "${4:-0}" = "$child" ] || [ "${4:-0}" = "$session" ]
}

# scan -> found: what lives of the run; 1 where the search could not be started: the run may have all processes that there can be.
scan() {
  found='' searched=1
  for folder in $(members .); do
    case $folder in
      .) searched=0 ;;
      "/proc/$me") ;;
      *)
        stat_fields "$folder/stat"
        is_over "$folder" || found="$found ${folder#/proc/}"
        ;;
    esac
  done
  return "$searched"
}

# kill_unaided CENTISECONDS: stops and kills what can be found without starting anything, so that something can be started again
# -> found: what is left by then. What is dead counts until its parent has heard of it.
kill_unaided() {
  read_session
  clock
  unaided_then=$((now + $1))
  while :; do
    found='' dead=
    for folder in /proc/[0-9]*; do
      stat_fields "$folder/stat"
      { [ "$folder" != "/proc/$me" ] && is_member "$folder"; } || continue
      if is_over "$folder"; then dead=1; else found="$found ${folder#/proc/}"; fi
    done
    # shellcheck disable=SC2086
    kill -STOP $found
    # shellcheck disable=SC2086
    kill -KILL $found
    clock
    { [ -n "$found$dead" ] && [ "$now" -lt "$unaided_then" ]; } || return 0
  done 2>/dev/null
}

# -> crowd: how many processes the run has; threads: how many threads, and threads_ours: of our own user. Counted without starting
# anything. What is dead counts until its parent has heard of it, as it does for the kernel.
count_crowd() {
  crowd=0 threads=0 threads_ours=0
  if [ "$containment" = pid-namespace ]; then
    init=
    [ ! -r init ] || read -r init _ <init
    # Until its own /proc is mounted, that folder is the host's.
    [ -n "$init" ] && [ ! -e "/proc/$init/root/proc/self" ] || return 0
    set -- "/proc/$init/root/proc"/[0-9]*
  else
    read_session
    set -- /proc/[0-9]*
  fi
  for folder in "$@"; do
    stat_fields "$folder/stat"
    [ "$containment" = pid-namespace ] || { [ "$folder" != "/proc/$me" ] && is_member "$folder"; } || continue
    crowd=$((crowd + 1))
    count_threads
    threads=$((threads + counted))
    user_of "$folder"
    [ "$user" != "$our_user" ] || threads_ours=$((threads_ours + counted))
  done
}

# -> counted: the threads of a process with these fields
count_threads() {
  # shellcheck disable=SC2086
  set -- $fields
  counted=${18:-0}
}

# took_all: whether it is the run that left no process to others. Asked for a while: a crowd may come and go in flickers, so that it
# looks like one that others took them from.
took_all() {
  clock
  asking_until=$((now + 200))
  until took_now; do
    clock
    [ "$now" -lt "$asking_until" ] || return 1
  done
}

# took_now: whether it has more than it may, or most of all that count where there can be no more. Starts nothing.
took_now() {
  count_crowd
  # Process 1 is not the run's.
  [ "$crowd" -le $((processes_limit + 1)) ] || return 0
  # Where so few are all that there can be, the machine gives too little.
  [ "$threads" -ge 16 ] || return 1
  took_from_user || took_from_group
}

# took_most OWN ALL MOST: more than half of what is there, where that is about all that may be: some may have ended since
took_most() {
  case $3 in '' | *[!0-9]*) return 1 ;; esac
  [ $(($2 * 4)) -ge $(($3 * 3)) ] && [ $(($1 * 2)) -gt "$2" ]
}

# Of all that our user may have, which the kernel counts in threads.
took_from_user() {
  most=
  while read -r first second soft _; do [ "$first$second" != Maxprocesses ] || most=$soft; done </proc/self/limits
  [ "${most:-unlimited}" != unlimited ] || return 1
  all=0
  for folder in /proc/[0-9]*; do
    user_of "$folder"
    [ "$user" = "$our_user" ] || continue
    stat_fields "$folder/stat"
    count_threads
    all=$((all + counted))
  done
  took_most "$threads_ours" "$all" "$most"
}

# Of all that our control group may have, or one around it: in the hierarchy of that controller, or the one of all (cgroup2).
took_from_group() {
  while IFS=: read -r _ controllers group; do
    case ,$controllers, in
      *,pids,*) took_below '* - cgroup * *pids*' && return 0 ;;
      ,,) took_below '* - cgroup2 *' && return 0 ;;
    esac
  done </proc/self/cgroup
  return 1
} 2>/dev/null

# took_below TYPE: of a hierarchy that is mounted so
took_below() {
  while read -r _ _ _ top mounted kind; do
    # shellcheck disable=SC2254
    case $kind in $1) ;; *) continue ;; esac
    top=${top%/}
    # In a container it may begin at that very group.
    case $group/ in "$top"/*) at=$mounted${group#"$top"} ;; *) continue ;; esac
    at=${at%/}
    while
      most='' all=
      [ ! -r "$at/pids.max" ] || read -r most <"$at/pids.max"
      [ ! -r "$at/pids.current" ] || read -r all <"$at/pids.current"
      took_most "$threads" "${all:-0}" "$most" && return 0
      [ "$at" != "$mounted" ]
    do at=${at%/*}; done
  done </proc/self/mountinfo
  return 1
}

# is_member FOLDER, of a process with these fields
is_member() {
  # shellcheck disable=SC2086
  is_of_session $fields && return 0
  user_of "$1"
  [ "$containment" != uid ] || { [ "$user" = "$uid" ] && return 0; }
  [ -n "$mark" ] && [ "$user" = "$our_user" ] || return 1
  while read -r limit; do
    case $limit in *" $mark "*) return 0 ;; esac
  done 2>/dev/null <"$1/limits"
  return 1
}

# All of the run's user at once: who begets another and ends is missed by every scan. The run may stop who does it, so that nobody
# waits for that.
kill_user() {
  setpriv --reuid "$uid" --regid "$uid" --clear-groups /bin/sh -c 'kill -KILL -1' >/dev/null 2>&1 &
  hunter=$! tries=0
  while [ "$tries" -lt 20 ] && kill -0 "$hunter" 2>/dev/null; do
    tries=$((tries + 1))
    sleep 0.01
  done
  [ "$tries" -lt 20 ] || kill -KILL "$hunter" 2>/dev/null
  wait "$hunter" 2>/dev/null
}

# Stop, scan, kill until two scans are empty -> tree_gone
kill_members() {
  # Asked again by a signal in the middle of it.
  [ "$killing" = 0 ] || return 0
  killing=1 rounds=0 empty=0
  tripped=
  [ ! -r reason ] || read -r tripped _ <reason
  [ "$tripped" != processes ] || kill_unaided 200
  while [ "$rounds" -lt 50 ] && [ "$empty" -lt 2 ]; do
    rounds=$((rounds + 1))
    [ "$containment" != uid ] || [ "$rounds" -gt 3 ] || kill_user
    if ! scan; then
      kill_unaided 200
      # All that this looks at is whole where the run has a mark, or a user.
      [ -n "$found" ] || [ -z "$mark$uid" ] || empty=$((empty + 1))
      continue
    fi
    if [ -z "$found" ]; then
      empty=$((empty + 1))
      continue
    fi
    empty=0
    # shellcheck disable=SC2086
    kill -STOP $found 2>/dev/null
    stopped=$found
    scan
    # shellcheck disable=SC2086
    kill -KILL $stopped $found 2>/dev/null
    [ "$rounds" -lt 5 ] || sleep 0.05
  done
  killing=0
  [ "$empty" -lt 2 ] || tree_gone=true
}

# What System V's calls made belongs to no process, and outlives its user's last one: memory, semaphores and queues that the run's own
# user has or made. As that user, since root may lack the right to another's.
remove_segments() {
  [ "$containment" = uid ] || return 0
  segments=
  list_segments -m 6 8 /proc/sysvipc/shm
  list_segments -s 3 5 /proc/sysvipc/sem
  list_segments -q 6 8 /proc/sysvipc/msg
  [ -n "$segments" ] || return 0
  # shellcheck disable=SC2086
  if command -v ipcrm >/dev/null; then as_user ipcrm $segments; else as_user perl -e "$ipcrm" -- $segments; fi
  return 0
}

# shellcheck disable=SC2016
ipcrm='while (my ($kind, $id) = splice @ARGV, 0, 2) {
  if ($kind eq "-m") { shmctl $id, 0, 0 } elsif ($kind eq "-s") { semctl $id, 0, 0, 0 } else { msgctl $id, 0, 0 }
}'

as_user() { setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@" >/dev/null 2>&1; }

# list_segments OPTION OWNER MAKER FILE: adds what is the user's, which stand in these columns behind an object's number
list_segments() {
  kind=$1 owner=$2 maker=$3
  while read -r _ number columns; do
    # shellcheck disable=SC2086
    set -- $columns
    eval "has=\${$owner:-} made=\${$maker:-}"
    case $uid in "$has" | "$made") segments="$segments $kind $number" ;; esac
  done 2>/dev/null <"$4"
}

# signal NAME: to the whole run
signal() {
  if [ "$containment" = pid-namespace ]; then
    init=
    [ ! -r init ] || read -r init _ <init
    # TERM is passed on by process 1; KILL of process 1 takes all the others with it.
    if [ -n "$init" ]; then kill "-$1" "$init" 2>/dev/null; else kill -KILL "$child" 2>/dev/null; fi
  elif [ "$1" = TERM ]; then
    kill -TERM "-$child" 2>/dev/null || kill -TERM "$child" 2>/dev/null
    # And what left its group; nothing hears it twice.
    for folder in $(members); do
      stat_fields "$folder/stat"
      # shellcheck disable=SC2086
      set -- $fields
      [ "$folder" = "/proc/$me" ] || [ "${3:-$child}" = "$child" ] || kill -TERM "${folder#/proc/}" 2>/dev/null
    done
  else
    kill_members
  fi
}

# --- limits ----------------------------------------------------------------------------------------------------

# because REASON...: the first one stays. It is written into a file that is there from the start, which only one can take:
# a run may have left no block and no inode.
because() {
  [ ! -e reason ] || return 0
  if mv reason.spare "reason.$1" 2>/dev/null; then
    # A link, since another may have written one meanwhile; it takes no inode.
    printf '%s\n' "$*" 1<>"reason.$1" && ! ln "reason.$1" reason 2>/dev/null && [ ! -e reason ] && mv "reason.$1" reason
  else
    (set -C && echo "$*" >reason) 2>/dev/null
  fi
}

# The same without starting anything: there may be no process left to do it with.
because_unaided() {
  set -C
  echo "$*" >reason
  set +C
} 2>/dev/null

# trip REASON...: asks the main process to end the run, without grace where it is eating the machine
trip() {
  case $1 in processes) because_unaided "$@" ;; *) because "$@" ;; esac
  case $1 in wall | cpu | killed) word=TERM ;; *) word=USR1 ;; esac
  # A helper may outlive a supervisor that was killed, and its process id may be another's by now.
  alive "$me" "$birth" "$boot" && kill "-$word" "$me"
}

# nap CENTISECONDS
nap() {
  sleep "$(($1 / 100)).$(($1 / 10 % 10))$(($1 % 10))" &
  napping=$!
  wait "$napping"
}

# One look at the tree, which trips the limit of processes -> tree (folders of /proc), rss (kB), ticks (hundredths of a CPU second)
measure() {
  tree='' rss=0 ticks=0 looked=
  # Until the run's own /proc is mounted, that folder is the host's: it knows us, and counts everybody.
  [ "$containment" != pid-namespace ] || [ ! -e "/proc/$init/root/proc/self" ] || return 0
  if [ "$containment" = pid-namespace ]; then set -- "/proc/$init/root/proc"/[0-9]*; else set -- $(members); fi
  tree=$*
  # Counted before anything is read: a fork bomb leaves little time. Process 1 is not the run's.
  processes=$(($# - 1))
  [ "$processes" -le "$processes_limit" ] || trip processes
  # First, so that what it computes between the two is never taken for waiting. Only a budget of CPU time asks for it.
  [ -z "$cpu" ] || look_at_threads "$@"
  for folder in "$@"; do
    stat_fields "$folder/stat"
    add_process $fields
    note_times "${folder##*/}" $fields
    # What is held by a process whose first thread has ended is told by the others.
    case $fields in Z*) add_threads "$folder" ;; esac
  done
  count_unreaped
  ticks=$((ticks + unreaped))
  read_group
  # It knows best, but where nothing came into it.
  [ "$grouped" = 0 ] || ticks=$grouped
  [ -z "$cpu" ] || count_wait "$@"
}

# --- CPU time of children that nobody waited for ---------------------------------------------------------------
#
# The CPU time of a process goes to its parent's sum when that waits for it, and to nobody's when that ignores SIGCHLD. A control
# group of the run's own counts it all the same, where we may make one. Elsewhere it is what was seen of a process at the last
# look before it went: it goes by unseen who is shorter than the time between two looks, and so does the end of who is not.

# make_group -> group: a control group for the run, in a hierarchy that counts CPU time (cgroup2, or cpuacct); empty where none is
# to be had
make_group() {
  group=
  group_in '' '* - cgroup2 *' cpu.stat || group_in cpuacct '* - cgroup *cpuacct*' cpuacct.usage || group=
}

# group_in CONTROLLER TYPE FILE
group_in() {
  while IFS=: read -r _ controllers path; do
    case ,$controllers, in ,"$1",) ;; *) continue ;; esac
    while read -r _ _ _ top mounted kind; do
      # shellcheck disable=SC2254
      case $kind in $2) ;; *) continue ;; esac
      top=${top%/}
      # In a container it may begin at that very group.
      case $path/ in "$top"/*) at=$mounted${path#"$top"} ;; *) continue ;; esac
      at=${at%/}
      [ -w "$at/cgroup.procs" ] && [ -r "$at/$3" ] || continue
      drop_groups "$at"
      group=$at/perpetua-$me-$birth group_file=$3
      mkdir "$group" 2>/dev/null && return 0
    done </proc/self/mountinfo
  done </proc/self/cgroup
  return 1
} 2>/dev/null

# drop_groups FOLDER: those of supervisors that were killed
drop_groups() {
  for old in "$1"/perpetua-[0-9]*-[0-9]*; do
    owner=${old##*/perpetua-}
    [ ! -d "$old" ] || alive "${owner%-*}" "${owner#*-}" "$boot" || rmdir "$old"
  done
}

# join_group: with all that we start from here on; where that is refused the group counts nothing
join_group() { [ -z "$group" ] || echo 0 >"$group/cgroup.procs"; } 2>/dev/null

# read_group -> grouped: what its processes computed, those that are gone, too; in hundredths of a second
read_group() {
  grouped=0 count=
  [ -n "$group" ] || return 0
  case $group_file in
    cpu.stat) read -r _ count <"$group/cpu.stat" && grouped=$((${count:-0} / 10000)) ;;
    *) read -r count <"$group/cpuacct.usage" && grouped=$((${count:-0} / 10000000)) ;;
  esac
} 2>/dev/null

# note_times PID FIELD... -> looked: words PID/BIRTH/OWN/REAPED, in hundredths of a second
note_times() {
  [ $# -lt 23 ] || looked="$looked $1/${21}/$((${13} + ${14}))/$((${15} + ${16}))"
}

# count_unreaped -> unreaped: of what was there at the last look and is gone, what is in no sum of those that are left. It may be
# in one a look earlier or later than it goes, since processes are read one after the other.
count_unreaped() {
  # The process that waits for the command: once that is gone all sums are.
  anchor=$init
  case $containment in
    pid-namespace) anchor=1 ;;
    # Not the run's user.
    uid) stat_fields "/proc/$anchor/stat" && note_times "$anchor" $fields ;;
  esac
  case "$looked " in *" $anchor/"*) ;; *) before='' && return 0 ;; esac
  # Thousands of processes shall not keep us from our other limits.
  [ "$processes" -lt 500 ] || looked=
  gone=0 reaped=0
  for one in $before; do
    times=${one#*/}
    times=${times#*/}
    case "$looked " in
      *" ${one%/*/*}/"*)
        seen=${looked##*" ${one%/*/*}/"}
        seen=${seen%% *}
        reaped=$((reaped + ${seen#*/} - ${times#*/}))
        ;;
      *) gone=$((gone + ${times%/*} + ${times#*/})) ;;
    esac
  done
  before=$looked
  [ -n "$looked" ] || return 0
  told=$((reaped + told_before))
  least "$doubtful" "$told"
  unreaped=$((unreaped + doubtful - less)) told=$((told - less))
  least "$gone" "$told"
  doubtful=$((gone - less)) told=$((told - less))
  least "$told" "$reaped"
  told_before=$less
}

# least A B -> less: the smaller one
least() { if [ "$1" -lt "$2" ]; then less=$1; else less=$2; fi; }

# is_odd TICKS: more than the run may use, or than two cores do since the last look?
is_odd() {
  [ "$grouped" = 0 ] || return 1
  clock
  [ $(($1 - spent)) -gt $((2 * (now - measured))) ] || { [ -n "$cpu" ] && [ "$1" -gt "$cpu" ]; }
}

# Adds one process: its own time and that of the children it has waited for.
add_process() {
  [ $# -ge 22 ] || return 0
  add_rss "$@"
  ticks=$((ticks + ${12} + ${13} + ${14} + ${15}))
}

add_rss() {
  rss=$((rss + ${22:-0} * page_kb))
}

# Adds what a process holds, by a thread of it that lives.
add_threads() {
  for thread in "$1"/task/*; do
    stat_fields "$thread/stat"
    case $fields in '' | Z* | X*) continue ;; esac
    set -- $fields
    rss=$((rss + ${22:-0} * page_kb))
    return 0
  done
}

# What the tree really holds, pages shared by several processes counted once -> rss (kB), mapped (kB of it in files in memory; empty
# where the kernel does not say)
measure_shares() {
  rss=0 mapped=
  for folder in "$@"; do
    add_share "$folder/smaps_rollup" && continue
    for thread in "$folder"/task/*; do add_share "$thread/smaps_rollup" && continue 2; done
    # It hides them from us (it is not dumpable), but not what they come to.
    stat_fields "$folder/stat"
    add_rss $fields
  done
}

# add_share FILE: adds its part of the pages that it shares; 1 where it tells none
add_share() {
  share=
  while read -r key size _; do
    case $key in Pss:) share=$size ;; Pss_Shmem:) mapped=$((${mapped:-0} + size)) ;; esac
  done 2>/dev/null <"$1"
  [ -n "$share" ] && rss=$((rss + share))
}

# --- waiting for a CPU -----------------------------------------------------------------------------------------
#
# How long others kept the run from a CPU: the longest that one of its threads computed or was ready to, less all that the
# run computed. So it makes no wait by sleeping, nor with threads and processes of its own that wait for each other: one
# waits no longer than the others compute. What ends unseen may take its CPU time with it (a child of who ignores SIGCHLD),
# so each look that finds the run at that, while its thread waits, takes a second off.

# look_at_threads PROCESS... -> keenest (the thread that was ready for longest), ready and stalled (that time, and its part without
# a CPU), living (CPU time of all threads), in nanoseconds
look_at_threads() {
  keenest='' ready=0 stalled=0 living=0 threads=0
  for folder in "$@"; do
    is_first "$folder" && continue
    for thread in "$folder"/task/*/schedstat; do
      # Who starts thousands shall not keep us from our other limits.
      [ "$threads" -lt 1000 ] || break 2
      threads=$((threads + 1))
      ran=
      read -r ran queued _ 2>/dev/null <"$thread"
      [ -n "$ran" ] || continue
      living=$((living + ran))
      [ $((ran + queued)) -le "$ready" ] || ready=$((ran + queued)) stalled=$queued keenest=${thread%/schedstat}
    done
  done
}

# count_wait PROCESS... -> waited (hundredths of a second); empty where the kernel does not say
count_wait() {
  [ -n "$keenest" ] || return 0
  computed=$((living / 10000000))
  [ "$computed" -ge "$ticks" ] || computed=$ticks
  # Only growth counts: what ended unseen is missing.
  [ "$computed" -le "$computed_before" ] || own=$((own + computed - computed_before))
  computed_before=$computed
  [ "$keenest" = "$keenest_before" ] || stalled_before=0
  [ $((stalled - stalled_before)) -le 20000000 ] || ! waits_for_itself "$@" || own=$((own + 100))
  keenest_before=$keenest stalled_before=$stalled
  foreign=$((ready / 10000000 - own))
  : "${waited:=0}"
  [ "$foreign" -le "$waited" ] || waited=$foreign
}

# waits_for_itself PROCESS...: does another process of the run compute, or has the thread a lower priority or fewer CPUs than
# it was given?
waits_for_itself() {
  stat_fields "$keenest/stat"
  rank_of $fields
  theirs=$rank
  stat_fields "/proc/$me/stat"
  rank_of $fields
  [ -z "$theirs" ] || [ "$theirs" = "$rank" ] || return 0
  cpus_of "$keenest"
  theirs=$cpus
  cpus_of "/proc/$me"
  [ -z "$theirs" ] || [ "$theirs" = "$cpus" ] || return 0
  for folder in "$@"; do
    if is_first "$folder" || [ "$folder" = "${keenest%/task/*}" ]; then continue; fi
    for thread in "$folder"/task/*/stat; do
      stat_fields "$thread"
      case $fields in R*) return 0 ;; esac
    done
  done
  return 1
}

# Process 1 is ours.
is_first() {
  case $1 in "/proc/$init" | "/proc/$init/root/proc/1") return 0 ;; *) return 1 ;; esac
}

# rank_of FIELDS -> rank: nice value and scheduling class
rank_of() { rank=${17:+${17}/${39:-}}; }

# cpus_of FOLDER -> cpus that it may use
cpus_of() {
  cpus=
  while read -r key value; do [ "$key" != Cpus_allowed_list: ] || cpus=$value; done 2>/dev/null <"$1/status"
}

# At moments that a run cannot foresee, where it could gain by hiding from a look -> pause
vary_pause() {
  read -r dice </proc/sys/kernel/random/uuid
  pause=$((pause / 2 + 0x${dice%%-*} % (pause + 1)))
}

# --- the watcher -----------------------------------------------------------------------------------------------

# -> unnamed_disk, unnamed_memory (memfd_create): kB that processes of the run hold open without a name
look_for_unnamed() {
  unnamed=$(measure_unnamed)
  unnamed_disk=${unnamed% *} unnamed_memory=${unnamed#* }
}

# The two in a line, each file counted once. So many are sorted as take little of our own memory.
measure_unnamed() {
  descriptors=
  for folder in $tree; do descriptors="$descriptors $folder/fd"; done
  [ -n "$descriptors" ] || return 1
  # shellcheck disable=SC2086
  find -L $descriptors -maxdepth 1 -type f -links 0 -exec stat -L -c '%d %i %b %B %n' {} + 2>/dev/null |
    head -n 500000 | sort -u -k 1,2 | {
    unnamed_disk=0 unnamed_memory=0 last='' kind=''
    while read -r device _ blocks size file; do
      # One of a device tells of what kind all of it is.
      [ "$device" = "$last" ] || kind=$(stat -L -f -c %t "$file" 2>/dev/null)
      last=$device
      case $kind in
        # tmpfs, hugetlbfs
        1021994 | 958458f6) unnamed_memory=$((unnamed_memory + blocks * size / 1024)) ;;
        *) unnamed_disk=$((unnamed_disk + blocks * size / 1024)) ;;
      esac
    done
    echo "$unnamed_disk $unnamed_memory"
  }
}

# Asked twice: a process that ends lets go of what it has mapped before it closes its files.
over_unnamed() {
  is_over_unnamed || return 1
  sleep 0.3
  look_for_unnamed
  is_over_unnamed
}

# Memory without a name that is mapped is counted where it is mapped.
is_over_unnamed() {
  [ "${unnamed_memory:-0}" -gt 0 ] || return 1
  # shellcheck disable=SC2086
  measure_shares $tree
  [ -n "$mapped" ] && [ "$unnamed_memory" -gt "$mapped" ] && [ $((rss + unnamed_memory - mapped)) -gt "$memory_kb" ]
}

# measured COMMAND... -> number, the last line that it prints; unread, to which its complaints of what it may not read are added: a line
# each, a thousand at most
measured() {
  said=$("$@" 2>&1 | grep -E '^[0-9]+$|: (Permission denied|File ?name too long)$' | tail -n 1001)
  number=${said##*"$newline"}
  case $number in '' | *[!0-9]*) number=0 ;; esac
  unread=$unread${said%"$number"}
}

# weigh: kB of what lies in the run's folders
weigh() {
  du -skx "$work" "$temporary" | { total=0; while read -r size _; do total=$((total + size)); done; echo "$total"; }
}

# What was staged, and laid over it, is no doing of the run; it is measured while it is there, which may be shorter than the run.
over_disk() {
  [ -n "$staged_kb" ] || measure_staged
  measured weigh
  used=$((number + ${unnamed_disk:-0}))
  # Read by whoever starts another run on this disk. Over what is there: the disk may be full.
  [ -z "$staged_kb" ] || echo "$((used - staged_kb))" 2>/dev/null 1<>written
  [ "$used" -gt $((disk_kb + ${staged_kb:-0})) ]
}

# measure_made -> excess: files, disk or nothing; seen; unread
measure_made() {
  excess='' unread=
  if over_files; then
    excess=files
  elif over_disk; then
    excess=disk
  fi
}

# look_for_excess: trips what is over its limit of what was made, if any. Folders that the run closed to its user are opened and
# measured, and looked at each second from then on. A run that closes one of them again keeps it from being measured, and so does a
# run in which ten looks in a row find others that are closed.
look_for_excess() {
  opened='' looks=0
  measure_made
  while [ -z "$excess" ] && [ -n "$unread" ] && alive "$me" "$birth" "$boot"; do
    looks=$((looks + 1))
    again=$({ printf '%s\n' "$opened" | sort -u; printf '%s\n' "$unread" | sort -u; } | sort | uniq -d | sed '/^$/d' | head -n 1)
    if [ -n "$again" ] || [ "$looks" -ge 10 ]; then
      excess=closed
      break
    fi
    opened=$unread
    open_closed
    measure_made
    [ -z "$excess" ] || break
    napping=
    trap 'kill "$napping" 2>/dev/null; exit 143' TERM
    nap 100
    trap - TERM
    measure_made
  done
  case $excess in
    files) trip files "$files_limit" "$seen" ;;
    disk) trip disk ;;
    closed) name_closed "${again:-$unread}" && trip closed "$name" ;;
  esac
}

# name_closed LINES -> name: of the path in the first complaint, without what neither JSON nor a reason can hold
name_closed() {
  name=${1%%"$newline"*}
  name=${name#*"${work%/*}/"}
  name=${name%: *}
  name=$(printf '%s' "${name%\'}" | tr -c 'A-Za-z0-9._/+=@,-' '?' | head -c 120)
}

# look_for_hidden_excess: the same with what has no name
look_for_hidden_excess() {
  look_for_unnamed
  if [ "${unnamed_disk:-0}" -gt 0 ] && over_disk; then
    trip disk
  elif over_unnamed; then
    trip memory
  fi
}

# look_back: what a run that is over had made beyond its limits since the last look -> excess: files, disk, closed or nothing; seen, name.
# Once: without a process to do it with, the end comes here again.
look_back() {
  excess=
  [ -z "${looked_back:-}" ] || return 0
  looked_back=1
  measure_staged
  [ -n "$staged_kb" ] || return 0
  measure_made
  [ -z "$excess" ] && [ -n "$unread" ] || return 0
  open_closed
  measure_made
  [ -n "$excess" ] || [ -z "$unread" ] || { name_closed "$unread" && excess=closed; }
}

# is_disk_low: less than 512 MiB or 10,000 files are free, below which nothing starts
is_disk_low() {
  # shellcheck disable=SC2046
  set -- $(stat -f -c '%a %S %c %d' -- "$work" 2>/dev/null)
  [ "$((${1:-0} * ${2:-0} / 1048576))" -lt 512 ] || { [ "${3:-0}" -gt 0 ] && [ "${4:-0}" -lt 10000 ]; }
}

# open_closed: opens what the run closed to its own user, which is ours; root reads what others close. A run that lives may put a link in
# a folder's place: within its sandbox that leads to nothing else of ours, and without one to nothing that it could not open itself.
open_closed() (
  [ -z "$uid" ] || exit 0
  enter=
  case $containment$sandbox${tree_gone:-} in
    pid-namespace1) enter="nsenter --target $init --user --mount --preserve-credentials" temporary=/tmp ;;
  esac
  # shellcheck disable=SC2086
  $enter find "$work" "$temporary" -xdev -type d ! -perm -500 -prune -exec chmod -R u+rX -- {} +
) 2>/dev/null

# make_room: of a run that exceeded its disk limit nothing is asked, and Postgres may share its disk
make_room() {
  [ -z "${made_room:-}" ] || return 0
  made_room=1
  [ "$our_user" = 0 ] || chmod -R u+rwx -- "$work" "$temporary"
  find "$work" "$temporary" -xdev -mindepth 1 -delete
} >/dev/null 2>&1

# Whether a file is as large as the kernel lets one be: who writes on is ended by SIGXFSZ, as 153.
has_largest() {
  [ -n "$(find "$work" "$temporary" -xdev -type f -size "+$((disk_kb * 2 - 1))" -print 2>/dev/null | head -c 1)" ]
}

# -> staged_kb; empty while nobody can say
measure_staged() {
  # Who made the spec may be of an older version.
  staged_kb=${laid_kb:-0} staged_files=${laid_files:-0}
  [ -n "$staged" ] || return 0
  staged_kb=$(du -skx "$staged/." 2>/dev/null)
  staged_kb=${staged_kb%%[!0-9]*}
  [ -z "$staged_kb" ] || staged_kb=$((staged_kb + ${laid_kb:-0}))
  staged_files=$(($(count_entries 999999999 "$staged" 2>/dev/null) + ${laid_files:-0}))
}

# count_entries MOST FOLDER...: each name in them, hard links too, and each of them; not beyond the most
count_entries() {
  most=$1
  shift
  find "$@" -xdev -print0 | tr -cd '\000' | head -c "$most" | wc -c
}

# The folders themselves are no doing of the run.
over_files() {
  [ -n "${files_limit:-}" ] || return 1
  [ -n "$staged_kb" ] || measure_staged
  own_names=$((${staged_files:-0} + 2))
  [ -n "$staged" ] && own_names=$((own_names - 1))
  measured count_entries "$((files_limit + own_names + 1))" "$work" "$temporary"
  seen=$((number - own_names))
  [ "$seen" -gt "$files_limit" ]
}

# Beside the other limits: what the run made takes as long to look through as it likes, and what it holds open once more.
# -> looker and searcher, one at a time each
look_at_disk() {
  [ -n "$staged_kb" ] || measure_staged
  if [ -z "$looker" ] || ! alive "$looker" "$looker_birth" "$boot"; then
    look_for_excess >/dev/null 2>&1 &
    looker=$!
    born_of "$looker"
    looker_birth=$born
  fi
  if [ -z "$searcher" ] || ! alive "$searcher" "$searcher_birth" "$boot"; then
    look_for_hidden_excess >/dev/null 2>&1 &
    searcher=$!
    born_of "$searcher"
    searcher_birth=$born
  fi
}

# -> page_kb
read_page_size() {
  page_kb=4
  while read -r key size _; do
    [ "$key" != KernelPageSize: ] || { page_kb=$size && break; }
  done 2>/dev/null </proc/self/smaps
}

# end_helper PID BIRTH: one that we started; its number may be another's by now
end_helper() { [ -z "$1" ] || ! alive "$1" "$2" "$boot" || kill "$1" 2>/dev/null; }

watch() {
  trap 'kill "$napping" 2>/dev/null; end_helper "$looker" "$looker_birth"; end_helper "$searcher" "$searcher_birth"; exit 143' TERM
  peak=0 spent=0 beat=0 missing=0 napping='' staged_kb='' looker='' looker_birth='' searcher='' searcher_birth='' late=''
  read_page_size
  before='' unreaped=0 doubtful=0 told_before=0 grouped=0 measured=$began
  waited='' own=0 computed_before=0 keenest_before='' stalled_before=0
  while alive "$me" "$birth" "$boot"; do
    clock
    left=
    [ -z "$wall" ] || left=$((wall - (now - began)))
    [ ! -e reason ] || : "${late:=$((now + grace + 300))}"
    # Whoever was to end it after its grace may have been killed. Asked again and again: two signals at once may be one to a shell.
    if [ -n "$late" ] && [ "$now" -ge "$late" ]; then
      ! alive "$me" "$birth" "$boot" || kill -USR1 "$me"
    elif [ -n "$left" ] && [ "$left" -le 0 ]; then
      trip wall
    fi
    pause=50
    [ "$beat" -gt 0 ] || pause=10
    [ -z "$cpu" ] || vary_pause
    [ -z "$left" ] || [ "$left" -le 0 ] || [ "$left" -ge "$pause" ] || pause=$left
    nap "$pause"
    beat=$((beat + 1))
    # Somebody removed the folder we work in: nobody will ever find this run again. A disk of the network may be away.
    missing=$((missing + 1))
    [ ! -e claim ] || missing=0
    [ "$missing" -lt 20 ] || trip killed
    init=
    [ ! -r init ] || read -r init _ <init
    measure
    if [ "$rss" -gt "$memory_kb" ]; then
      measure_shares $tree
      [ "$rss" -le "$memory_kb" ] || trip memory
    fi
    [ "$rss" -le "$peak" ] || peak=$rss
    # A process that ends while we look may be counted twice, in its own sum and in that of who waited for it; not in two looks.
    ! is_odd "$ticks" || measure
    measured=$now
    [ "$ticks" -le "$spent" ] || spent=$ticks
    # Over what is there: emptied first, it would be lost where we are killed or the disk is full.
    echo "$peak $spent $unreaped $waited" 1<>usage
    [ -z "$cpu" ] || [ "$spent" -le "$cpu" ] || trip cpu
    [ $((beat % 4)) -ne 2 ] || look_at_disk
  done
}

# A run that nobody watches has no limits: killed by somebody, which is not the run's doing, the watcher takes it along.
keep_watch() {
  trap 'trap - EXIT; kill "$watching" 2>/dev/null; exit 0' TERM
  # Where it cannot even be started.
  trap 'blame unaided' EXIT
  watch &
  watching=$!
  trap - EXIT
  await "$watching"
  alive "$me" "$birth" "$boot" || exit 0
  # One that ended by itself could not start what it needs.
  case $code in 1[3-9]? | 129) lose ;; *) blame ;; esac
}

# blame [unaided]: nothing can be started any more: for all the processes of the run where it took them, else the machine is at fault
blame() {
  if took_all; then trip processes; else lose "$@"; fi
}

# lose [unaided]: the run is lost, and all of it ends. It ends first: nobody gives its user to another run before we are gone.
lose() {
  alive "$me" "$birth" "$boot" || return 0
  if [ "$containment" != pid-namespace ]; then
    # Where nothing can be started, too: nobody else would let it go on. Within such a trap there is no other.
    trap 'kill_unaided 200; kill -KILL "$me"' EXIT
    kill -STOP "$me"
    if [ "${1:-}" = unaided ]; then kill_unaided 200; else kill_members; fi
    trap - EXIT
  fi
  kill -KILL "$me"
}

# limit_output FILE COMMAND...: copies into it, at most the allowed bytes into any file (the kernel counts, in blocks of 512), then ends the
# run.
limit_output() {
  into=$1
  shift
  (ulimit -c 0 && ulimit -f "$(((output_bytes + 511) / 512))" && exec "$@" >>"$into")
  case $? in
    153) trip output ;;
    # With no room for the one, tee goes on with the other.
    1) [ "$1" != tee ] || return 74 ;;
    # Killed by somebody, which is not the run's doing: it is lost, as if we had been killed.
    1[3-9]? | 129) lose ;;
  esac
}

# --- the run ---------------------------------------------------------------------------------------------------

# On USR1: the run ends at once, in its grace, too.
hasten() { if [ "$stopping" = 0 ]; then terminate; else signal KILL; fi; }

# On TERM: the run ends, with grace unless it is eating the machine.
terminate() {
  because killed
  [ "$stopping" = 0 ] || return 0
  stopping=1
  why=killed
  [ ! -r reason ] || read -r why _ <reason
  case $why in
    wall | cpu | killed | stopped)
      clock
      grace_then=$((now + grace))
      signal TERM
      (
        trap 'kill "$napping" 2>/dev/null; exit 0' TERM
        nap "$grace"
        # The user of a run whose supervisor was killed may be another run's by now.
        ! alive "$me" "$birth" "$boot" || signal KILL
      ) &
      killer=$!
      born_of "$killer"
      killer_birth=$born
      ;;
    *) signal KILL ;;
  esac
}

start_run() {
  if [ "$talk" = 1 ]; then
    # 0 and 1 are the candidate's, 3 is the pipe whose end says that the worker is gone.
    exec 7<&0 8>&1 9<&3 3<&-
    { launch_run; } <&7 >&8 7<&- 8>&- 9<&- &
    child=$!
    exec 0</dev/null 1>/dev/null 2>/dev/null 7<&- 8>&-
    {
      # What is written there is not its end.
      while read -r _; do :; done <&9
      trip killed
    } &
    helper=$!
    exec 9<&-
  else
    mkfifo pipe || exit 70
    # Both ends are open before anything starts, so that neither side waits for one that was killed.
    exec 5<>pipe 6<pipe 7>pipe 5<&-
    # Braces: a function's redirections would keep copies of what they replace.
    if [ "${apart:-0}" = 0 ]; then
      exec 8</dev/null 9>&7
      { limit_output output cat; } <&6 6<&- 7>&- 8<&- 9>&- &
      helper=$!
    else
      mkfifo pipe.err || exit 70
      exec 5<>pipe.err 8<pipe.err 9>pipe.err 5<&-
      # What is read at once is appended as one piece, first to what both have said: by that they are limited.
      { limit_output output tee -a stdout; } <&6 6<&- 7>&- 8<&- 9>&- &
      helper=$!
      { limit_output output tee -a stderr; } <&8 6<&- 7>&- 8<&- 9>&- &
      second=$!
    fi
    { launch_run; } </dev/null >&7 2>&9 6<&- 7>&- 8<&- 9>&- &
    child=$!
    exec 6<&- 7>&- 8<&- 9>&-
  fi
}

launch_run() {
  join_group
  own_session
  # If this script is killed, the kernel kills what it started.
  case $containment in
    pid-namespace)
      exec ${perl:+"$perl" -e "$way" $calls} setpriv --pdeathsig KILL unshare $namespaces $shell "$self" --inside "$control"
      ;;
    *)
      [ -z "$mark" ] || set_mark
      exec ${perl:+"$perl" -e "$way" $calls} setsid $shell "$self" --inside "$control"
      ;;
  esac
}

# A limit that the kernel does not heed and all children inherit: by it they are found. dash and busybox call it w, bash x.
set_mark() { ulimit -w "$mark" || ulimit -x "$mark"; } 2>/dev/null

# Leaves, where anything here can, the session keyring of a login, which all that it starts shares -> perl, way
own_session() {
  perl=$(command -v perl) || perl=
  way='my ($keyctl, $prctl, $seccomp, $arch, $socket, $other_socket, $prlimit, $other_prlimit) = splice @ARGV, 0, 8;
    my ($one, $two, $these, $others, $sworn) = splice @ARGV, 0, 5;
    syscall $keyctl + 0, 1, 0;'
  # Without a fork on kernels since 6.1.
  read -r machine 2>/dev/null </proc/sys/kernel/arch || machine=$(uname -m)
  case $machine in
    x86_64) calls="250 157 317 $((0xC000003E)) 41 359 302 340" ;;
    aarch64) calls="219 167 277 $((0xC00000B7)) 198 281 261 369" ;;
    *) perl= ;;
  esac
  allow=$((0x7fff0000)) refuse=$((0x50000 + 97))
  # Laid out by an older version, it says only whether there is a sandbox.
  case ${closes-$sandbox} in
    # Those between a virtual machine and its host, which no namespace divides.
    vsock | 1) calls="$calls 40 40 $refuse $allow 0" way="$way $close_sockets" ;;
    # All but Unix's and netlink's: there are more families than IPv4 and IPv6 that lead to a network.
    network) calls="$calls 1 16 $allow $refuse ${sworn:-0}" way="$way $close_sockets" ;;
    *) calls="$calls 0 0 0 0 0" ;;
  esac
  way="$way exec @ARGV; exit 127"
  case ${closes:-}${sworn:-0}$perl in
    network1)
      echo 'the network could not be closed: perl is gone, which closes it' >&2
      exit 126
      ;;
  esac
}

# A filter of system calls: sockets of two families get one answer, all others the other. io_uring makes sockets that no filter
# sees, socketcall some whose family it cannot read: not there (ENOSYS), nor are the calls of x32. The other arch is 32-bit code.
# Limits are set by a process for itself alone: process 1, where it has the run's user, could else be kept from saying what it saw.
# Root needs no promise of never gaining rights, others do. -> the file filtered, where the kernel took it
# shellcheck disable=SC2016
close_sockets='
  my ($load, $equal, $from, $answer, $eperm, $enosys, $allow) = (0x20, 0x15, 0x35, 0x06, 0x50000 + 1, 0x50000 + 38, 0x7fff0000);
  my $filter = pack "(SCCL)*",
    $load, 0, 0, 4, $equal, 0, 5, $arch,
    $load, 0, 0, 0, $from, 16, 0, 0x40000000, $equal, 15, 0, 425, $equal, 11, 0, $prlimit, $equal, 5, 14, $socket,
    $load, 0, 0, 0, $equal, 11, 0, 102, $equal, 10, 0, 425, $equal, 6, 0, $other_prlimit, $equal, 0, 9, $other_socket,
    $load, 0, 0, 16, $equal, 2, 0, $one, $equal, 1, 0, $two, $answer, 0, 0, $others, $answer, 0, 0, $these,
    $load, 0, 0, 16, $equal, 2, 0, 0, $answer, 0, 0, $eperm, $answer, 0, 0, $enosys, $answer, 0, 0, $allow;
  my $program = pack "Sx6P", length($filter) / 8, $filter;
  my $taken = syscall($seccomp + 0, 1, 4, $program) == 0;
  unless ($taken) {
    syscall $prctl + 0, 38, 1, 0, 0, 0;
    $taken = syscall($seccomp + 0, 1, 4, $program) == 0;
  }
  if ($taken) {
    open my $said, ">", "filtered";
  } elsif ($sworn) {
    print STDERR "the network could not be closed: the kernel took no filter of system calls ($!)\n";
    exit 126;
  }
'

# The one look at the calendar -> started; the end is later by the clock that cannot jump.
timestamp() {
  started=$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)
  case $started in *[!0-9TZ:.-]*) started=$(date -u +%Y-%m-%dT%H:%M:%SZ) ;; esac
}

# Whether anything of the candidate's ran: its sandbox or its user may not have been to be had, or a disk of the network that is
# gone held mounts up. Where the candidate can reach this, it could make itself a second chance.
has_begun() {
  [ "$containment" != process-group ] || return 0
  # Laid out by an older version, whose script is the one inside.
  [ -e begun ] || return 0
  read -r begun_mark <begun
  [ "$begun_mark" = 1 ]
}

tell_unbegun() {
  echo "the command could not be begun ($why, exit code $code):"
  [ ! -e output ] || tail -c 300 output
} 2>/dev/null

# The shell could start nothing more, and gave up: for all the processes of the run where it took them, else for want of what the
# machine should have, and the run is lost.
give_up() {
  trap - EXIT
  took=0
  ! took_all || took=1
  if [ "$containment" = pid-namespace ]; then
    signal KILL
    await "$child"
  else
    kill_unaided 1000
  fi
  killing=0
  [ "$took" = 0 ] || because_unaided processes
  [ -e reason ] || { echo 'its supervisor could start no process more' >failed && exit 71; }
  finish
}

# A survivor may hold the pipe open. Where nothing can be started, not even a sleep, it is not waited for.
let_go_of_pipe() {
  trap 'end_helper "$helper" "$helper_birth"; end_helper "$second" "$second_birth"' EXIT
  sleep 1
  :
}

# is_out_of_reach: whether the run cannot have kept who waits for it from saying what it saw: no end of its own looks like this, so that
# it cannot kill itself into a second chance. With the same user it could set limits to process 1, but for the filter.
is_out_of_reach() {
  [ "$containment" != process-group ] && { [ -n "$uid" ] || [ "$sandbox" = 0 ] || [ -e filtered ]; }
}

finish() {
  trap '' TERM INT HUP USR1
  # A start that fails ends the shell: what has all processes ends then, as far as nothing need be started for that.
  trap 'trap - EXIT; kill_unaided 1000; killing=0; finish' EXIT
  tree_gone=true
  if [ "$containment" != pid-namespace ]; then
    tree_gone=false
    kill_members
    remove_segments
    (let_go_of_pipe) 2>/dev/null &
  fi
  # Whom we waited for, or another wait of ours, has its number no longer.
  [ "$talk" = 0 ] || end_helper "$helper" "$helper_birth"
  end_helper "$watcher" "$watcher_birth"
  end_helper "$killer" "$killer_birth"
  for one in "$helper" $second; do
    wait "$one"
    # What the run said is cut: it ends as one does whose stream nobody reads any more.
    case $?,$code in 74,0) code=141 ;; esac
  done
  why=exit more=''
  # Also where who wrote the reason died of it.
  [ "$stopping" = 0 ] || why=killed
  # Empty where it was written without a start, on a disk that is full.
  [ ! -r reason ] || { read -r why allowed seen <reason; : "${why:=processes}"; }
  # The limit of one file's size is the disk limit, too; anybody may exit with that code.
  case $why$code in exit153) ! has_largest || why=disk ;; esac
  excess=
  case $why$code in exit0 | [!ew]*) ! is_disk_low || look_back ;; *) look_back ;; esac
  case $why$excess in
    exitfiles | wallfiles) why=files allowed=$files_limit ;;
    exitdisk | walldisk) why=disk ;;
    exitclosed | wallclosed) why=closed allowed=$name ;;
  esac
  case $why in
    files) why=disk more=",\"files\":{\"allowed\":$allowed,\"seen\":$seen}" ;;
    closed) why=disk more=",\"closed\":\"$allowed\"" ;;
  esac
  begun=1
  case $why in exit | wall) has_begun || begun=0 ;; esac
  [ "$begun" = 1 ] || [ -e failed ] || tell_unbegun >failed
  [ "$begun" = 1 ] && [ ! -e failed ] || { trap - EXIT && exit 71; }
  clock
  if [ "$why" = disk ] || [ -n "$excess" ]; then make_room; fi
  # Into a file that is there from the start: there may be no block and no inode left.
  times 1<>ended.tmp
  { read -r _ && read -r user system; } <ended.tmp
  peak=0 spent=0 unreaped=0 waited=
  [ ! -r usage ] || read -r peak spent unreaped waited <usage
  read_group
  [ "$grouped" -le "${spent:-0}" ] || spent=$grouped
  # Who waited for the command was killed before it saw an end.
  if [ -e seen ] && [ ! -s seen ] && is_out_of_reach; then
    # Of a killed process 1, some versions of unshare say no more than 1.
    case $why$code in exit1 | exit137) why=killed code=137 ;; esac
  fi
  printf '{"reason":"%s","code":%d,"startedAt":"%s","birth":%d,"wallCs":%d,"user":"%s","system":"%s","maxRssKb":%d,"ticks":%d,"unreapedCs":%d,"waitCs":%s,"containment":"%s","sandboxed":%d,"treeGone":%s%s}\n' \
    "$why" "$code" "$started" "$birth" "$((now - began))" "$user" "$system" "${peak:-0}" "${spent:-0}" "${unreaped:-0}" "${waited:-null}" "$containment" "$sandbox" "$tree_gone" "$more" \
    1<>ended.tmp && mv ended.tmp ended.json
  trap - EXIT
  [ -z "$group" ] || rmdir "$group" 2>/dev/null
}

main() {
  # Limits of file sizes count in blocks of 512 bytes, in bash only if it is told so.
  [ -z "${BASH_VERSION:-}" ] || set -o posix
  LC_ALL=C
  export LC_ALL
  newline='
'
  stopping=0 second='' watcher='' watcher_birth='' killer='' killer_birth='' child='' early=0 grace_then=0 killing=0
  trap 'early=1' TERM INT HUP USR1
  case $1 in
    --inside)
      control=$2
      cd "$control" || exit 125
      . ./spec
      inside
      ;;
  esac
  control=$1
  cd "$control" || exit 66
  . ./spec
  # A scan with an empty name would find everybody.
  case $work in /?*/?*) ;; *) exit 78 ;; esac
  case $uid in '' | [1-9][0-9][0-9][0-9]*) ;; *) exit 78 ;; esac
  [ "$containment" != uid ] || [ -n "$uid" ] || exit 78
  # Laid out by an older version, or not to be had in this shell.
  case $containment${mark:-} in process-group[1-9]??????????????) (set_mark) || mark= ;; *) mark= ;; esac
  user_of /proc/self
  our_user=$user
  again=0
  [ "${2:-}" != again ] || again=1
  close_inherited
  umask 077
  identify
  claim
  clock
  began=$now
  timestamp
  printf '{"pid":%d,"start":"%s","boot":"%s","fence":%d,"startedAt":"%s","containment":"%s"}\n' \
    "$me" "$birth" "$boot" "$fence" "$started" "$containment" >started.tmp && mv started.tmp started.json || exit 70
  make_group
  # Of a run before, whose supervisor was killed.
  remove_segments
  start_run
  born_of "$helper"
  helper_birth=$born
  [ -z "$second" ] || born_of "$second"
  second_birth=$born
  trap give_up EXIT
  trap hasten USR1
  trap terminate TERM INT HUP
  [ "$early" = 0 ] || terminate
  keep_watch &
  watcher=$!
  born_of "$watcher"
  watcher_birth=$born
  await "$child"
  # A namespace ends with its process 1; here the command's shell may have ended before what it called.
  ours=$me
  while [ "$containment" != pid-namespace ] && [ "$grace_then" -gt "$now" ]; do
    # shellcheck disable=SC2046
    is_anybody_left $(members) || break
    sleep 0.05
    clock
  done
  finish
}

main "$@"
exit 0
