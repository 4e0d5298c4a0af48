
# --- interpreters of Python that are there --------------------------------------------------------------------------

# pythons VERSION HOME PATH: prints a line "fits VERSION FOLDER PATH BUILD" for the first interpreter that fits (FOLDER:
# its prefix), else a line "other VERSION FOLDER PATH BUILD" for each one found. The order is that of tools_places: the
# PATH, the PATH of a login shell, then the folders of pyenv, conda and uv.
pythons() {
  wanted=$1 user_home=$2 minor=$1 others=''
  case $wanted in *.*.*) minor=${wanted%.*} ;; esac
  places=$(HOME=$2 PATH=${3:-$PATH} && tools_places '' '')
  old_ifs=$IFS
  IFS=$line_end
  # shellcheck disable=SC2086
  set -- $places
  IFS=$old_ifs
  for folder in "$@"; do
    for name in "python$minor" python3 python; do ask_python "$folder/$name" && return 0; done
  done
  printf '%s' "$others"
}

# ask_python FILE: prints the line of an interpreter that fits and returns true; else adds it to $others. A shim or an
# environment counts as the interpreter behind it.
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
  # An interpreter with several names is listed once.
  case $others in *"$told$line_end"*) ;; *) others="${others}other $told$line_end" ;; esac
  return 1
}

line_end='
'
ASK_PYTHON='import os, sys, hashlib, sysconfig
path = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
build = hashlib.sha256(repr([sys.version, sys.implementation.name, sysconfig.get_platform()]).encode()).hexdigest()[:16]
print("%d.%d.%d" % sys.version_info[:3], sys.base_prefix.replace(" ", "\\x20"), path.replace(" ", "\\x20"), build)'
