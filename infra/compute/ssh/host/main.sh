
# --- the call -----------------------------------------------------------------------------------------------------

# facts TOOL...: what this host is, and which tools it lacks
verb_facts() {
  missing=
  for tool in "$@"; do command -v "$tool" >/dev/null || missing="$missing $tool"; done
  tell uid "$(id -u)"
  tell home "$home"
  tell missing "$missing"
  finished
}

# machine [SECONDS]: cores, its boot, memory and room in kB, files that its disk has room for where it counts them, GPUs as
# nvidia-smi names them, which is given so long to answer, and the time by then
verb_machine() {
  tell cores "$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)"
  tell boot "$boot"
  tell memory "$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)"
  tell room "$(df -Pk -- "$home" | sed -n '2s/.* \([0-9][0-9]*\)  *[0-9]*%.*/\1/p')"
  inodes_of "$home"
  [ "$inodes" = 0 ] || tell files "$free_inodes"
  tell_gpus "${1:-20}"
  tell clock "$(date +%s)"
  finished
}

# where PATH...: for each, in order, where it really lies, and whether it is a folder itself, or a file; nothing for what is absent
verb_where() {
  for path in "$@"; do
    kind=other
    [ ! -d "$path" ] || [ -L "$path" ] || kind=folder
    [ -d "$path" ] || kind=file
    if [ -e "$path" ]; then tell at "$(readlink -f -- "$path")" "$kind"; else tell at '' absent; fi
  done
  finished
}

# tools FUNCTION WORD...: the lines that a function of tools.sh prints
verb_tools() {
  case $1 in tools_*) ;; *) fail usage "no function $1" ;; esac
  printed=$(PATH=$login_path && "$@" 2>/dev/null)
  tell tools "$printed"
  finished
}

# pythons VERSION PATH: what this host has of Python, behind a line with its machine
verb_pythons() {
  user_home=$(awk -F: -v uid="$(id -u)" '$3 == uid { print $6; exit }' /etc/passwd)
  tell pythons "$(uname -sm && pythons "$1" "$user_home" "$2:$login_path")"
  finished
}

main() {
  # Limits of file sizes count in blocks of 512 bytes, in bash only if it is told so.
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
