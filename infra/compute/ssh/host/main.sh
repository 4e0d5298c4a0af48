
# --- the call -----------------------------------------------------------------------------------------------------

# facts TOOL...: reports facts about this host, and which tools it lacks
verb_facts() {
  missing=
  for tool in "$@"; do command -v "$tool" >/dev/null || missing="$missing $tool"; done
  tell uid "$(id -u)"
  tell home "$home"
  tell missing "$missing"
  finished
}

# machine [SECONDS]: reports cores, the model of the CPU if the kernel names it, boot id, memory and free disk in kB, free files if the disk counts them, the GPUs
# that nvidia-smi names within that time, and then the clock
verb_machine() {
  tell cores "$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)"
  tell cpu "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | sed -n 1p)"
  tell boot "$boot"
  tell memory "$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)"
  tell room "$(df -Pk -- "$home" | sed -n '2s/.* \([0-9][0-9]*\)  *[0-9]*%.*/\1/p')"
  inodes_of "$home"
  [ "$inodes" = 0 ] || tell files "$free_inodes"
  tell_gpus "${1:-20}"
  tell clock "$(date +%s)"
  finished
}

# where PATH...: reports for each path, in order, its real path, and whether it is a folder itself, a file or other;
# nothing for an absent one
verb_where() {
  for path in "$@"; do
    kind=other
    [ ! -d "$path" ] || [ -L "$path" ] || kind=folder
    [ -d "$path" ] || kind=file
    if [ -e "$path" ]; then tell at "$(readlink -f -- "$path")" "$kind"; else tell at '' absent; fi
  done
  finished
}

# tools FUNCTION WORD...: reports the lines that a function of tools.sh prints
verb_tools() {
  case $1 in tools_*) ;; *) fail usage "no function $1" ;; esac
  printed=$(PATH=$login_path && "$@" 2>/dev/null)
  tell tools "$printed"
  finished
}

# pythons VERSION PATH: reports the Python interpreters of this host, after a line with its machine type
verb_pythons() {
  user_home=$(awk -F: -v uid="$(id -u)" '$3 == uid { print $6; exit }' /etc/passwd)
  tell pythons "$(uname -sm && pythons "$1" "$user_home" "$2:$login_path")"
  finished
}

main() {
  # bash counts limits of file sizes in blocks of 512 bytes only in posix mode.
  [ -z "${BASH_VERSION:-}" ] || set -o posix
  LC_ALL=C
  export LC_ALL
  umask 077
  newline='
'
  mark=$1$2
  [ -z "$mark" ] || printf '%s\n' "$mark"
  home=${0%/bin/*}
  supervisor_name=supervisor-${0##*/host-}
  system_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  login_path=$PATH
  PATH=$system_path:$PATH
  installation=$3
  runs=$home/runs/$installation
  verb=$4
  shift 4
  identify
  case $verb in
    facts | machine | tools | pythons | has | evict | where | inspect | kill | remove | sweep | spared | clean | tend | guard | expire | staged | stage | launch | try | collect | follow | prepared | \
      setup | setup_run | setup_kill | talk_make | talk_run | talk_stop | talk_end) "verb_$verb" "$@" ;;
    *) fail usage "no verb $verb" ;;
  esac
}

main "$@"
exit 0
