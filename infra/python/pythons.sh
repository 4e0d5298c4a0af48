
# --- interpreters of Python that are there --------------------------------------------------------------------------

# pythons VERSION HOME PATH: a line "fits VERSION FOLDER PATH BUILD" for the first that fits (FOLDER: its prefix), else a line
# "other VERSION FOLDER PATH BUILD" for each that was found. Asked in this order: the PATH, the versions of pyenv, those of uv, conda.
pythons() {
  wanted=$1 user_home=$2 minor=${1%.*}
  case $wanted in *.*.*) ;; *) minor=$wanted ;; esac
  others='' asked=' '
  old_ifs=$IFS
  IFS=:
  # shellcheck disable=SC2086
  set -- $3
  IFS=$old_ifs
  for folder in "$@"; do
    for name in "python$minor" python3 python; do ask_python "$folder/$name" && return 0; done
  done
  for root in "${PYENV_ROOT:-$user_home/.pyenv}/versions" "${UV_PYTHON_INSTALL_DIR:-${XDG_DATA_HOME:-$user_home/.local/share}/uv/python}"; do
    for one in "$root"/*"$minor"*; do ask_python "$one/bin/python3" && return 0; done
  done
  for root in "$user_home/miniconda3" "$user_home/anaconda3" "$user_home/miniforge3" /opt/conda; do
    ask_python "$root/bin/python3" && return 0
  done
  printf '%s' "$others"
}

# ask_python FILE: true if it fits, which is told; behind a shim or an environment is another one
ask_python() {
  case $1 in /*) ;; *) return 1 ;; esac
  [ -x "$1" ] && [ ! -d "$1" ] || return 1
  limit=
  ! command -v timeout >/dev/null || limit='timeout 20'
  told=$(HOME=$user_home $limit "$1" -I -c "$ASK_PYTHON" 2>/dev/null </dev/null) || return 1
  case $told in [23].*) ;; *) return 1 ;; esac
  case $told in
    "$wanted "* | "$wanted".*)
      printf 'fits %s\n' "$told"
      return 0
      ;;
  esac
  # One interpreter has many names.
  case $others in *"$told$line_end"*) ;; *) others="${others}other $told$line_end" ;; esac
  return 1
}

line_end='
'
ASK_PYTHON='import os, sys, hashlib, sysconfig
path = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
build = hashlib.sha256(repr([sys.version, sys.implementation.name, sysconfig.get_platform()]).encode()).hexdigest()[:16]
print("%d.%d.%d" % sys.version_info[:3], sys.base_prefix.replace(" ", "\\x20"), path.replace(" ", "\\x20"), build)'
