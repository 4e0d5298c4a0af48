import type { Attack, Target } from '../attack.ts';
import { heavyDisk, heavyMemory } from './limits.ts';

/** Excess over the limit, in MB: too much to be a rounding error. */
const BEYOND_MB = 128;
const HELD_SECONDS = 8;

const beyond = ({ task }: Target): number => task.run.resources.memoryMb + BEYOND_MB;

/** Memory that belongs to no process, held long enough to be measured. */
const memory = (kind: string, location: string, begin: (mb: number) => string): Attack => ({
  name: `memory-in-${kind}`,
  where: 'run',
  tries: `hold more memory than it may, ${location}`,
  heavy: (target) => heavyMemory(beyond(target)),
  acts: (target) => ({ begin: `${begin(beyond(target))}\nexit 1` }),
  expected: ['out-of-memory', 'exit-code', 'disk-limit'],
});

/** Memory and disk that a scan of processes and folders misses. */
export const HIDDEN: readonly Attack[] = [
  memory(
    'memfd',
    'in anonymous files',
    (mb) => `need python3
python3 -c '
import os, time
held = []
for _ in range(${Math.ceil(mb / 16)}):
    held.append(os.memfd_create("held"))
    os.write(held[-1], b"x" * 2**24)
time.sleep(${HELD_SECONDS})
' && reached "${mb} MB in anonymous files"`,
  ),
  memory(
    'sysv',
    'in shared memory of System V',
    (mb) => `need perl
perl -e 'my $data = "x" x 2**20;
for (1 .. ${mb}) { my $id = shmget(0, 2**20, 01600) // exit 1; shmwrite($id, $data, 0, 2**20) or exit 1 }
sleep ${HELD_SECONDS}' && reached "${mb} MB in shared memory"`,
  ),
  memory(
    'tmpfs',
    'in a file system that it mounts in a namespace of its own',
    (mb) => `need unshare
mkdir -p held
unshare -Urm sh -c 'mount -t tmpfs -o size=${mb + BEYOND_MB}m none held || exit 1
for i in $(seq ${Math.ceil(mb / 16)}); do head -c ${2 ** 24} /dev/zero | tr "\\\\0" x >held/$i || exit 1; done
sleep ${HELD_SECONDS}' && reached "${mb} MB in a file system of its own"`,
  ),
  memory(
    'sockets',
    'as data that waits in sockets',
    // Without a control group, nothing counts this memory.
    (mb) => `need python3
grep -Eq ':[a-z,]*memory[a-z,]*:.*perpetua-|^0::.*perpetua-' /proc/self/cgroup || need 'a control group'
python3 -c '
import socket, time
held, total = [], 0
while total < ${mb} * 2**20:
    held.append(socket.socketpair())
    held[-1][0].setblocking(False)
    try:
        while True: total += held[-1][0].send(b"x" * 65536)
    except BlockingIOError: pass
time.sleep(${HELD_SECONDS})
' && reached "${mb} MB in sockets"`,
  ),
  {
    name: 'disk-unlinked',
    where: 'run',
    tries: 'hold more disk than it may, in open files without a name',
    heavy: ({ task }) => heavyDisk(task.run.resources.diskMb),
    acts: ({ task }) => ({
      begin: `write() { head -c ${Math.floor(task.run.resources.diskMb * 0.6 * 2 ** 20)} /dev/zero; }
exec 3>held3 4>held4 5>held5 && rm -f held3 held4 held5
write >&3 && write >&4 && write >&5 && sleep ${HELD_SECONDS} && reached "disk in files without a name"
exit 1`,
    }),
    expected: ['disk-limit'],
  },
];
