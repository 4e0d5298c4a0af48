# --- programs of this machine: lines "WORD VALUE" ------------------------------------------------------------------
# Runs in a shell of its own on this machine, and within the host's script on other machines. Must pass under dash,
# busybox sh and bash.

# tools_folders ENTRY...: prints the folders that a PATH's entries need to work: each entry with the prefix of its
# Python, and the folders to which the links of its interpreters lead, hop by hop. A line is `folder DIR`, or `prefix
# DIR` for the whole of a Python.
tools_folders() (
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

# tools_folder DIR: prints the prefix of a Python as a whole, but not ~/.local, which holds much else
tools_folder() {
  prefix=${1%/*}
  case $1 in
    */.local/bin) ;;
    */bin)
      set -- "$1" "$prefix/pyvenv.cfg" "$prefix/conda-meta" "$prefix"/lib/python3.*
      if [ -e "$2" ] || [ -e "$3" ] || [ -e "$4" ]; then
        printf 'prefix %s\n' "$prefix"
        return
      fi
      ;;
  esac
  printf 'folder %s\n' "$1"
}

# tools_kinds PATH...: prints `folder PATH` or `file PATH` for each path that exists; before them `home DIR` of this
# user
tools_kinds() (
  case ${HOME:-} in /*) printf 'home %s\n' "$HOME" ;; esac
  for at; do
    if [ -d "$at" ]; then printf 'folder %s\n' "$at"; elif [ -e "$at" ]; then printf 'file %s\n' "$at"; fi
  done
)

# tools_hops FILE: prints the folder of each link's target, by the name in the link, since programs use that name
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

# tools_quietly SECONDS COMMAND...: prints the output of a command that runs in the root folder, without input, for at
# most that time
tools_quietly() {
  limit=$1
  shift
  cd /
  if command -v timeout >/dev/null; then
    timeout "$limit" "$@" </dev/null 2>&1
  else
    "$@" </dev/null 2>&1
  fi
}

# tools_version FILE: prints what a program reports about its version, in one line
tools_version() {
  for word in --version -version version; do
    says=$(tools_quietly 10 env -i PATH="$PATH" HOME=/ LANG=C.UTF-8 "$1" "$word" | head -n 4 | tr '\n\t' '  ' | head -c 300)
    case $says in *[0-9].[0-9]*) break ;; esac
  done
  printf '%s' "$says"
}

tools_tab='	'
# Python code that prints the folder and the version of a Python, and the path of a module
tools_probe='
import sys
try:
    from importlib.util import find_spec
    found = find_spec(sys.argv[1])
except Exception:
    found = None
places = list(getattr(found, "submodule_search_locations", None) or []) + [getattr(found, "origin", None) or ""]
print("\t".join(["python", sys.executable.rpartition("/")[0], sys.version.split()[0], places[0] if found else ""]))
'

# tools_module NAME PYTHON: prints `python DIR VERSION PLACE`, with tabs; PLACE is empty if the Python lacks the module
tools_module() { tools_quietly 10 "$2" -c "$tools_probe" "$1" | sed -n '/^python	/p' | tail -n 1; }

# tools_required PATH KIND NAME...: prints for each tool, by that PATH, `at FILE SAYS` or `absent`; for a module of
# python3 the line of tools_module
tools_required() (
  PATH=$1
  export PATH
  shift
  while [ $# -ge 2 ]; do
    program=$2
    [ "$1" != python ] || program=python3
    at=$(command -v "$program" 2>/dev/null) || at=
    if [ -z "$at" ]; then
      printf 'absent\n'
    elif [ "$1" = python ]; then
      # Without packages of the user, whose folder runs do not see.
      said=$(HOME=/ PYTHONNOUSERSITE=1 tools_module "$2" "$at")
      printf '%s\n' "${said:-absent}"
    else
      says=
      [ "$1" = present ] || says=$(tools_version "$at")
      printf 'at%s%s%s%s\n' "$tools_tab" "$at" "$tools_tab" "$says"
    fi
    shift 2
  done
)

# tools_places BESIDE LATER: prints folders of programs on this machine: those of BESIDE, PATH and LATER, and usual
# ones. BESIDE and LATER are lists with colons.
tools_places() {
  {
    printf '%s:%s:%s' "$1" "$PATH" "$2" | tr ':' '\n'
    printf '\n'
    # The profile of the user's login may add folders.
    tools_quietly 5 "${SHELL:-/bin/sh}" -lc 'printf "\n%s" "$PATH"' | tail -n 1 | tr ':' '\n'
    printf '\n'
    for folder in "${VIRTUAL_ENV:-/-}"/bin "${CONDA_PREFIX:-/-}"/bin "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin \
      "$HOME"/*conda*/bin "$HOME"/*conda*/envs/*/bin "$HOME"/*forge*/bin "$HOME"/*forge*/envs/*/bin \
      /opt/*/bin /opt/*conda*/envs/*/bin /usr/local/*/bin "$HOME"/.local/bin \
      "${UV_PYTHON_INSTALL_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/uv/python}"/*/bin \
      "$HOME"/venv/bin "$HOME"/.venv/bin "$HOME"/*/.venv/bin "$HOME"/*/venv/bin "$HOME"/.virtualenvs/*/bin \
      "$HOME"/.cache/pypoetry/virtualenvs/*/bin "$HOME"/.local/share/virtualenvs/*/bin "$HOME"/.cargo/bin \
      "$HOME"/go/bin "$HOME"/.nvm/versions/node/*/bin "$HOME"/.bun/bin "$HOME"/.deno/bin "$HOME"/.juliaup/bin \
      /home/linuxbrew/.linuxbrew/bin /snap/bin /usr/bin /usr/local/bin; do
      printf '%s\n' "$folder"
    done
  } | while IFS= read -r folder; do
    case $folder in /*\**) ;; /*) [ ! -d "$folder" ] || printf '%s\n' "${folder%/}" ;; esac
  done | awk '!seen[$0]++' | head -n 100
}

# tools_find KIND NAME BESIDE LATER: prints where this machine has a tool: `at FILE` for a command or a file; for a
# module of Python, the line of tools_module for each Python
tools_find() (
  case $1 in
    file) [ ! -e "$2" ] || printf 'at%s%s\n' "$tools_tab" "$2" ;;
    command)
      tools_places "$3" "$4" | while IFS= read -r folder; do
        # The program behind a shim comes later, from its own folder.
        case $folder in */shims) continue ;; esac
        [ ! -x "$folder/$2" ] || [ ! -f "$folder/$2" ] || printf 'at%s%s\n' "$tools_tab" "$folder/$2"
      done
      ;;
    python)
      tools_places "$3" "$4" | while IFS= read -r folder; do
        for program in python3 python; do
          [ -x "$folder/$program" ] || continue
          tools_module "$2" "$folder/$program"
          break
        done
      done
      ;;
  esac
)

# tools_closed shown|plain DIR...: prints paths of the folders that other users may not read, each with its mode: the
# folder itself, and its bin and lib, two levels deep. `plain`: also the folders above, since no sandbox shows the
# folder.
tools_closed() (
  how=$1
  shift
  for folder; do
    above=$folder
    while [ "$how" = plain ] && above=${above%/*} && [ -n "$above" ]; do
      mode=$(stat -L -c %a "$above" 2>/dev/null) || break
      case $mode in *[1357]) ;; *) printf 'closed%s%s%s%s\n' "$tools_tab" "$mode" "$tools_tab" "$above" ;; esac
    done
    for at in "$folder" "$folder/bin" "$folder"/bin/python3* "$folder/lib" "$folder"/lib/python3.* "$folder"/lib/python3.*/site-packages; do
      [ -e "$at" ] || continue
      mode=$(stat -L -c %a "$at" 2>/dev/null) || continue
      case $mode in *[57]) ;; *) printf 'closed%s%s%s%s\n' "$tools_tab" "$mode" "$tools_tab" "$at" ;; esac
    done
  done
)
