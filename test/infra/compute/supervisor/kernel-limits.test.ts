import { statfsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { base, has, isRoot, processesOf, supervise, type Setting } from './supervise.ts';
import { probe, sandboxed } from './under-shell.ts';

const { end: probed } = await supervise(probe, 'exit 9');
const isGrouped = ['memory', 'processes'].every((resource) => probed?.groups?.includes(resource as 'memory'));
/** True if the runs of these tests lie on tmpfs. */
const isInMemory = statfsSync(base).type === 0x01021994;
const SETTINGS: [string, Setting][] = [
  ['in a process group', { shell: ['sh'], confinement: PROCESS_GROUP, uid: null }],
  ...(sandboxed ? [['in the sandbox', probe] satisfies [string, Setting]] : []),
];

/** Python program that fills objects made by `make` until their kernel buffers hold 600 MiB, and stays. */
const fill = (setup: string, make: string): string =>
  `python3 -c '
import fcntl, os, socket, time
held, total = [], 0
${setup}
while total < 600 << 20:
    ${make}
    w.setblocking(False)
    try:
        while True: total += w.send(b"x" * 65536)
    except BlockingIOError: held.append((r, w))
print("held", flush=True); time.sleep(20); print("over")'`;
const PIPES = fill(
  `class Pipe:
    def __init__(self, number): self.number = number
    def setblocking(self, flag): os.set_blocking(self.number, flag)
    def send(self, data): return os.write(self.number, data)`,
  'r, number = os.pipe(); w = Pipe(number)',
);
const UNIX_SOCKETS = fill('', 'r, w = socket.socketpair(); w.setsockopt(1, 7, 1 << 24)');
const MEMFD = `python3 -c '
import os, time
for n in range(6):
    number = os.memfd_create("m"); os.write(number, b"x" * (100 << 20))
print("held", flush=True); time.sleep(20); print("over")'`;
const TCP_SOCKETS = fill(
  'listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen()',
  'w = socket.create_connection(listener.getsockname()); r, _ = listener.accept()',
);
/** Python program that holds this many sockets, which `make` fills, and stays. */
const hold = (count: number, make: string): string =>
  `python3 -c '
import resource, socket, struct, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
held = []
for n in range(${count}):
    ${make}
    held.append(s)
print("held", flush=True); time.sleep(20); print("over")'`;
/** Data in sockets that no control group counts. */
const UNCOUNTED: [string, string][] = [
  [
    'datagrams that are held back',
    hold(5000, 's = socket.socket(2, 2); s.connect(("127.0.0.1", 9)); s.send(b"x" * 65000, socket.MSG_MORE)'),
  ],
  [
    'unread answers of netlink',
    hold(
      1500,
      `s = socket.socket(16, 3, 0); s.setblocking(False)
    try:
        for m in range(300): s.send(struct.pack("IHHII", 32, 18, 0x301, m, 0) + bytes(16))
    except OSError: pass`,
    ),
  ],
];
const NETLINK = `python3 -c '
import socket
socket.socket(16, 3, 0)
try: socket.socket(16, 3, 2)
except OSError as error: print(error.errno)'`;
const FORGOTTEN: [string, string][] = [
  ['buffers of sockets', UNIX_SOCKETS],
  ['files without a mapping', MEMFD],
];

describe.skipIf(!isGrouped || !has('python3'))('with control groups', () => {
  describe.each(SETTINGS)('%s', (_, setting) => {
    it.each(FORGOTTEN)('memory in %s beyond the limit ends the run', async (_name, command) => {
      const { end, output } = await supervise(setting, command, { memoryMb: 200, diskMb: 1000 });
      expect(end).toMatchObject({ reason: 'memory', treeGone: true, groups: ['memory', 'processes', 'cpu'] });
      expect(end?.maxRssMb).toBeGreaterThan(150);
      expect(output).not.toContain('over');
    });

    it('a process that the kernel killed for its memory ends the run, though the command goes on', async () => {
      const command = `python3 -c 'b"x" * (400 << 20)'; echo "ended with $?"; sleep 20; echo over`;
      const { end, output } = await supervise(setting, command, { memoryMb: 100 });
      expect(end).toMatchObject({ reason: 'memory', treeGone: true });
      expect(output).not.toContain('over');
    });

    it('a run may write and read more than its memory limit in files on disk', async ({ skip }) => {
      skip(isInMemory, 'the folder of the tests is in memory');
      const command = 'for n in 1 2 3; do head -c 100M /dev/zero >f$n; done; cat f1 f2 f3 f1 f2 f3 | wc -c';
      const { end, output } = await supervise(setting, command, { memoryMb: 64, diskMb: 1000 });
      expect(output).toBe(`${600 << 20}\n`);
      expect(end).toMatchObject({ reason: 'exit', exitCode: 0 });
      // The figure leaves out the kernel's copies of files.
      expect(end?.maxRssMb).toBeLessThan(64);
    });

    it('the kernel holds a fork bomb until a measurement ends it, and nothing of it is left', async () => {
      const bomb = `perl -e 'while (1) { defined fork or sleep 4515 }'`;
      const { end, directory } = await supervise(setting, bomb, { processes: 20 });
      expect(end).toMatchObject({ reason: 'processes', treeGone: true });
      expect(processesOf(directory)).toEqual([]);
    });

    it('the kernel limits threads, which the measurements do not count', async () => {
      const command = `python3 -c '
import threading
threading.stack_size(65536)
stop, started = threading.Event(), 0
try:
    for started in range(2000): threading.Thread(target=stop.wait).start()
except RuntimeError: print(started)
stop.set()'`;
      const { end, output } = await supervise(setting, command, { processes: 8 });
      expect(end).toMatchObject({ reason: 'exit', exitCode: 0 });
      expect(Number(output)).toBeGreaterThan(100);
      expect(Number(output)).toBeLessThan(8 * 16 + 160);
    });
  });

  it.skipIf(!sandboxed).each(UNCOUNTED)('memory in %s beyond the limit ends the run', async (_name, command) => {
    const { end, output } = await supervise(probe, command, { memoryMb: 200 });
    expect(end).toMatchObject({ reason: 'memory', treeGone: true });
    expect(end?.maxRssMb).toBeGreaterThan(200);
    expect(output).not.toContain('over');
  });

  // The sandbox has a network of its own, in which a pipe holds at most what its user may.
  it.each([
    ['buffers of network sockets', TCP_SOCKETS],
    ['pipes', PIPES],
  ])('memory in %s of root beyond the limit ends the run', async (_name, command) => {
    const setting = { shell: ['sh'], confinement: PROCESS_GROUP, uid: null };
    const { end, output } = await supervise(setting, command, { memoryMb: 200 });
    expect(end).toMatchObject({ reason: 'memory', treeGone: true });
    expect(output).not.toContain('over');
  });
});

describe.skipIf(!sandboxed || !has('python3') || !has('perl'))('netlink in the sandbox', () => {
  it('lists interfaces, but carries no messages between processes', async () => {
    // EPROTONOSUPPORT
    expect((await supervise(probe, NETLINK)).output).toBe('93\n');
  });
});

/** Hides the control groups from the following command, in a mount namespace. */
const HIDING = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"', 'sh'];

describe.skipIf(!isRoot || !sandboxed || !has('python3'))('without control groups', () => {
  it.each(SETTINGS)('the supervisor measures the memory of a run %s, and reports no group', async (_, setting) => {
    const grow = `python3 -c 'import time; x = bytearray(400 << 20); time.sleep(20); print("over")'`;
    const { end, output } = await supervise({ ...setting, within: HIDING }, grow, { memoryMb: 200 });
    expect(end).toMatchObject({ reason: 'memory', treeGone: true, groups: [] });
    expect(output).not.toContain('over');
  });
});
