
# --- one channel that reports all runs ----------------------------------------------------------------------------

# follow: reads orders as lines on standard input:
#   add ID RUN FROM TO FILE (output, or one stream: stdout, stderr); limit ID TO; drop ID; ping
# Frames that it prints:
#   "out LENGTH ID OFFSET", never beyond the TO of that ID
#   then "ended LENGTH ID BYTES" (BYTES of all output), or "lost LENGTH ID"
#   twice a second or more, "looked LENGTH" with the IDs that have nothing more to send
# Ends after sixty seconds without an order.
verb_follow() {
  make_spool
  trap 'rm -rf "$spool"' EXIT
  trap 'exit 0' HUP INT TERM PIPE
  remove_spools
  : >"$spool/orders"
  exec 3<&0
  { read_orders; } <&3 >/dev/null 2>&1 3<&- &
  exec 0</dev/null 3<&- 5<"$spool/orders"
  ids=
  clock
  heard=$now told=$now
  printf 'send 0\n'
  while :; do
    busy=0
    clock
    take_orders
    [ $((now - heard)) -le 6000 ] || exit 0
    report_all
    tell_looked
    [ "$busy" = 1 ] || sleep 0.1
  done
}

# read_orders: a shell cannot wait for a line and a time at once. So a child reads, and appends to a file that this
# script can read to its end, and again later.
read_orders() {
  while IFS= read -r order; do
    printf '%s\n' "$order" >>"$spool/orders" && continue
    # An order that cannot be stored would never be done: end, so that the next follower stores its orders elsewhere.
    ! alive "$me" "$birth" "$boot" || kill -TERM "$me"
    exit 0
  done
  printf 'quit\n' >>"$spool/orders"
}

take_orders() {
  while IFS=' ' read -r order id one two three name <&5; do
    heard=$now
    case $order in
      add)
        eval "run_$id=\$one from_$id=\$two to_$id=\$three name_$id=\$name control_$id='' over_$id='' since_$id=\$now"
        ids="$ids $id"
        ;;
      limit) eval "to_$id=\$one" ;;
      drop) forget "$id" ;;
      quit) exit 0 ;;
    esac
  done
}

forget() {
  others=
  for one in $ids; do [ "$one" = "$1" ] || others="$others $one"; done
  ids=$others
}

# tell_looked: a probe that began after the previous report. Output that it did not find was written after that report.
tell_looked() {
  [ $((now - told)) -ge 40 ] || return 0
  told=$now
  tell looked "$clean"
}

report_all() {
  set --
  clean=
  watched=
  looked=
  for id in $ids; do
    look "$id"
    [ -n "$control" ] && [ -e "$file" ] || continue
    set -- "$@" "$file"
    watched="$watched $id"
  done
  if [ $# -gt 0 ]; then
    count=$#
    # shellcheck disable=SC2046
    set -- $(stat -c %s -- "$@" 2>/dev/null)
    # One of the files was removed meanwhile.
    [ $# = "$count" ] || return 0
    for id in $watched; do
      eval "size_$id=\$1"
      shift
    done
  fi
  for id in $ids; do report "$id"; done
}

# look ID -> control, file; over_ID once no more output will come. Reads the state before the output, so that output
# from before the end is never missed.
look() {
  eval "control=\$control_$1 file=\$file_$1 name=\$name_$1 size_$1=0"
  if [ -z "$control" ]; then
    looked=
    find_started "$1"
    [ -n "$control" ] || return 0
    stream_file "$control" "$name"
    eval "control_$1=\$control file_$1=\$file"
  fi
  # One probe serves both streams of a run.
  if [ "$control" != "$looked" ]; then
    control_state "$control"
    [ -d "$control" ] || state=lost
    looked=$control
  fi
  case $state in
    ended) eval "over_$1=ended end_$1=\$end" ;;
    lost) eval "over_$1=lost" ;;
  esac
}

# find_started ID -> control: control directory of the attempt that started; lost if none starts in time
find_started() {
  eval "run=\$run_$1 since=\$since_$1"
  current "$runs/$run"
  case $state in
    '') eval "over_$1=lost" ;;
    staged | claiming) [ $((now - since)) -le 1500 ] || eval "over_$1=lost" ;;
    *) control=$runs/$run/$fence/ctl ;;
  esac
}

report() {
  eval "from=\$from_$1 to=\$to_$1 all=\$size_$1 over=\$over_$1 control=\$control_$1 file=\$file_$1"
  part=$((all - from))
  [ "$part" -le $((to - from)) ] || part=$((to - from))
  [ "$part" -le 65536 ] || part=65536 busy=1
  if [ "$part" -gt 0 ]; then
    send_part "$1"
    eval "from_$1=\$from"
  fi
  [ "$from" -lt "$all" ] || clean="$clean $1"
  case $over in
    '') return 0 ;;
    ended)
      [ "$from" -ge "$all" ] || return 0
      eval "end=\$end_$1"
      size_of "$control/output"
      tell ended "$end" "$1" "$size"
      ;;
    lost)
      [ "$from" -ge "$all" ] || return 0
      tell lost "$(why_failed "$control")" "$1"
      ;;
  esac
  forget "$1"
}

# why_failed CONTROL: prints the supervisor's message, if it left no end
why_failed() { [ ! -r "$1/failed" ] || head -c 500 "$1/failed"; }

# send_part ID: copies the part to a file of its own first, so that its length is certain, whatever happens to the run's
# file.
send_part() {
  lead=$((from % 4096))
  dd if="$file" bs=4096 skip="$((from / 4096))" count="$(((lead + part + 4095) / 4096))" 2>/dev/null |
    tail -c "+$((lead + 1))" | head -c "$part" >"$spool/part"
  size_of "$spool/part"
  # Without room, the run would seem silent, and be ended for that.
  [ "$size" -gt 0 ] || has_room "$spool" || fail host "follow: expected room in $spool"
  [ "$size" -gt 0 ] || return 0
  printf 'out %d %s %s\n' "$size" "$1" "$from"
  cat "$spool/part"
  from=$((from + size))
}
