
# --- what a call keeps for a moment ---------------------------------------------------------------------------------

# Bytes that a call may have to store at once: a part of a run's output, and orders
spool_bytes=131072

# make_spool -> spool: a folder for this call alone, in memory, or in the scratch folder if memory is full
make_spool() {
  for spool in "/dev/shm/perpetua-$(id -u)-$me-$birth" "$home/followers/$me-$birth"; do
    { mkdir -p "${spool%/*}" && mkdir "$spool"; } 2>/dev/null || continue
    has_room "$spool" && return 0
    rm -rf "$spool"
  done
  fail host "expected $((spool_bytes / 1024)) KiB of room in /dev/shm or in $home; free some"
}

# has_room FOLDER: true if the folder has room. A folder can be made even where no data can be written.
has_room() {
  { head -c "$spool_bytes" /dev/zero >"$1/room"; } 2>/dev/null && rm "$1/room" && return 0
  rm -f "$1/room"
  return 1
}

# remove_spools: removes the folders of calls that were killed
remove_spools() {
  for old in /dev/shm/perpetua-"$(id -u)"-* "$home/followers"/*; do
    [ -d "$old" ] || continue
    owner=${old##*/}
    owner=${owner#perpetua-"$(id -u)"-}
    alive "${owner%-*}" "${owner#*-}" "$boot" || rm -rf "$old"
  done
}
