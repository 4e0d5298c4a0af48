# --- programs of this machine: lines "WORD VALUE" ------------------------------------------------------------------
# Run in a shell of their own on this machine, and within the host's script on others. Under dash, busybox sh and bash.

# tools_folders ENTRY...: folders that a PATH's entries need to work: each with the prefix of its Python, and where the links of
# its interpreters lead, hop by hop. `folder DIR`, or `prefix DIR` where that is the whole of a Python; first `home DIR`, our user's.
tools_folders() (
  case ${HOME:-} in /*) printf 'home %s\n' "$HOME" ;; esac
  for entry; do
    [ -d "$entry" ] || continue
    tools_folder "$entry"
    base=$(sed -n 's/^home *= *\(\/.*\)$/\1/p' "${entry%/*}/pyvenv.cfg" 2>/dev/null | head -n 1)
    [ ! -d "${base:-/-}" ] || tools_folder "$base"
    for program in "${base:-/-}/python3" "$entry/python" "$entry/python3" "$entry"/python3.[0-9] "$entry"/python3.[0-9][0-9] "$entry/node"; do
      tools_hops "$program"
    done
  done
)

# tools_folder DIR: a prefix of a Python is shown whole; not ~/.local, which holds everything
tools_folder() {
  prefix=${1%/*}
  case $1 in
    */.local/bin) ;;
    */bin)
      if [ -e "$prefix/pyvenv.cfg" ] || [ -d "$prefix/conda-meta" ] || set -- "$1" "$prefix"/lib/python3.* && [ -d "${2:-/-}" ]; then
        printf 'prefix %s\n' "$prefix"
        return
      fi
      ;;
  esac
  printf 'folder %s\n' "$1"
}

# tools_hops FILE: the folder of each link's target, as it is written, since each is looked up by that name
tools_hops() {
  link=$1 hops=0
  while [ -L "$link" ] && [ "$hops" -lt 16 ]; do
    target=$(readlink "$link")
    case $target in /*) ;; *) target=${link%/*}/$target ;; esac
    folder=$(CDPATH='' cd "${target%/*}" 2>/dev/null && pwd) || return 0
    tools_folder "$folder"
    link=$folder/${target##*/}
    hops=$((hops + 1))
  done
}
