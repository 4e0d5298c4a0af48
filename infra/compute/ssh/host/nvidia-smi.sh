
# --- nvidia-smi, which may hang for ever where a GPU fell off --------------------------------------------------------

# ask_smi SECONDS WORD... -> answer, also in $spool/smi; false if nvidia-smi fails, or does not answer in time. It runs
# in the background, since no signal ends a process that hangs in the kernel. While such a process exists, no other is
# started.
ask_smi() {
  smi_limit=$1 hangs=$home/.nvidia-smi
  shift
  if owner_lives "$hangs"; then
    answer="nvidia-smi hangs (process $owner_pid): the driver or a GPU is gone; reboot the host"
    return 1
  fi
  : >"$spool/smi"
  setsid "$smi_program" "$@" >"$spool/smi" 2>&1 </dev/null &
  smi=$!
  clock
  smi_then=$((now + smi_limit * 100))
  while still_runs "$smi"; do
    clock
    if [ "$now" -ge "$smi_then" ]; then
      birth_of "$smi"
      { printf '%s %s %s\n' "$smi" "$birth" "$boot" >"$hangs"; } 2>/dev/null
      # bash would report the end of the child.
      exec 2>/dev/null
      kill -KILL "-$smi" "$smi"
      answer="nvidia-smi gave no answer within $smi_limit s: the driver or a GPU is gone"
      return 1
    fi
    beat
    sleep 0.02
  done
  wait "$smi"
  code=$?
  answer=$(cat "$spool/smi")
  [ "$code" = 0 ] && return 0
  answer="nvidia-smi ended with $code: $answer"
  return 1
}

# tell_gpus SECONDS: reports the GPUs, those that others hold, and the processes on them; or the fault. If only the
# processes cannot be named, reports the GPUs and the fault.
tell_gpus() {
  # Use the nvidia-smi that the user's login finds.
  smi_program=$(PATH=$login_path:$PATH && command -v nvidia-smi) || return 0
  make_spool
  trap 'rm -rf "$spool"' EXIT
  columns=index,uuid,name,memory.total,temperature.gpu,power.draw,utilization.gpu
  if ask_smi "$1" "--query-gpu=$columns" --format=csv,noheader,nounits; then
    named=$answer
    # Only this list names the parts of a GPU (MIG).
    list=
    ! ask_smi "$1" -L || list=$(grep -E '^(GPU| +MIG) ' "$spool/smi")
    tell gpus "$named${list:+$newline$list}"
    wake_cuda
    tell_held_gpus
    if ask_uses "$1"; then
      tell uses "$judged"
      return 0
    fi
  fi
  tell fault "$answer"
}

# wake_cuda: makes the device that CUDA needs. Its first use since boot makes it, which is impossible in a sandbox.
wake_cuda() {
  [ -e /dev/nvidia-uvm ] || [ -e /dev/dxg ] || nvidia-modprobe -c0 -u
} >/dev/null 2>&1 </dev/null

# ask_uses SECONDS -> judged: lines "GPU, process, birth, whose"
ask_uses() {
  ask_smi "$1" --query-compute-apps=gpu_uuid,pid --format=csv,noheader,nounits || return 1
  judge_uses
  case $judged in *unseen*) ;; *) return 0 ;; esac
  # A second answer no longer names a process that ended meanwhile.
  ask_smi "$1" --query-compute-apps=gpu_uuid,pid --format=csv,noheader,nounits || return 1
  judge_uses
}

judge_uses() {
  judged=
  while IFS=', ' read -r gpu pid _; do
    case $pid in '' | *[!0-9]*) continue ;; esac
    whose "$gpu" "$pid"
    judged="$judged$gpu, $pid, ${birth:-0}, $whose
"
  done <"$spool/smi"
}
