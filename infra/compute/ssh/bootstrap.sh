# Installs the scripts if they are missing, then reports facts about the host.
# Arguments: MARK-1 MARK-2 SCRATCH HASH INSTALLATION SHELL TOOL...
printf '%s%s\n' "$1" "$2"
stop() {
  printf 'fail %d host\n%s' "${#1}" "$1"
  exit 1
}
umask 077
case $3 in '~') home=$HOME ;; '~/'*) home=$HOME/${3#'~/'} ;; *) home=$3 ;; esac
problem=$(mkdir -p "$home/bin" 2>&1 && mkdir -p "$home/stages" "$home/runs/$5" 2>&1) || stop "scratch folder: $problem"
# Runs with users of their own pass through these folders to their own; they cannot list them.
[ "$(id -u)" != 0 ] || chmod a+x "$home" "$home/stages" "$home/runs" "$home/runs/$5" 2>/dev/null
cd "$home" || stop "scratch folder: cannot enter $home"
home=$(pwd -P)
script=$home/bin/host-$4.sh
if [ ! -e "$script" ] || [ ! -e "$home/bin/supervisor-$4.sh" ]; then
  command -v tar >/dev/null || stop 'expected tar; install it'
  new=$home/bin/.new-$$
  problem=$(mkdir -p "$new" 2>&1) || stop "scratch folder: $problem"
  printf 'send 0\n'
  problem=$(tar -xof - -C "$new" 2>&1) || stop "scripts: $problem"
  [ -e "$new/whole" ] || stop 'scripts: the stream ended early'
  problem=$(mv -f "$new/supervisor.sh" "$home/bin/supervisor-$4.sh" && mv -f "$new/host.sh" "$script" 2>&1) ||
    stop "scripts: $problem"
  rm -rf "$new"
fi
installation=$5 shell=$6
shift 6
exec $shell "$script" '' '' "$installation" facts "$@"
