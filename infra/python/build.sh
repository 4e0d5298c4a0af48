# build.sh UV PYTHON VERSION LOCK: builds $PERPETUA_DATA/venv from a lock in this folder. PYTHON is the path of an
# interpreter, or "fetch" for one that uv downloads. Must pass under dash and busybox sh.
set -eu
umask 022
uv=$1 python=$2 version=$3 lock=$4
# HOME marks the processes of this build, by which leftovers are found. The user's own home comes from elsewhere.
user_home=${PERPETUA_USER_HOME:-$(awk -F: -v uid="$(id -u)" '$3 == uid { print $6; exit }' /etc/passwd)}
venv=$PERPETUA_DATA/venv
rm -rf "$venv" "$PERPETUA_DATA/python"

if [ -z "${UV_CACHE_DIR:-}" ]; then
  UV_CACHE_DIR=${XDG_CACHE_HOME:-$user_home/.cache}/uv
  mkdir -p "$UV_CACHE_DIR" 2>/dev/null && [ -w "$UV_CACHE_DIR" ] || UV_CACHE_DIR=$HOME/.uv-cache
fi
UV_NO_PROGRESS=1 UV_PYTHON_INSTALL_DIR=$PERPETUA_DATA/python
export UV_CACHE_DIR UV_NO_PROGRESS UV_PYTHON_INSTALL_DIR

if [ "$python" = fetch ]; then
  echo "fetching Python $version"
  UV_PYTHON_DOWNLOADS=automatic UV_HTTP_RETRIES=1 "$uv" python install --no-bin "$version"
  python=$(ls -d "$PERPETUA_DATA"/python/cpython-*/bin/python3 | head -n 1)
fi
UV_PYTHON_DOWNLOADS=never
export UV_PYTHON_DOWNLOADS

# Passes pip's settings of the index to uv, which does not read them.
settings=$(HOME=$user_home "$python" -m pip config list 2>/dev/null || :)
setting() {
  printf '%s\n' "$settings" | sed -n "s/^\(global\|site\|user\|install\|:env:\)\.$1='\(.*\)'\$/\2/p" | head -n 1
}
take() {
  value=$(setting "$2")
  [ -z "$value" ] || eval "[ -n \"\${$1:-}\" ] || { $1=\$value && export $1; }"
}
[ -n "${UV_INDEX_URL:-}" ] || take UV_DEFAULT_INDEX index-url
take UV_INDEX extra-index-url
take UV_FIND_LINKS find-links
take SSL_CERT_FILE cert

"$uv" venv --quiet --python "$python" "$venv"
case $lock in
  uv.lock)
    lock=$HOME/exported.txt
    "$uv" export --quiet --frozen --no-dev --no-emit-project --format requirements-txt --output-file "$lock"
    ;;
esac
hashed=
! grep -q -e '--hash' "$lock" || hashed=--require-hashes
# shellcheck disable=SC2086
"$uv" pip sync --python "$venv/bin/python" --link-mode copy --compile-bytecode $hashed "$lock"
"$uv" pip check --python "$venv/bin/python"
# The users of runs may read the environment; no user may write its files. The owner can still remove the folders.
chmod -R a+rX,go-w "$PERPETUA_DATA"
find "$PERPETUA_DATA" -type f -exec chmod a-w {} +
rm -rf "$HOME/.uv-cache"
echo "built with $("$venv/bin/python" --version)"
