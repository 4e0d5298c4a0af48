#!/bin/sh
# Runs one command on a slot: claims the run, contains it, watches it, and records its end.
# Usage: supervisor.sh CONTROL-DIRECTORY
#        supervisor.sh --drop-groups: removes control groups that killed supervisors left
# CONTROL/spec holds shell assignments and the function run_command; spec.ts writes it.
# The supervisor leaves in CONTROL:
#   claim/owner: pid, start time, boot id and fence
#   started.json: the first file
#   begun: marked when the command itself starts
#   output: both streams. If the streams are separate, also stdout and stderr.
#   ended.json: the last file. If the machine was at fault, there is none, and `failed` says why.
# Must pass under dash, busybox sh and bash. Steps that every run takes avoid forks.

# --- clocks and identities, without forks; ssh/scripts.ts copies this section -----------------------------------

# clock -> now: centiseconds since boot
clock() {
  read -r now _ </proc/uptime
  now=${now%.*}${now#*.}
}

# stat_fields FILE -> fields: fields after the command's name, which may itself hold newlines and brackets
stat_fields() {
  fields=
  while read -r part; do fields="$fields $part"; done 2>/dev/null <"$1"
  fields=${fields##*) }
}

# alive PID START BOOT: true if that very process exists and is not a zombie
alive() {
  [ "$3" = "$boot" ] && [ -r "/proc/$1/stat" ] || return 1
  wanted=$2
  stat_fields "/proc/$1/stat"
  # shellcheck disable=SC2086
  set -- $fields
  [ $# -ge 22 ] && [ "$1" != Z ] && [ "$1" != X ] && [ "${20}" = "$wanted" ]
}

# is_over FOLDER: true if a process has ended, by its fields. If only its first thread has ended, other threads may go
# on.
is_over() {
  case $fields in '' | X*) return 0 ;; Z*) ;; *) return 1 ;; esac
  for task in "$1"/task/*; do
    [ ! -e "$task" ] || [ "${task##*/}" = "${1##*/}" ] || return 1
  done
}

# user_of FOLDER -> user: number of the process's real user
user_of() {
  user=
  while read -r key real _; do [ "$key" != Uid: ] || { user=$real && break; }; done 2>/dev/null <"$1/status"
}

identify() {
  read -r boot </proc/sys/kernel/random/boot_id
  read -r me _ </proc/self/stat
  birth_of "$me"
}

# birth_of PID -> birth: start time of a process. After `identify`, birth is that of this process.
birth_of() {
  born_of "$1"
  birth=$born
}

# born_of PID -> born: start time of a process, in clock ticks since boot
born_of() {
  stat_fields "/proc/$1/stat"
  # shellcheck disable=SC2086
  set -- $fields
  born=${20:-}
}

# --- descriptors that the caller left open ----------------------------------------------------------------------

# close_inherited: closes all descriptors but 0, 1, 2 and, in a conversation, the pipe on 3, and an evaluator's result on
# 6. A run must not read or write through others.
close_inherited() {
  for file in /proc/self/fd/*; do
    number=${file##*/}
    case $number in
      [012]) ;;
      3) [ "$talk" = 1 ] || exec 3>&- ;;
      6) [ "${result:-0}" = 1 ] || exec 6>&- ;;
      ?) eval "exec $number>&-" ;;
      *) is_passed_on "$number" && close_far "$number" ;;
    esac
  done
}

# is_passed_on NUMBER: true if programs inherit the descriptor. The shell's own descriptors close when it starts a
# program.
is_passed_on() {
  flags=
  while read -r key value; do [ "$key" != flags: ] || flags=$value; done 2>/dev/null <"/proc/self/fdinfo/$1"
  case $flags in '' | *[2367]??????) return 1 ;; esac
}

# close_far NUMBER: dash takes a descriptor number of two digits for a command. If this shell does so, another shell
# runs this script instead.
close_far() {
  if (eval "exec $1>&-") 2>/dev/null; then
    eval "exec $1>&-"
    return 0
  fi
  for able in bash 'busybox sh'; do
    [ "$again" = 0 ] && command -v "${able%% *}" >/dev/null || continue
    # The other shell gets a signal that came before. One that comes now ends this shell, which has claimed nothing.
    trap - TERM INT HUP USR1
    exec $able "$self" "$control" again "$early"
  done
  echo "descriptor $1 was left open by the caller, and there is neither bash nor busybox to close it" >&2
  exit 78
}

# --- claim ------------------------------------------------------------------------------------------------------

# others_free: checks the other fences of this run. 0: this claim may go on. 1: another fence holds or held the run.
others_free() {
  for other in ../../*/ctl; do
    theirs=${other#../../}
    theirs=${theirs%/ctl}
    case $theirs in "$fence" | *[!0-9]*) continue ;; esac
    [ -e "$other/ended.json" ] && return 1
    [ -d "$other/claim" ] || continue
    [ "$theirs" -gt "$fence" ] && return 1
    rounds=0
    # A lower fence that has just claimed sees this claim and leaves, unless it has started before.
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
  # The run was ended before it began, by a process that found no free inode to take the claim.
  [ ! -e ended.json ] || exit 0
  if [ "$talk" = 0 ] && ! others_free; then
    # Nothing ran under this claim: give it back.
    rm -rf claim
    exit 0
  fi
}

# --- the sandbox: a new root that holds system folders (read-only), the run directory, and nothing else ------------

# line TEXT: prints a line. echo of some shells interprets backslashes, which escape blanks here.
line() { printf '%s\n' "$1"; }

# seal_below: makes all mounts below the root read-only. `ro` of a bind mount covers that mount alone, not a disk or a
# volume below it.
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
    # A mask is an empty file system that belongs to its maker.
    case $entry in *' - tmpfs '*size=64k*) continue ;; esac
    mount -o "remount,bind,ro,${flags#rw}" "$at" 2>/dev/null && continue
    # The run cannot reach a mount that another one covers. Below a mask, the mount point does not even exist.
    if is_mounted "$at"; then return 1; fi
  done
)

# is_mounted FOLDER: some hosts lack the program mountpoint.
is_mounted() { if command -v mountpoint >/dev/null; then mountpoint -q "$1"; else [ -e "$1" ]; fi; }

# link_streams: makes the links by which shells open process substitutions, and programs their streams.
link_streams() {
  cp -P /dev/fd /dev/stdin /dev/stdout /dev/stderr "$root/dev/" 2>/dev/null ||
    { ln -sfn /proc/self/fd "$root/dev/fd" && ln -sf fd/0 "$root/dev/stdin" &&
      ln -sf fd/1 "$root/dev/stdout" && ln -sf fd/2 "$root/dev/stderr"; }
}

# name_user -> named: files of the sandbox's own, in which the run's user has a name and a home. Its line comes first,
# since the machine may have the name or the number, too.
name_user() {
  named=
  # A spec of an older version has no name.
  [ -n "${login:-}" ] || return 0
  user_of /proc/self
  for file in passwd group; do
    [ -f "/etc/$file" ] && [ ! -L "/etc/$file" ] || continue
    case $file in
      passwd) row="$login:x:${uid:-$user}:${uid:-$user}::$home:/bin/sh" ;;
      group) row="$login:x:${uid:-$user}:" ;;
    esac
    { line "$row" && cat "/etc/$file"; } >"$root/.$file" || return 1
    named="$named $file"
  done
}

build_root() {
  mount -t tmpfs -o mode=755,size=16m tmpfs "$root" || return 1
  links='' binds=''
  for folder in bin sbin lib lib32 lib64 libx32; do
    if [ -L "/$folder" ]; then links="$links /$folder"; elif [ -d "/$folder" ]; then binds="$binds $folder"; fi
  done
  for folder in usr etc opt nix gnu; do [ -d "/$folder" ] && binds="$binds $folder"; done
  mkdir -p "$root/.old" "$root/dev/shm" "$root/proc" "$root/tmp" "$root$work" || return 1
  # shellcheck disable=SC2086
  [ -z "$links" ] || cp -P $links "$root/" || return 1
  link_streams && name_user || return 1
  table=$root/.fstab
  {
    for folder in $binds; do
      line "/$folder $root_escaped/$folder none rbind,ro,nosuid,nodev,X-mount.mkdir 0 0"
    done
    for file in $named; do line "$root_escaped/.$file $root_escaped/etc/$file none bind,ro 0 0"; done
    gpu=0
    nodes='null zero full random urandom'
    # A spec of a run does not set gpus: the run sees the GPUs that its variables name.
    [ "${gpus:-1}" = 0 ] || nodes="$nodes nvidiactl nvidia-uvm nvidia-uvm-tools nvidia[0-9]* dxg kfd"
    for node in $nodes; do
      for device in /dev/$node; do
        [ -c "$device" ] || continue
        : >"$root$device"
        line "$device $root_escaped$device none bind 0 0"
        case $device in /dev/nvidia* | /dev/kfd) gpu=1 ;; esac
      done
    done
    # Programs open parts of a GPU (MIG) through nvidia-caps.
    for folder in dri nvidia-caps; do
      [ "${gpus:-1}" = 0 ] || [ ! -d "/dev/$folder" ] || line "/dev/$folder $root_escaped/dev/$folder none rbind,X-mount.mkdir 0 0"
    done
    [ "$gpu" = 0 ] || line "/sys $root_escaped/sys none rbind,ro,X-mount.mkdir 0 0"
    # A process that can open the folder of another control group can start a child there (clone3), though the mount is
    # read-only.
    [ "$gpu" = 0 ] || [ ! -d /sys/fs/cgroup ] ||
      line "tmpfs $root_escaped/sys/fs/cgroup tmpfs ro,mode=755,size=64k 0 0"
    line "tmpfs $root_escaped/dev/shm tmpfs mode=1777,nosuid,nodev,size=$((memory_kb / 2))k,nr_inodes=$((memory_kb / 16 + 1024)) 0 0"
    line "proc $root_escaped/proc proc nosuid,nodev,noexec 0 0"
    # If process 1 has the run's user, the run could make it the kernel's first victim when memory runs out, or lower
    # its share of the CPU.
    for file in oom_score_adj oom_adj autogroup task/1/oom_score_adj task/1/oom_adj; do
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

# inside: process 1 of the run's own pid namespace. Builds the sandbox, starts the command, reaps children, passes TERM
# on.
inside() {
  identify
  asked=0 ours=$$
  echo "$me $birth $boot" >init
  # A process that ends the run writes the reason, and then searches for process 1. If it killed unshare in its first
  # steps, this process goes on alone, and finds the reason here.
  [ ! -e reason ] || exit 143
  # Opened while the control directory is visible. The run itself never sees that directory.
  exec 4>"$control/seen" 5<>"$control/begun"
  umask 022
  own_network=
  case $sandbox$namespaces in 1*--net*) own_network=1 ;; esac
  [ -z "$own_network" ] || record_loopback
  case $containment$sandbox in
    *1) build_root || { echo 'the sandbox could not be built' >"$control/failed" && exit 125; } ;;
    pid-namespace0) mount -t proc proc /proc || { echo 'no /proc of its own' >"$control/failed" && exit 125; } ;;
  esac
  [ "$sandbox" = 0 ] || limit_segments
  [ -z "$own_network" ] || open_ipv6
  cd "$work" || exit 125
  # `kill -1` signals every process. Only process 1 of a pid namespace may do that.
  if [ "$containment" = pid-namespace ]; then
    { [ "$$" = 1 ] && [ "$me" != 1 ]; } || exit 125
    trap 'asked=1; kill -TERM -1' TERM
  fi
  [ "$early$asked" = 00 ] || exit 143
  exec 3<&0
  { start_command; } <&3 3<&- 4>&- &
  # The command leads a session of its own. Without a namespace, the session identifies its processes.
  [ "$containment" = pid-namespace ] || echo "$!" >"$control/session"
  # TERM came before there was a process to receive it.
  [ "$asked" = 0 ] || kill -TERM -1
  exec 0</dev/null 3<&- 5>&- 6>&- 1>/dev/null 2>/dev/null
  await $!
  # The shell of the command ends at TERM. Its children have the grace period, until KILL ends process 1.
  while [ "$asked" = 1 ] && is_anybody_left /proc/[0-9]*; do sleep 0.05; done
  echo "$code" >&4
  exit "$code"
}

# limit_segments: no process need hold System V shared memory. Its limit is the size of /dev/shm, if the kernel allows
# to set it.
limit_segments() {
  read_page_size
  echo "$((memory_kb / 2 / page_kb))" >/proc/sys/kernel/shmall
  # Message queues and semaphores may take some MB.
  echo 64 >/proc/sys/kernel/msgmni
  echo 16384 >/proc/sys/kernel/msgmnb
  echo 250 32000 100 1024 >/proc/sys/kernel/sem
} 2>/dev/null

# record_loopback -> the file `loopback`: 1 if the loopback of the run's own network is up, else 0
record_loopback() {
  up=1
  raise_loopback || up=0
  echo "$up" >"$control/loopback"
}

# raise_loopback: brings up the loopback of a network namespace, by the first way that this machine has. Interface
# flags: up and running. The kernel gives the files of /sys to root alone.
# shellcheck disable=SC2016
raise_loopback() {
  ip link set lo up || busybox ip link set lo up ||
    perl -e 'socket my $any, 2, 2, 0; ioctl $any, 0x8914, my $request = pack "a16sx14", "lo", 0x41 or exit 1' ||
    { mount -t sysfs sysfs "$root" && raise_by_file; }
} 2>/dev/null

# raise_by_file: the same through a mounted /sys, which is unmounted again
raise_by_file() {
  raised=0
  { echo 0x41 1<>"$root/class/net/lo/flags"; } || raised=1
  umount "$root"
  return "$raised"
}

# open_ipv6: gives the loopback ::1, if the kernel has IPv6 and the machine turned it off for new networks.
open_ipv6() { [ ! -w /proc/sys/net/ipv6/conf/lo/disable_ipv6 ] || echo 0 >/proc/sys/net/ipv6/conf/lo/disable_ipv6; } 2>/dev/null

# is_anybody_left FOLDER...: true if one of these processes lives, other than this one
is_anybody_left() {
  for folder in "$@"; do
    [ "$folder" != "/proc/$ours" ] || continue
    stat_fields "$folder/stat"
    is_over "$folder" || return 0
  done
  return 1
}

# start_command: sets the limits that the kernel enforces, then starts the command with fewer rights than its
# supervisor.
start_command() {
  trap - TERM
  ulimit -c 0
  ulimit -f "$((disk_kb * 2))" 2>/dev/null
  limit_descriptors
  [ "$containment" != process-group ] || leave_room
  [ -z "$rlimit_processes" ] || limit_processes "$rlimit_processes"
  if [ -w /proc/self/oom_score_adj ]; then echo 1000 >/proc/self/oom_score_adj; fi 2>/dev/null
  # Without the link, the path may be too long for sockets, but programs find the folder.
  [ -n "${short:-}" ] && [ -L "$short" ] || short=$temporary
  # Without a user of its own, the run has the name of the supervisor's user.
  [ -n "${login:-}" ] || login=$(id -un 2>/dev/null) || login=perpetua
  run_command
}

# shorten: makes a link to the temporary folder, whose own path is too long for the name of a socket. Without the sticky
# bit, another user could replace the link. If another file has its name, ln fails, or makes a link inside a folder.
shorten() {
  [ -n "${short:-}" ] && [ -k /tmp ] && ln -s "$temporary" "$short" && [ "$(readlink "$short")" = "$temporary" ] || short=
} 2>/dev/null

# limit_descriptors: limits their number, since the supervisor searches all descriptors for unnamed files.
limit_descriptors() {
  while read -r _ first second soft hard _; do
    [ "$first$second" = openfiles ] || continue
    case $soft in unlimited | [2-9]???? | ??????*) ulimit -S -n 20000 ;; esac
    case $hard in unlimited | [2-9]???? | ??????*) ulimit -H -n 20000 ;; esac
  done </proc/self/limits
} 2>/dev/null

limit_processes() { ulimit -u "$1" || ulimit -p "$1"; } 2>/dev/null

# leave_room: reserves some of the user's processes for the supervisor, which needs them to end the run.
leave_room() {
  while read -r first second most _; do
    [ "$first$second" = Maxprocesses ] && [ "$most" != unlimited ] && [ "$most" -gt 36 ] && limit_processes "$((most - 24))"
  done </proc/self/limits
}

# await PID -> code: waits for a child, through any trapped signal
await() {
  while :; do
    wait "$1"
    code=$?
    kill -0 "$1" 2>/dev/null || return 0
  done
}

# --- who belongs to the run ------------------------------------------------------------------------------------

# members [WORD]: prints the /proc folders of all processes of the run, one a line. Then prints WORD, unless a search
# could not start.
members() {
  case $containment in
    pid-namespace) for folder in "/proc/$init/root/proc"/[0-9]*; do echo "$folder"; done ;;
    # The folder of a process belongs to its effective user, even if its files belong to root (a program that is not
    # dumpable).
    uid)
      find /proc -maxdepth 1 -name '[0-9]*' -user "$uid" 2>/dev/null
      [ "$?" -ge 126 ] || echo "${1:-}"
      ;;
    *) { marked_members && unmarked_members && echo "${1:-}"; } | sort -u ;;
  esac
}

# marked_members: prints processes with the run's mark. Any user may lower its own limit to that number, so only
# processes of the supervisor's user count.
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

# search WORD...: prints what grep finds, then a dot unless grep was killed or could not start
search() {
  grep "$@"
  [ "$?" -ge 126 ] || echo .
}

# unmarked_members: prints processes of the run's session. Also prints processes that left it, if the run's folder is in
# their environment.
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

# read_session -> session: session of the command once it has begun, else empty
read_session() {
  session=
  [ ! -r session ] || read -r session <session
  case $session in [1-9]*) ;; *) session= ;; esac
}

# is_of_session FIELD...: true for a process of the command, or of the shell that waits for it
is_of_session() {
  [ "${4:-0}" = "$child" ] || [ "${4:-0}" = "$session" ]
}

# scan -> found: living processes of the run. 1 if the search could not start: the run may have used up all processes.
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

# kill_unaided CENTISECONDS -> found: stops and kills processes that can be found without starting a program, so that
# programs can start again. found: processes that are left. A dead process counts until its parent has waited for it.
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

# count_crowd -> crowd: processes of the run; threads: their threads; threads_ours: those of the supervisor's user.
# Starts no program. A dead process counts until its parent has waited for it, as it does for the kernel.
count_crowd() {
  crowd=0 threads=0 threads_ours=0
  if [ "$containment" = pid-namespace ]; then
    init=
    [ ! -r init ] || read -r init _ <init
    # Until the run mounts its own /proc, that folder is the host's.
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

# count_threads -> counted: threads of the process with these fields
count_threads() {
  # shellcheck disable=SC2086
  set -- $fields
  counted=${18:-0}
}

# took_all: true if the run used up all processes. Checks for two seconds: a crowd that comes and goes in flickers would
# look like a victim of others.
took_all() {
  clock
  asking_until=$((now + 200))
  until took_now; do
    clock
    [ "$now" -lt "$asking_until" ] || return 1
  done
}

# took_now: true if the run has more processes than it may, or most of the processes of a user or group that is full.
# Starts no program.
took_now() {
  count_crowd
  # Process 1 does not belong to the run.
  [ "$crowd" -le $((processes_limit + 1)) ] || return 0
  # If there can be no more than so few, the machine is at fault.
  [ "$threads" -ge 16 ] || return 1
  took_from_user || took_from_group
}

# took_most OWN ALL MOST: true if OWN is more than half of ALL, and ALL is near MOST. Some processes may have ended
# since.
took_most() {
  case $3 in '' | *[!0-9]*) return 1 ;; esac
  [ $(($2 * 4)) -ge $(($3 * 3)) ] && [ $(($1 * 2)) -gt "$2" ]
}

# took_from_user: true if the run took most of the threads that the kernel allows the supervisor's user
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

# took_from_group: the same for the supervisor's control group, or one around it, in the hierarchy of the pids
# controller or in cgroup2
took_from_group() {
  while IFS=: read -r _ controllers group; do
    case ,$controllers, in
      *,pids,*) took_below '* - cgroup * *pids*' && return 0 ;;
      ,,) took_below '* - cgroup2 *' && return 0 ;;
    esac
  done </proc/self/cgroup
  return 1
} 2>/dev/null

# took_below TYPE: the same for the groups of a hierarchy that is mounted with this type
took_below() {
  while read -r _ _ _ top mounted kind; do
    # shellcheck disable=SC2254
    case $kind in $1) ;; *) continue ;; esac
    top=${top%/}
    # In a container the hierarchy may begin at that very group.
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

# is_member FOLDER: true if the process with these fields belongs to the run
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

# kill_user: kills all processes of the run's user at once. A scan misses a process that starts another and ends. The
# run may stop the killer, so that the wait for it is short.
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

# kill_members -> tree_gone: stops, scans and kills until two scans find nothing
kill_members() {
  # A signal called this function while it was running.
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
      # kill_unaided finds every process of a run that has a mark or a user.
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

# remove_segments: removes System V memory, semaphores and queues that the run's own user owns or made. They belong to
# no process, and outlive the last one. Removed as that user, since root may lack the right.
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

# list_segments OPTION OWNER MAKER FILE: adds the user's objects to segments. OWNER and MAKER are columns of FILE,
# counted after an object's number.
list_segments() {
  kind=$1 owner=$2 maker=$3
  while read -r _ number columns; do
    # shellcheck disable=SC2086
    set -- $columns
    eval "has=\${$owner:-} made=\${$maker:-}"
    case $uid in "$has" | "$made") segments="$segments $kind $number" ;; esac
  done 2>/dev/null <"$4"
}

# signal NAME: signals the whole run
signal() {
  if [ "$containment" = pid-namespace ]; then
    init=
    [ ! -r init ] || read -r init _ <init
    # Process 1 passes TERM on. KILL of process 1 kills all the others.
    if [ -n "$init" ]; then kill "-$1" "$init" 2>/dev/null; else kill -KILL "$child" 2>/dev/null; fi
  elif [ "$1" = TERM ]; then
    kill -TERM "-$child" 2>/dev/null || kill -TERM "$child" 2>/dev/null
    # Also signals processes that left the group. No process gets the signal twice.
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

# because REASON...: records the reason of the end; the first one stays. Written to a file that exists from the start,
# and that only one process can take: a run may have left no free block and no free inode.
because() {
  [ ! -e reason ] || return 0
  if mv reason.spare "reason.$1" 2>/dev/null; then
    # ln fails if another process has written a reason meanwhile, and takes no inode.
    printf '%s\n' "$*" 1<>"reason.$1" && ! ln "reason.$1" reason 2>/dev/null && [ ! -e reason ] && mv "reason.$1" reason
  else
    (set -C && echo "$*" >reason) 2>/dev/null
  fi
}

# because_unaided REASON...: the same without starting a program, since no process may be left for one
because_unaided() {
  set -C
  echo "$*" >reason
  set +C
} 2>/dev/null

# trip REASON...: makes the main process end the run, without grace if the run is exhausting the machine
trip() {
  case $1 in processes) because_unaided "$@" ;; *) because "$@" ;; esac
  case $1 in wall | cpu | killed) word=TERM ;; *) word=USR1 ;; esac
  # A helper may outlive a supervisor that was killed, whose pid may belong to another process by now.
  alive "$me" "$birth" "$boot" && kill "-$word" "$me"
}

# nap CENTISECONDS
nap() {
  sleep "$(($1 / 100)).$(($1 / 10 % 10))$(($1 % 10))" &
  napping=$!
  wait "$napping"
}

# measure -> tree (folders of /proc), rss (kB), ticks (hundredths of a CPU second; 0 if the kernel reports impossible
# times): measures the tree once, and trips the limit of processes
measure() {
  tree='' rss=0 ticks=0 looked=
  clock
  looked_at=$now
  # Until the run mounts its own /proc, that folder is the host's: it has this process, and shows all processes.
  [ "$containment" != pid-namespace ] || [ ! -e "/proc/$init/root/proc/self" ] || return 0
  if [ "$containment" = pid-namespace ]; then set -- "/proc/$init/root/proc"/[0-9]*; else set -- $(members); fi
  tree=$*
  # Counted before any file is read, since a fork bomb leaves little time. Process 1 does not belong to the run.
  processes=$(($# - 1))
  [ "$processes" -le "$processes_limit" ] || trip processes
  # Threads come first, so that CPU time between the two measurements never counts as waiting. Only a limit of time
  # needs it.
  [ -z "$wall$cpu" ] || look_at_threads "$@"
  for folder in "$@"; do
    stat_fields "$folder/stat"
    add_process $fields
    note_times "${folder##*/}" $fields
    # If the first thread of a process has ended, its other threads show the memory that it holds.
    case $fields in Z*) add_threads "$folder" ;; esac
  done
  read_cpu_group
  clock
  # A wrong time must not enter the sum of ended processes either.
  if is_possible "$ticks"; then
    count_unreaped
    ! is_possible "$((ticks + unreaped))" || ticks=$((ticks + unreaped))
  else
    ticks=0
  fi
  # The control group counts best, unless no process came into it.
  [ "$grouped" = 0 ] || ! is_possible "$grouped" || ticks=$grouped
  # A wait after the decision to end the run does not count.
  [ -z "$wall$cpu" ] || [ -e reason ] || count_wait "$@"
}

# count_cores -> cores: number of cores in use; 0 if the kernel does not say
count_cores() {
  cores=0
  while read -r name _; do case $name in cpu[0-9]*) cores=$((cores + 1)) ;; esac; done 2>/dev/null </proc/stat
}

# is_possible TICKS -> most: false if that is more than all cores can use from the run's start to `now`. Some kernels
# report such times now and then: the time since boot, for instance. The slack covers the steps before the run's start.
is_possible() {
  most=
  [ "$cores" -gt 0 ] || return 0
  most=$((cores * (now - began) + 500))
  [ "$1" -le "$most" ]
}

# --- CPU time of children that nobody waited for ---------------------------------------------------------------
#
# If a parent waits for a process, the CPU time of the process goes to the parent's sum. If the parent ignores SIGCHLD,
# it goes nowhere. A control group of the run counts it nevertheless, if the supervisor may make one. Otherwise a
# process counts with its last measurement before its end. That misses processes shorter than the time between two
# measurements, and the last moments of longer ones.

# note_times PID FIELD... -> looked: adds a word PID/BIRTH/OWN/REAPED, with times in hundredths of a second
note_times() {
  [ $# -lt 23 ] || looked="$looked $1/${21}/$((${13} + ${14}))/$((${15} + ${16}))"
}

# count_unreaped -> unreaped: CPU time of processes of the last measurement that are gone, as far as it is in no sum of
# those that are left. Processes are read one after the other. So a sum may contain the time one measurement before or
# after the process goes.
count_unreaped() {
  # anchor: the process that waits for the command. When it is gone, all sums are gone.
  anchor=$init
  case $containment in
    pid-namespace) anchor=1 ;;
    # The anchor does not have the run's user, so it is not in the tree.
    uid) stat_fields "/proc/$anchor/stat" && note_times "$anchor" $fields ;;
  esac
  case "$looked " in *" $anchor/"*) ;; *) before='' && return 0 ;; esac
  # Thousands of processes must not delay the other limits.
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

# least A B -> less: the smaller number
least() { if [ "$1" -lt "$2" ]; then less=$1; else less=$2; fi; }

# is_odd TICKS: true if that is more than the run may use, or more than two cores use since the last measurement
is_odd() {
  [ "$grouped" = 0 ] || return 1
  clock
  [ $(($1 - spent)) -gt $((2 * (now - measured))) ] || { [ -n "$cpu" ] && [ "$1" -gt "$cpu" ]; }
}

# add_process FIELD...: adds a process: its own time, and that of the children that it has waited for
add_process() {
  [ $# -ge 22 ] || return 0
  add_rss "$@"
  ticks=$((ticks + ${12} + ${13} + ${14} + ${15}))
}

add_rss() {
  rss=$((rss + ${22:-0} * page_kb))
}

# add_threads FOLDER: adds the memory that a process holds, as a living thread of it shows
add_threads() {
  for thread in "$1"/task/*; do
    stat_fields "$thread/stat"
    case $fields in '' | Z* | X*) continue ;; esac
    set -- $fields
    rss=$((rss + ${22:-0} * page_kb))
    return 0
  done
}

# measure_shares FOLDER... -> rss (kB): memory that the tree really holds; a page that several processes share counts
# once. mapped: kB of it in files in memory; empty if the kernel does not say
measure_shares() {
  rss=0 mapped=
  for folder in "$@"; do
    add_share "$folder/smaps_rollup" && continue
    for thread in "$folder"/task/*; do add_share "$thread/smaps_rollup" && continue 2; done
    # A process that is not dumpable hides its shares, but not their total.
    stat_fields "$folder/stat"
    add_rss $fields
  done
}

# add_share FILE: adds the process's part of the pages that it shares; 1 if the file does not show it
add_share() {
  share=
  while read -r key size _; do
    case $key in Pss:) share=$size ;; Pss_Shmem:) mapped=$((${mapped:-0} + size)) ;; esac
  done 2>/dev/null <"$1"
  [ -n "$share" ] && rss=$((rss + share))
}

# --- control groups ---------------------------------------------------------------------------------------------
#
# If the supervisor may make control groups, the kernel limits the memory and the processes of the run, also memory that
# no process has mapped. It counts their CPU time, also that of processes that ended between two measurements. Otherwise
# only the watcher's measurements limit the run. Version 2 of control groups has one hierarchy, version 1 has one for
# each controller, and a machine may have both. The only forks are for mkdir and rmdir.

# make_groups -> memory_group, processes_group, cpu_group: folders of the run's control groups; empty if none can be made.
# In version 2 they are one folder.
make_groups() {
  memory_group='' processes_group='' cpu_group='' lowered=0
  find_own_groups
  drop_groups
  name_group
  [ -z "$memory_at$processes_at$cpu_at" ] ||
    mkdir -p ${memory_at:+"$memory_at/$name"} ${processes_at:+"$processes_at/$name"} ${cpu_at:+"$cpu_at/$name"}
  ! is_made "$memory_at" || ! limit_memory "$memory_at/$name" || memory_group=$memory_at/$name
  ! is_made "$processes_at" || ! limit_tasks "$processes_at/$name" || processes_group=$processes_at/$name
  ! is_made "$cpu_at" || cpu_group=$cpu_at/$name
} 2>/dev/null

is_made() { [ -n "$1" ] && [ -d "$1/$name" ]; }

# name_group -> name: run directory and fence, for people; then the owner: birth of process 1, which identifies the pid
# namespace, and pid and birth of the supervisor
name_group() {
  name=${control%/*/*}
  case $control in */talk-*/ctl) name=${name%/*} ;; esac
  born_of 1
  name=perpetua-${name##*/}-$fence-$born-$me-$birth
}

# find_own_groups -> memory_at, processes_at, cpu_at: groups in which the supervisor may make groups for memory,
# processes and CPU time; empty if there is none
find_own_groups() {
  memory_at='' processes_at='' cpu_at='' cpuacct_at=''
  while IFS=: read -r _ controllers path; do
    case ,$controllers, in
      ,,) find_unified "$path" ;;
      # A hierarchy of several controllers has a link with the name of each.
      *,memory,*) find_own memory "$path" memory.oom_control && memory_at=$at ;;
      *,pids,*) find_own pids "$path" cgroup.procs && processes_at=$at ;;
      *,cpuacct,*) find_own cpuacct "$path" cpuacct.usage && cpuacct_at=$at ;;
    esac
  done <"$memberships"
  : "${cpu_at:=$cpuacct_at}"
  # Nothing limits or charges the CPU time of an evaluator.
  [ "${result:-0}" = 0 ] || [ "$cpu_at" = "$memory_at" ] || cpu_at=
} 2>/dev/null

# find_own FOLDER PATH FILE -> at: the supervisor's own group in this hierarchy, if it has FILE; 1 if groups cannot be
# made there
find_own() {
  locate "$hierarchies/$1" "$2"
  [ -w "$at/cgroup.procs" ] && [ -r "$at/$3" ]
}

# locate FOLDER PATH -> at. In a container, the hierarchy may begin at that very group.
locate() {
  at=$1${2%/}
  [ -d "$at" ] || at=$1
}

# find_unified PATH -> cpu_at, and memory_at and processes_at, in the hierarchy of version 2
find_unified() {
  top=$hierarchies
  [ -e "$top/cgroup.controllers" ] || top=$hierarchies/unified
  locate "$top" "$1"
  # Any group counts CPU time.
  [ ! -w "$at/cgroup.procs" ] || [ ! -r "$at/cpu.stat" ] || cpu_at=$at
  climb || return 0
  memory_at=$at processes_at=$at cpu_at=$at
}

# climb -> at: the nearest group above that may limit the memory and the processes of groups within it. A group with
# processes of its own, like that of the supervisor, may not. Leaves no group that has limits: they are meant for its
# runs, too. The limit of processes is an exception: each unit of systemd has one, and the run gets its own.
climb() {
  until gives_controllers; do
    [ "$at" != "$top" ] && ! is_limited || return 1
    at=${at%/*}
  done
}

gives_controllers() {
  [ -w "$at/cgroup.procs" ] && [ -w "$at/cgroup.subtree_control" ] || return 1
  has_controllers "$at/cgroup.controllers" || return 1
  has_controllers "$at/cgroup.subtree_control" || echo '+memory +pids' >"$at/cgroup.subtree_control"
}

# has_controllers FILE: true if the list contains the controllers for memory and for processes
has_controllers() {
  listed=
  read -r listed <"$1"
  case " $listed " in *' memory '*) ;; *) return 1 ;; esac
  case " $listed " in *' pids '*) ;; *) return 1 ;; esac
}

is_limited() {
  for limit in memory.max memory.high cpu.max cpuset.cpus io.max; do
    allowed=
    [ ! -r "$at/$limit" ] || read -r allowed _ <"$at/$limit"
    case $allowed in '' | max) ;; *) return 0 ;; esac
  done
  return 1
}

# limit_memory GROUP -> memory_limit (kB), memory_usage, memory_peak, memory_events: sets the limit of memory. It
# includes 16 MiB for process 1 and the namespaces of the run, which do not belong to the run. Swap is no way around it.
limit_memory() {
  memory_limit=$((memory_kb + 16384))
  if [ -e "$1/memory.max" ]; then
    memory_usage=memory.current memory_peak=memory.peak memory_events=memory.events
    echo "${memory_limit}K" >"$1/memory.max" || return 1
    [ ! -e "$1/memory.swap.max" ] || echo 0 >"$1/memory.swap.max"
    # The run ends with the first of its processes that the kernel kills.
    [ ! -e "$1/memory.oom.group" ] || echo 1 >"$1/memory.oom.group"
  else
    memory_usage=memory.usage_in_bytes memory_peak=memory.max_usage_in_bytes memory_events=memory.oom_control
    echo "${memory_limit}K" >"$1/memory.limit_in_bytes" || return 1
    [ ! -e "$1/memory.memsw.limit_in_bytes" ] || echo "${memory_limit}K" >"$1/memory.memsw.limit_in_bytes"
    # Without a limit of their own, network sockets do not count at all.
    [ ! -e "$1/memory.kmem.tcp.limit_in_bytes" ] || echo "${memory_limit}K" >"$1/memory.kmem.tcp.limit_in_bytes"
  fi
  # Kernels before 4.13 do not report that they killed a process of the group.
  while read -r key _; do [ "$key" != oom_kill ] || return 0; done <"$1/$memory_events"
  return 1
}

# limit_tasks GROUP: the kernel counts threads, too. So the limit only backs up the watcher's count of processes.
limit_tasks() { echo "$((processes_limit * 16 + 160))" >"$1/pids.max"; }

# drop_groups: removes groups of supervisors that were killed and whose processes have ended. It ends no process: the
# groups may belong to runs of another installation, which ends what its lost runs left.
drop_groups() {
  clock
  born_of 1
  namespace=$born
  drop_below "$memory_at"
  [ "$processes_at" = "$memory_at" ] || drop_below "$processes_at"
  [ "$cpu_at" = "$memory_at" ] || drop_below "$cpu_at"
}

# drop_below FOLDER: the same in one folder, whose name may be empty. The kernel removes no group that has processes.
drop_below() {
  [ -n "$1" ] || return 0
  for old in "$1"/perpetua-*-[0-9]*-[0-9]*-[0-9]*; do
    [ -d "$old" ] || continue
    owner=${old%-*}
    case $old in
      *-"$namespace-${owner##*-}-${old##*-}") ! alive "${owner##*-}" "${old##*-}" "$boot" || continue ;;
      # Supervisors of other pid namespaces are not visible from here. A supervisor fills its group in its first seconds.
      *) [ $((now - ${old##*-})) -gt 6000 ] || continue ;;
    esac
    rmdir "$old"
  done
} 2>/dev/null

# kill_group FOLDER: kills all processes of a group that are visible from here
kill_group() {
  while read -r pid; do case $pid in [1-9]*) kill -KILL "$pid" ;; esac; done <"$1/cgroup.procs"
} 2>/dev/null

# join_groups -> the file `joined`: moves this process into the groups, with all processes that it starts from here on.
# The file names the resources whose groups took it.
join_groups() {
  joined='' last=
  ! join "$memory_group" || joined=memory
  ! join "$processes_group" || joined="$joined processes"
  ! join "$cpu_group" || joined="$joined cpu"
  [ -z "$joined" ] || echo "$joined" >joined
} 2>/dev/null

join() {
  [ -n "$1" ] || return 1
  [ "$1" = "$last" ] || echo 0 >"$1/cgroup.procs" || return 1
  last=$1
}

# read_cpu_group -> grouped: CPU time of the group's processes, also of those that ended, in hundredths of a second
read_cpu_group() {
  grouped=0 count=
  [ -n "$cpu_group" ] || return 0
  if [ -r "$cpu_group/cpu.stat" ]; then
    read -r _ count <"$cpu_group/cpu.stat" && grouped=$((${count:-0} / 10000))
  else
    read -r count <"$cpu_group/cpuacct.usage" && grouped=$((${count:-0} / 10000000))
  fi
} 2>/dev/null

# read_memory_group -> held (kB): memory of the group, also of the kernel on its behalf. Leaves out copies of files on
# disk, which the kernel drops when it needs memory.
read_memory_group() {
  held=0
  [ -n "$memory_group" ] || return 0
  amount='' droppable=0 shared=0 sockets=0
  read -r amount <"$memory_group/$memory_usage"
  while read -r key count; do
    case $key in
      # Version 1 does not tell how much of the kernel's own memory it could drop.
      cache | file | slab_reclaimable) droppable=$((droppable + count)) ;;
      shmem) shared=$count ;;
    esac
  done <"$memory_group/memory.stat"
  [ ! -r "$memory_group/memory.kmem.tcp.usage_in_bytes" ] || read -r sockets <"$memory_group/memory.kmem.tcp.usage_in_bytes"
  count_queues
  held=$(((${amount:-0} - droppable + shared + sockets + queued) / 1024))
} 2>/dev/null

# count_queues -> queued: bytes that wait in sockets of the run's own network and that no control group counts:
# datagrams that the run holds back (MSG_MORE), and unread answers of netlink
count_queues() {
  queued=0
  case ${init:-}$namespaces in [0-9]*--net*) ;; *) return 0 ;; esac
  for table in udp udp6 udplite udplite6 icmp icmp6 netlink; do
    [ -r "/proc/$init/net/$table" ] || continue
    rows=0 waiting=0
    while [ "$rows" -lt 100 ] && read -r _ _ _ _ bytes _; do
      rows=$((rows + 1))
      case $bytes in
        *[!0-9A-F:]* | 00000000:*) ;;
        *:*) waiting=$((waiting + 0x${bytes%%:*})) ;;
        *) waiting=$((waiting + bytes)) ;;
      esac
    done <"/proc/$init/net/$table"
    # A shell reads byte by byte, and thousands of sockets must not delay the other limits.
    [ "$rows" -lt 100 ] || waiting=$(awk "$sum_queues" "/proc/$init/net/$table") || waiting=0
    queued=$((queued + waiting))
  done
}

# sum_queues: awk program that adds up the fifth column. Some awks read no hexadecimal numbers.
# shellcheck disable=SC2016
sum_queues='
  $5 ~ /^[0-9A-F]+:/ && $5 !~ /^0+:/ {
    number = 0
    for (at = 1; at <= 8; at++) number = number * 16 + index("0123456789ABCDEF", substr($5, at, 1)) - 1
    sum += number
  }
  $5 ~ /^[0-9]+$/ { sum += $5 }
  END { printf "%.0f\n", sum }
'

# is_full: true if the kernel can drop next to nothing of the group's memory, so that each further step waits for it.
# The kernel kills no process if sockets take the memory. Version 1 has leave_room_for_sockets for them.
is_full() { [ "$memory_usage" = memory.current ] && [ "$held" -gt $((memory_limit - 4096)) ]; }

# is_out_of_memory: true if the group was at its limit, and the kernel killed a process of the run. If the machine
# itself has no memory left, the kernel may kill processes of a run that is below its limit.
is_out_of_memory() {
  [ -n "$memory_group" ] || return 1
  reached=0 victims=0
  while read -r key count; do
    case $key in oom) reached=$count ;; oom_kill) victims=$count ;; esac
  done <"$memory_group/$memory_events"
  [ "$victims" -gt 0 ] || return 1
  # Version 1 does not tell. Its recent kernels do not count failures, but know the peak. The last request may have been
  # for a large page of 2 MiB.
  if [ -r "$memory_group/memory.limit_in_bytes" ]; then
    read -r ceiling <"$memory_group/memory.limit_in_bytes"
    read -r highest <"$memory_group/$memory_peak"
    [ $((highest + 4194304)) -lt "$ceiling" ] || reached=1
  fi
  [ "$reached" -gt 0 ]
} 2>/dev/null

# is_over_by_queues: true if the group's memory and the queues that no group counts exceed the limit together
is_over_by_queues() { [ "$queued" -gt 0 ] && [ "$held" -gt "$memory_limit" ]; }

# leave_room_for_sockets: version 1 counts network sockets apart. Lowers the limit of all other memory by what they
# hold. 1 if the run holds too much for that.
leave_room_for_sockets() {
  sockets=$((sockets / 1024))
  [ "$lowered" -gt 0 ] || [ $((${amount:-0} / 1024 + sockets)) -gt "$memory_limit" ] || return 0
  [ "$sockets" != "$lowered" ] || return 0
  lowered=$sockets
  [ "$sockets" -lt "$memory_limit" ] && echo "$((memory_limit - sockets))K" >"$memory_group/memory.limit_in_bytes"
} 2>/dev/null

# raise_peak -> peak: at least the group's peak, for a run that reached its limit between two measurements. Otherwise that
# peak says little, since it includes copies of files.
raise_peak() {
  highest=
  [ -z "$memory_group" ] || [ ! -r "$memory_group/$memory_peak" ] || read -r highest <"$memory_group/$memory_peak"
  [ "$((${highest:-0} / 1024))" -le "${peak:-0}" ] || peak=$((highest / 1024))
} 2>/dev/null

# kill_run_group: kills what is left of the run, however it left the run's session
kill_run_group() {
  group=${memory_group:-${processes_group:-$cpu_group}}
  [ -n "$group" ] || return 0
  # Version 2 kills also processes that start while it kills.
  if [ -w "$group/cgroup.kill" ]; then echo 1 >"$group/cgroup.kill"; else kill_group "$group"; fi
} 2>/dev/null

# remove_groups: a process that was killed just now may still be in a group. If it stays there, a later supervisor or a
# sweep removes the group.
remove_groups() {
  tries=0
  while [ "$tries" -lt 5 ]; do
    set --
    [ ! -d "$memory_group" ] || set -- "$memory_group"
    [ ! -d "$processes_group" ] || [ "$processes_group" = "$memory_group" ] || set -- "$@" "$processes_group"
    [ ! -d "$cpu_group" ] || [ "$cpu_group" = "$memory_group" ] || set -- "$@" "$cpu_group"
    [ $# -gt 0 ] || return 0
    rmdir "$@" && return 0
    sleep 0.1
    tries=$((tries + 1))
  done
} 2>/dev/null

# --- waiting for a CPU -----------------------------------------------------------------------------------------
#
# How long others kept the run from a CPU: the longest time that one thread of the run computed or was ready to, less
# all that the run computed. So the run gains no waiting time by sleeping. Nor does it with threads and processes of its
# own that wait for each other: one waits no longer than the others compute. A process that ends between two
# measurements may take its CPU time with it (a child of a process that ignores SIGCHLD). So each measurement that finds
# the thread waiting, and the run itself the cause, takes the time since the previous one off, a second at least.

# look_at_threads PROCESS... -> keenest (the thread that was ready for longest), ready and stalled (that time, and its
# part without a CPU), living (CPU time of all threads), in nanoseconds
look_at_threads() {
  keenest='' ready=0 stalled=0 living=0 threads=0
  for folder in "$@"; do
    is_first "$folder" && continue
    for thread in "$folder"/task/*/schedstat; do
      # Thousands of threads must not delay the other limits.
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

# count_wait PROCESS... -> waited (hundredths of a second); empty if the kernel does not say
count_wait() {
  [ -n "$keenest" ] || return 0
  computed=$((living / 10000000))
  [ "$computed" -ge "$ticks" ] || computed=$ticks
  # Only growth counts, since the sum lacks processes that ended between two measurements.
  [ "$computed" -le "$computed_before" ] || own=$((own + computed - computed_before))
  computed_before=$computed
  [ "$keenest" = "$keenest_before" ] || stalled_before=0
  # On a busy machine, more than a second may pass between two measurements.
  passed=$((looked_at - counted_at))
  counted_at=$looked_at
  [ "$passed" -ge 100 ] || passed=100
  [ $((stalled - stalled_before)) -le 20000000 ] || ! waits_for_itself "$@" || own=$((own + passed))
  keenest_before=$keenest stalled_before=$stalled
  foreign=$((ready / 10000000 - own))
  : "${waited:=0}"
  [ "$foreign" -le "$waited" ] || waited=$foreign
}

# record_given -> given_rank, given_cpus: what the run is given. Recorded before it starts: a run with the supervisor's
# user may lower the supervisor, too.
record_given() {
  stat_fields "/proc/$me/stat"
  rank_of $fields
  given_rank=$rank
  cpus_of "/proc/$me"
  given_cpus=$cpus
}

# waits_for_itself PROCESS...: true if another process of the run computes, or if the thread has a lower priority or
# fewer CPUs than the run was given, or its session a lower share
waits_for_itself() {
  stat_fields "$keenest/stat"
  rank_of $fields
  [ -z "$rank" ] || [ "$rank" = "$given_rank" ] || return 0
  cpus_of "$keenest"
  [ -z "$cpus" ] || [ "$cpus" = "$given_cpus" ] || return 0
  ! lowered_session "${keenest%/task/*}" || return 0
  for folder in "$@"; do
    if is_first "$folder" || [ "$folder" = "${keenest%/task/*}" ]; then continue; fi
    for thread in "$folder"/task/*/stat; do
      stat_fields "$thread"
      case $fields in R*) return 0 ;; esac
    done
  done
  return 1
}

# is_first FOLDER: true for process 1, which belongs to the supervisor
is_first() {
  case $1 in "/proc/$init" | "/proc/$init/root/proc/1") return 0 ;; *) return 1 ;; esac
}

# rank_of FIELDS -> rank: nice value and scheduling class
rank_of() { rank=${17:+${17}/${39:-}}; }

# lowered_session FOLDER: true if a process of the run lowered the share of its session, by which some kernels share the
# CPUs (CONFIG_SCHED_AUTOGROUP). Each session begins with the nice value 0, also if the supervisor's has another.
lowered_session() {
  level=
  read -r _ _ level 2>/dev/null <"$1/autogroup"
  [ "${level:-0}" -gt 0 ]
}

# cpus_of FOLDER -> cpus: list of the CPUs that it may use
cpus_of() {
  cpus=
  while read -r key value; do [ "$key" != Cpus_allowed_list: ] || cpus=$value; done 2>/dev/null <"$1/status"
}

# count_left -> left: hundredths of a second until the run's time is over. The wall limit does not count the time in
# which others kept the run from a CPU; the backstop counts it. On a busy machine a measurement takes long, so the run's
# time counts up to the beginning of the last one, like its wait.
count_left() {
  left=$((wall + ${waited:-0} - (looked_at - began)))
  [ "$left" -le $((most_wall - (now - began))) ] || left=$((most_wall - (now - began)))
}

# lacked_time: true if others kept the run from a CPU for so long that it did not have its wall limit. Time that was not
# measured counts as the run's own: a run that keeps the watcher from a CPU gains nothing.
lacked_time() { [ $((now - began - ${waited:-0})) -lt "$wall" ]; }

# vary_pause -> pause: makes the next measurement unpredictable, so that a run cannot hide from it
vary_pause() {
  read -r dice </proc/sys/kernel/random/uuid
  pause=$((pause / 2 + 0x${dice%%-*} % (pause + 1)))
}

# --- the watcher -----------------------------------------------------------------------------------------------

# look_for_unnamed -> unnamed_disk, unnamed_memory (memfd_create): kB of unnamed files that processes of the run hold
# open
look_for_unnamed() {
  unnamed=$(measure_unnamed)
  unnamed_disk=${unnamed% *} unnamed_memory=${unnamed#* }
}

# measure_unnamed: prints the two numbers in a line. Each file counts once. The number of sorted lines is limited, to
# save memory.
measure_unnamed() {
  descriptors=
  for folder in $tree; do descriptors="$descriptors $folder/fd"; done
  [ -n "$descriptors" ] || return 1
  # shellcheck disable=SC2086
  find -L $descriptors -maxdepth 1 -type f -links 0 -exec stat -L -c '%d %i %b %B %n' {} + 2>/dev/null |
    head -n 500000 | sort -u -k 1,2 | {
    unnamed_disk=0 unnamed_memory=0 last='' kind=''
    while read -r device _ blocks size file; do
      # One file shows the type of its file system, and so of all files on the device, unless it is closed meanwhile.
      [ "$device" = "$last" ] && [ -n "$kind" ] || kind=$(stat -L -f -c %t "$file" 2>/dev/null)
      last=$device
      case $kind in
        '') ;; # The file is gone, as after the end of its process.
        # tmpfs, hugetlbfs
        1021994 | 958458f6) unnamed_memory=$((unnamed_memory + blocks * size / 1024)) ;;
        *) unnamed_disk=$((unnamed_disk + blocks * size / 1024)) ;;
      esac
    done
    echo "$unnamed_disk $unnamed_memory"
  }
}

# over_unnamed: checks twice, since a process that ends unmaps its memory before it closes its files.
over_unnamed() {
  is_over_unnamed || return 1
  sleep 0.3
  look_for_unnamed
  is_over_unnamed
}

# is_over_unnamed: true if the memory is over its limit. Unnamed memory that is mapped counts where it is mapped.
is_over_unnamed() {
  [ "${unnamed_memory:-0}" -gt 0 ] || return 1
  # shellcheck disable=SC2086
  measure_shares $tree
  [ -n "$mapped" ] && [ "$unnamed_memory" -gt "$mapped" ] && [ $((rss + unnamed_memory - mapped)) -gt "$memory_kb" ]
}

# measured COMMAND... -> number: the last line that the command prints. unread: complaints about files that it may not
# read are added, one a line, a thousand at most.
measured() {
  said=$("$@" 2>&1 | grep -E '^[0-9]+$|: (Permission denied|File ?name too long)$' | tail -n 1001)
  number=${said##*"$newline"}
  case $number in '' | *[!0-9]*) number=0 ;; esac
  unread=$unread${said%"$number"}
}

# weigh: prints the kB in the run's folders
weigh() {
  du -skx "$work" "$temporary" | { total=0; while read -r size _; do total=$((total + size)); done; echo "$total"; }
}

# over_disk: true if the run is over its disk limit. The stage, and the files laid over it, do not count. They are
# measured while they exist, which may be shorter than the run.
over_disk() {
  [ -n "$staged_kb" ] || measure_staged
  measured weigh
  used=$((number + ${unnamed_disk:-0}))
  # A launch on this disk reads this file. Overwritten, not truncated first, since the disk may be full.
  [ -z "$staged_kb" ] || echo "$((used - staged_kb))" 2>/dev/null 1<>written
  [ "$used" -gt $((disk_kb + ${staged_kb:-0})) ]
}

# measure_made -> excess (files, disk or empty), seen, unread: checks the limits of files and disk
measure_made() {
  excess='' unread=
  if over_files; then
    excess=files
  elif over_disk; then
    excess=disk
  fi
}

# look_for_excess: trips the limit of files or disk, if the run is over it. Opens and measures folders that the run
# closed to its user, and then checks each second. Trips `closed` if the run closes one of them again, or if ten checks
# in a row find others that are closed.
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

# name_closed LINES -> name: path in the first complaint, without characters that JSON or a reason cannot hold
name_closed() {
  name=${1%%"$newline"*}
  name=${name#*"${work%/*}/"}
  name=${name%: *}
  name=$(printf '%s' "${name%\'}" | tr -c 'A-Za-z0-9._/+=@,-' '?' | head -c 120)
}

# look_for_hidden_excess: the same for files without a name
look_for_hidden_excess() {
  look_for_unnamed
  if [ "${unnamed_disk:-0}" -gt 0 ] && over_disk; then
    trip disk
  elif over_unnamed; then
    trip memory
  fi
}

# look_back -> excess (files, disk, closed or empty), seen, name: checks the limits for what an ended run made since the
# last check. Runs once: if it cannot start a program, the end begins again and calls this function again.
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

# is_disk_low: true if less than 512 MiB or 10,000 files are free; below that no run starts
is_disk_low() {
  # shellcheck disable=SC2046
  set -- $(stat -f -c '%a %S %c %d' -- "$work" 2>/dev/null)
  [ "$((${1:-0} * ${2:-0} / 1048576))" -lt 512 ] || { [ "${3:-0}" -gt 0 ] && [ "${4:-0}" -lt 10000 ]; }
}

# open_closed: opens folders that the run closed to its own user, if that is the supervisor's user. Root reads closed
# folders anyway. A living run may replace a folder by a link. In its sandbox the link leads to no other file of that
# user. Without a sandbox, it leads to no file that the run could not open itself.
open_closed() (
  [ -z "$uid" ] || exit 0
  enter=
  case $containment$sandbox${tree_gone:-} in
    pid-namespace1) enter="nsenter --target $init --user --mount --preserve-credentials" temporary=/tmp ;;
  esac
  # shellcheck disable=SC2086
  $enter find "$work" "$temporary" -xdev -type d ! -perm -500 -prune -exec chmod -R u+rX -- {} +
) 2>/dev/null

# make_room: deletes the files of a run that exceeded its disk limit. Nothing is collected from it, and Postgres may
# share its disk.
make_room() {
  [ -z "${made_room:-}" ] || return 0
  made_room=1
  [ "$our_user" = 0 ] || chmod -R u+rwx -- "$work" "$temporary"
  find "$work" "$temporary" -xdev -mindepth 1 -delete
} >/dev/null 2>&1

# has_largest: true if a file is as large as the kernel allows. SIGXFSZ ends a process that writes on, with code 153.
has_largest() {
  [ -n "$(find "$work" "$temporary" -xdev -type f -size "+$((disk_kb * 2 - 1))" -print 2>/dev/null | head -c 1)" ]
}

# measure_staged -> staged_kb (empty while unknown), staged_files
measure_staged() {
  # A spec of an older version lacks laid_kb and laid_files.
  staged_kb=${laid_kb:-0} staged_files=${laid_files:-0}
  [ -n "$staged" ] || return 0
  staged_kb=$(du -skx "$staged/." 2>/dev/null)
  staged_kb=${staged_kb%%[!0-9]*}
  [ -z "$staged_kb" ] || staged_kb=$((staged_kb + ${laid_kb:-0}))
  staged_files=$(($(count_entries 999999999 "$staged" 2>/dev/null) + ${laid_files:-0}))
}

# count_entries MOST FOLDER...: counts the names in the folders, also hard links, and the folders themselves; stops at
# MOST
count_entries() {
  most=$1
  shift
  find "$@" -xdev -print0 | tr -cd '\000' | head -c "$most" | wc -c
}

# over_files -> seen: true if the run made more files than it may. Its two folders do not count.
over_files() {
  [ -n "${files_limit:-}" ] || return 1
  [ -n "$staged_kb" ] || measure_staged
  own_names=$((${staged_files:-0} + 2))
  [ -n "$staged" ] && own_names=$((own_names - 1))
  measured count_entries "$((files_limit + own_names + 1))" "$work" "$temporary"
  seen=$((number - own_names))
  [ "$seen" -gt "$files_limit" ]
}

# look_at_disk -> looker, searcher: checks the disk in the background, with one process of each kind at a time. The run
# decides how long the checks take, and they must not delay the other limits.
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

# read_page_size -> page_kb
read_page_size() {
  page_kb=4
  while read -r key size _; do
    [ "$key" != KernelPageSize: ] || { page_kb=$size && break; }
  done 2>/dev/null </proc/self/smaps
}

# end_helper PID BIRTH: ends a helper, unless its pid belongs to another process by now
end_helper() { [ -z "$1" ] || ! alive "$1" "$2" "$boot" || kill "$1" 2>/dev/null; }

watch() {
  trap 'kill "$napping" 2>/dev/null; end_helper "$looker" "$looker_birth"; end_helper "$searcher" "$searcher_birth"; exit 143' TERM
  peak=0 spent=0 beat=0 missing=0 napping='' staged_kb='' looker='' looker_birth='' searcher='' searcher_birth='' late=''
  read_page_size
  before='' unreaped=0 doubtful=0 told_before=0 grouped=0 measured=$began looked_at=$began
  waited='' own=0 computed_before=0 keenest_before='' stalled_before=0 counted_at=$began
  # A spec of an older version has no backstop.
  most_wall=${backstop:-$wall}
  while alive "$me" "$birth" "$boot"; do
    clock
    left=
    [ -z "$wall" ] || count_left
    [ ! -e reason ] || : "${late:=$((now + grace + 300))}"
    # The process that was to end the run after its grace may have been killed. The signal is repeated, since a shell
    # may take two signals at once for one.
    if [ -n "$late" ] && [ "$now" -ge "$late" ]; then
      ! alive "$me" "$birth" "$boot" || kill -USR1 "$me"
    elif [ -n "$left" ] && [ "$left" -le 0 ]; then
      if lacked_time; then trip wall backstop; else trip wall; fi
    fi
    pause=50
    [ "$beat" -gt 0 ] || pause=10
    [ -z "$wall$cpu" ] || vary_pause
    [ -z "$left" ] || [ "$left" -le 0 ] || [ "$left" -ge "$pause" ] || pause=$left
    # While others keep the run from a CPU, its rest of time hardly shrinks.
    [ "$pause" -ge 10 ] || pause=10
    nap "$pause"
    beat=$((beat + 1))
    # If the control directory was removed, no caller finds this run again. The check is repeated, since a network disk
    # may be away for a while.
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
    read_memory_group
    if [ -n "$memory_group" ] && { is_out_of_memory || is_full || is_over_by_queues || ! leave_room_for_sockets; }; then trip memory; fi
    [ "$rss" -le "$peak" ] || peak=$rss
    [ "$held" -le "$peak" ] || peak=$held
    # A process that ends during a measurement may count twice, in its own time and in its parent's sum. It does not in
    # a second measurement.
    ! is_odd "$ticks" || measure
    measured=$now
    [ "$ticks" -le "$spent" ] || spent=$ticks
    # Overwritten, not truncated first: the values would be lost if the supervisor is killed, or if the disk is full.
    echo "$peak $spent $unreaped $waited" 1<>usage
    [ -z "$cpu" ] || [ "$spent" -le "$cpu" ] || trip cpu
    # The free space is read at each measurement: a run can fill the disk at once, with many files of the allowed size.
    if [ $((beat % 4)) -eq 2 ] || is_disk_low; then look_at_disk; fi
  done
}

# keep_watch: without a watcher, a run has no limits. If others kill the watcher, which is no fault of the run, the run
# is lost.
keep_watch() {
  trap 'trap - EXIT; kill "$watching" 2>/dev/null; exit 0' TERM
  # The trap runs if the watcher cannot even start.
  trap 'blame unaided' EXIT
  watch &
  watching=$!
  trap - EXIT
  await "$watching"
  alive "$me" "$birth" "$boot" || exit 0
  # A watcher that ended by itself could not start a program that it needs.
  case $code in 1[3-9]? | 129) lose ;; *) blame ;; esac
}

# blame [unaided]: no program can start any more. If the run used up all processes, trips that limit. Otherwise the
# machine is at fault, and the run is lost.
blame() {
  if took_all; then trip processes; else lose "$@"; fi
}

# lose [unaided]: ends the run, and then the supervisor, without an end: the run is lost. The run ends first, since its
# user may go to another run once the supervisor is gone.
lose() {
  alive "$me" "$birth" "$boot" || return 0
  if [ "$containment" != pid-namespace ]; then
    # If no program can start, the trap kills the run: no other process would let the stopped supervisor go on. Within
    # an EXIT trap, a second one does not run: then `unaided` does the same.
    trap 'kill_unaided 200; kill -KILL "$me"' EXIT
    kill -STOP "$me"
    if [ "${1:-}" = unaided ]; then kill_unaided 200; else kill_members; fi
    trap - EXIT
  fi
  kill -KILL "$me"
}

# limit_output FILE COMMAND...: copies its input into FILE, and ends the run at the allowed bytes in any file that
# COMMAND writes. The kernel counts in blocks of 512 bytes.
limit_output() {
  into=$1
  shift
  (ulimit -c 0 && ulimit -f "$(((output_bytes + 511) / 512))" && exec "$@" >>"$into")
  case $? in
    153) trip output ;;
    # Without room for one file, tee goes on with the other.
    1) [ "$1" != tee ] || return 74 ;;
    # Others killed the copier, which is no fault of the run: it is lost, as if the supervisor had been killed.
    1[3-9]? | 129) lose ;;
  esac
}

# --- the run ---------------------------------------------------------------------------------------------------

# hasten: on USR1. Ends the run, or kills it at once if its grace has begun.
hasten() { if [ "$stopping" = 0 ]; then terminate; else signal KILL; fi; }

# terminate: on TERM. Ends the run, with grace unless it is exhausting the machine.
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
        # If the supervisor was killed, the run's user may belong to another run by now.
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
    # 0 and 1 belong to the candidate. 3 is a pipe that ends when the worker is gone.
    exec 7<&0 8>&1 9<&3 3<&-
    { launch_run; } <&7 >&8 7<&- 8>&- 9<&- &
    child=$!
    exec 0</dev/null 1>/dev/null 2>/dev/null 6>&- 7<&- 8>&-
    {
      # Data on the pipe is not its end.
      while read -r _; do :; done <&9
      trip killed
    } &
    helper=$!
    exec 9<&-
  else
    make_pipe pipe || exit 70
    # Both ends are open before any program starts, so that neither side waits for one that was killed.
    exec 5<>pipe 6<pipe 7>pipe 5<&-
    # Braces: redirections of a function would keep copies of the descriptors that they replace.
    if [ "${apart:-0}" = 0 ]; then
      exec 8</dev/null 9>&7
      { limit_output output cat; } <&6 6<&- 7>&- 8<&- 9>&- &
      helper=$!
    else
      make_pipe pipe.err || exit 70
      exec 5<>pipe.err 8<pipe.err 9>pipe.err 5<&-
      # tee appends each chunk in one piece, first to `output`, the file of both streams, which has the limit.
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

# make_pipe NAME: a program opens its streams again as /dev/stdout and /dev/stderr. The run's own user may open them for
# writing alone: what it has printed, it cannot take back.
make_pipe() {
  if [ -z "$uid" ]; then mkfifo "$1"; else mkfifo -m 620 "$1" && chgrp "$uid" "$1"; fi
}

launch_run() {
  join_groups
  own_session
  # If this script is killed, the kernel kills the program that it started.
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

# set_mark: sets a limit that the kernel does not enforce and that all children inherit. Searches find the processes by
# it. dash and busybox call the limit w, bash x.
set_mark() { ulimit -w "$mark" || ulimit -x "$mark"; } 2>/dev/null

# own_session -> perl, way, calls: perl code that leaves the session keyring of a login, which all processes of the
# login share, and that filters system calls. perl is empty if this machine cannot run the code.
own_session() {
  perl=$(command -v perl) || perl=
  way='my ($keyctl, $prctl, $seccomp, $arch, $socket, $other_socket, $prlimit, $other_prlimit) = splice @ARGV, 0, 8;
    my ($one, $two, $these, $others, $sworn) = splice @ARGV, 0, 5;
    syscall $keyctl + 0, 1, 0;'
  # Kernels since 6.1 name the machine without a fork.
  read -r machine 2>/dev/null </proc/sys/kernel/arch || machine=$(uname -m)
  case $machine in
    x86_64) calls="250 157 317 $((0xC000003E)) 41 359 302 340" ;;
    aarch64) calls="219 167 277 $((0xC00000B7)) 198 281 261 369" ;;
    *) perl= ;;
  esac
  allow=$((0x7fff0000)) refuse=$((0x50000 + 97))
  # A spec of an older version says only whether there is a sandbox.
  case ${closes-$sandbox} in
    # Sockets between a virtual machine and its host (family 40), which no namespace separates.
    vsock | 1) calls="$calls 40 40 $refuse $allow 0" way="$way $close_sockets" ;;
    # All families but Unix's (1) and netlink's (16): more than IPv4 and IPv6 lead to a network.
    network) calls="$calls 1 16 $allow $refuse ${sworn:-0}" way="$way $close_sockets" ;;
    *) calls="$calls 0 0 0 0 0" ;;
  esac
  way="$way exec @ARGV; exit 127"
  case ${closes:-}${sworn:-0}$perl in
    network1)
      echo 'cannot close the network: perl, which closes it, is gone' >&2
      exit 126
      ;;
  esac
}

# close_sockets -> the file `filtered`, if the kernel took the filter: perl code that filters system calls.
# Sockets of two families get one answer, all others the other answer. Netlink's protocol 2 (NETLINK_USERSOCK) does not
# exist (EPROTONOSUPPORT): no control group counts the messages that processes send each other by it.
# io_uring makes sockets that no filter sees, and socketcall some whose family it cannot read: neither exists (ENOSYS),
# nor do the calls of x32. The other arch is 32-bit code.
# A process may set limits for itself alone. Otherwise, a run with the user of process 1 could keep it from reporting
# its end.
# Root needs no promise never to gain rights; other users do.
# shellcheck disable=SC2016
close_sockets='
  my ($load, $equal, $from, $answer, $allow) = (0x20, 0x15, 0x35, 0x06, 0x7fff0000);
  my ($eperm, $enosys, $no_protocol) = (0x50000 + 1, 0x50000 + 38, 0x50000 + 93);
  my $filter = pack "(SCCL)*",
    $load, 0, 0, 4, $equal, 0, 5, $arch,
    $load, 0, 0, 0, $from, 21, 0, 0x40000000, $equal, 20, 0, 425, $equal, 16, 0, $prlimit, $equal, 5, 19, $socket,
    $load, 0, 0, 0, $equal, 16, 0, 102, $equal, 15, 0, 425, $equal, 11, 0, $other_prlimit, $equal, 0, 14, $other_socket,
    $load, 0, 0, 16, $equal, 0, 2, 16, $load, 0, 0, 32, $equal, 5, 0, 2,
    $load, 0, 0, 16, $equal, 2, 0, $one, $equal, 1, 0, $two, $answer, 0, 0, $others, $answer, 0, 0, $these, $answer, 0, 0, $no_protocol,
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
    print STDERR "cannot close the network: the kernel refused the filter of system calls ($!)\n";
    exit 126;
  }
'

# timestamp -> started: the only use of the calendar clock. The end is computed with the clock since boot, which cannot
# jump.
timestamp() {
  started=$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)
  case $started in *[!0-9TZ:.-]*) started=$(date -u +%Y-%m-%dT%H:%M:%SZ) ;; esac
}

# has_begun: true if any code of the candidate ran. It did not if its sandbox or its user was unavailable, or if a lost
# network disk held mounts up. A candidate in a process group could fake that, for a second chance: there it always
# counts as begun.
has_begun() {
  [ "$containment" != process-group ] || return 0
  # In a control directory of an older version, the script inside does not write this file.
  [ -e begun ] || return 0
  read -r begun_mark <begun
  [ "$begun_mark" = 1 ]
}

tell_unbegun() {
  echo "the command could not start ($why, exit code $code):"
  [ ! -e output ] || tail -c 300 output
} 2>/dev/null

# give_up: the shell could start no program more, and exits. If the run used up all processes, that is the reason.
# Otherwise the machine lacks something, and the run is lost.
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
  [ -e reason ] || { echo 'its supervisor could start no further process' >failed && exit 71; }
  finish
}

# let_go_of_pipe: ends the helpers after a second, since a survivor may hold the pipe open. If not even sleep can start,
# ends them at once.
let_go_of_pipe() {
  trap 'end_helper "$helper" "$helper_birth"; end_helper "$second" "$second_birth"' EXIT
  sleep 1
  :
}

# is_out_of_reach: true if the run cannot have kept the process that waits for it from reporting its end. Then the run
# cannot fake a kill by others, for a second chance. With the same user, only the filter keeps it from setting limits of
# process 1.
is_out_of_reach() {
  [ "$containment" != process-group ] && { [ -n "$uid" ] || [ "$sandbox" = 0 ] || [ -e filtered ]; }
}

finish() {
  trap '' TERM INT HUP USR1
  # If a program cannot start, the shell exits. Then the trap ends the run that used up all processes, as far as that
  # needs no program.
  trap 'trap - EXIT; kill_unaided 1000; killing=0; finish' EXIT
  tree_gone=true
  kill_run_group
  if [ "$containment" != pid-namespace ]; then
    tree_gone=false
    kill_members
    remove_segments
    (let_go_of_pipe) 2>/dev/null &
  fi
  [ -z "${short:-}" ] || rm -f "$short"
  # A child that was waited for no longer has its pid: end_helper compares the start time.
  [ "$talk" = 0 ] || end_helper "$helper" "$helper_birth"
  end_helper "$watcher" "$watcher_birth"
  end_helper "$killer" "$killer_birth"
  for one in "$helper" $second; do
    wait "$one"
    # The output is truncated: report 141 (SIGPIPE), as for a program whose stream is read no more.
    case $?,$code in 74,0) code=141 ;; esac
  done
  why=exit more=''
  # A stopped run counts as killed, even if the process that was to write the reason has died.
  [ "$stopping" = 0 ] || why=killed
  # The reason is empty if because_unaided wrote it on a full disk.
  [ ! -r reason ] || { read -r why allowed seen <reason; : "${why:=processes}"; }
  case $why in exit) ! is_out_of_memory || why=memory ;; esac
  # The size limit of one file equals the disk limit. But any program may exit with that code.
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
    wall) [ -z "${allowed:-}" ] || more=',"backstop":true' ;;
  esac
  [ ! -r loopback ] || { read -r up <loopback && more="$more,\"loopback\":$up"; }
  begun=1
  case $why in exit | wall) has_begun || begun=0 ;; esac
  [ "$begun" = 1 ] || [ -e failed ] || tell_unbegun >failed
  [ "$begun" = 1 ] && [ ! -e failed ] || { trap - EXIT; remove_groups; exit 71; }
  clock
  if [ "$why" = disk ] || [ -n "$excess" ]; then make_room; fi
  # Written to a file that exists from the start: there may be no free block and no free inode.
  times 1<>ended.tmp
  { read -r _ && read -r user system; } <ended.tmp
  peak=0 spent=0 unreaped=0 waited=
  [ ! -r usage ] || read -r peak spent unreaped waited <usage
  load=
  [ ! -r /proc/loadavg ] || read -r load _ </proc/loadavg
  [ "$why" != memory ] || raise_peak
  joined=
  [ ! -r joined ] || read -r joined <joined
  read_cpu_group
  [ "$grouped" -le "${spent:-0}" ] || ! is_possible "$grouped" || spent=$grouped
  is_possible 0
  # The process that waited for the command was killed before it saw an end.
  if [ -e seen ] && [ ! -s seen ] && is_out_of_reach; then
    # If process 1 is killed, some versions of unshare exit with just 1.
    case $why$code in exit1 | exit137) why=killed code=137 ;; esac
  fi
  printf '{"reason":"%s","code":%d,"startedAt":"%s","birth":%d,"wallCs":%d,"user":"%s","system":"%s","maxRssKb":%d,"ticks":%d,"unreapedCs":%d,"waitCs":%s,"mostCs":%s,"load":%s,"cores":%d,"containment":"%s","sandboxed":%d,"treeGone":%s,"groups":"%s"%s}\n' \
    "$why" "$code" "$started" "$birth" "$((now - began))" "$user" "$system" "${peak:-0}" "${spent:-0}" "${unreaped:-0}" "${waited:-null}" "${most:-null}" "${load:-null}" "$cores" "$containment" "$sandbox" "$tree_gone" "$joined" "$more" \
    1<>ended.tmp && mv ended.tmp ended.json
  trap - EXIT
  remove_groups
}

main() {
  # bash counts limits of file sizes in blocks of 512 bytes only in posix mode.
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
  hierarchies=/sys/fs/cgroup memberships=/proc/self/cgroup
  if [ "$1" = --drop-groups ]; then
    identify
    find_own_groups
    drop_groups
    exit 0
  fi
  control=$1
  cd "$control" || exit 66
  . ./spec
  # A scan with an empty name would find all processes.
  case $work in /?*/?*) ;; *) exit 78 ;; esac
  case $uid in '' | [1-9][0-9][0-9][0-9]*) ;; *) exit 78 ;; esac
  [ "$containment" != uid ] || [ -n "$uid" ] || exit 78
  # A spec of an older version has no mark, and some shells cannot set one.
  case $containment${mark:-} in process-group[1-9]??????????????) (set_mark) || mark= ;; *) mark= ;; esac
  user_of /proc/self
  our_user=$user
  again=0
  [ "${2:-}" != again ] || again=1
  [ "${3:-0}" = 0 ] || early=1
  close_inherited
  umask 077
  identify
  claim
  clock
  began=$now
  count_cores
  timestamp
  printf '{"pid":%d,"start":"%s","boot":"%s","fence":%d,"startedAt":"%s","containment":"%s"}\n' \
    "$me" "$birth" "$boot" "$fence" "$started" "$containment" >started.tmp && mv started.tmp started.json || exit 70
  shorten
  make_groups
  # These belong to an earlier run of this user, whose supervisor was killed.
  remove_segments
  record_given
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
  # A namespace ends with its process 1. Without one, the command's shell may have ended before its children.
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
