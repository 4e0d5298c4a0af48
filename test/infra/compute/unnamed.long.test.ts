import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { RunLimits } from '../../../domain/job/run-limits.ts';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { confinements } from '../../../infra/compute/run-protocol/confinement/confinement.ts';
import { bytes, followToEnd, LIMITS, specOf } from './conformance/support.ts';
import { section, SHELLS } from './supervisor/section.ts';
import { isRoot, NOBODY, supervise, type Setting } from './supervisor/supervise.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-unnamed-'));
const compute = createLocalCompute({ home, installation: 'unnamed-tests' });
const { sandboxed, notes } = await compute.protections('required');
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Output and end of a command in the sandbox. */
async function inside(command: string, limits: Partial<RunLimits>) {
  const spec = specOf(command, { sandbox: 'required', limits: { ...LIMITS, ...limits } });
  await compute.launch(spec);
  return followToEnd(compute, spec);
}

const IN_MEMORY = 'use POSIX; my $memfd = (POSIX::uname())[4] eq "x86_64" ? 319 : 279;';
/** Command that holds `count` anonymous files in memory, of `mb` MiB each, for 12 seconds. */
const memfd = (count: number, mb: number): string =>
  `perl -e '${IN_MEMORY} for (1..${count}) { my $name = "m"; my $fd = syscall($memfd, $name, 0);
    open my $file, "+<&=", $fd or die; push @held, $file; print $file "x" x (1 << 20) for 1..${mb} } $| = 1;
    $_->flush for @held; print "held\\n"; sleep 12; print "over\\n"' -MIO::Handle`;

/** Shared segments of a mebibyte each, as many as the kernel gives. */
const SEGMENTS = `perl -e 'my $n = 0; for (1..200) { my $id = shmget(0, 1 << 20, 0600); last unless defined $id;
    shmwrite($id, "x" x (1 << 20), 0, 1 << 20); $n++ } print "$n\\n"'`;

/** Queues of messages, and semaphores in sets, as many as the kernel gives. */
const QUEUES = `perl -e 'my $n = 0; for (1..1000) { last unless defined msgget(0, 0600); $n++ } print "$n\n"'`;
const SEMAPHORES = `perl -e 'my $n = 0; for (1..1000) { last unless defined semget(0, 250, 0600); $n += 250 }
    print "$n\n"'`;

describe.skipIf(!sandboxed)(`unnamed data of a sandboxed run (${notes.join(' ')})`, () => {
  beforeAll(() => compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]));

  it('counts as memory in an anonymous file that no process has mapped', async () => {
    const { text, end } = await inside(memfd(6, 50), { memoryMb: 256 });
    expect(text).not.toContain('over');
    expect(end.reason).toBe('memory');
  });

  it('does not end a run that holds less than its limit', async () => {
    const { text, end } = await inside(memfd(2, 50), { memoryMb: 256 });
    expect({ text, reason: end.reason }).toEqual({ text: 'held\nover\n', reason: 'exit' });
  });

  it('counts once if it is mapped, too', async () => {
    // Counted twice, 150 MiB would exceed the limit.
    const map = `import mmap, os, time
fd = os.memfd_create('m'); os.ftruncate(fd, 150 << 20); m = mmap.mmap(fd, 150 << 20)
for at in range(0, 150 << 20, 4096): m[at] = 1
time.sleep(6); print('over')`;
    const { text, end } = await inside(`python3 -c "${map}"`, { memoryMb: 256, diskMb: 200 });
    expect({ text, reason: end.reason }).toEqual({ text: 'over\n', reason: 'exit' });
  });

  it('counts as disk in a deleted file that is open', async () => {
    const command =
      `i=3; while [ $i -lt 8 ]; do eval "exec $i>deleted"; rm deleted; head -c 30000000 /dev/zero >&$i; ` +
      `i=$((i + 1)); done; sleep 12; echo over`;
    const { text, end } = await inside(command, { diskMb: 64 });
    expect(text).not.toContain('over');
    expect(end.reason).toBe('disk');
  });
});

it.each(SHELLS)('an anonymous file that is closed during the measurement is no disk (%s)', (_, shell, missing) => {
  if (missing) return;
  const file = `perl -e '${IN_MEMORY} my $name = "m"; my $fd = syscall($memfd, $name, 0); open my $file, "+<&=", $fd;
    syswrite $file, "x" x (1 << 20); $| = 1; print "held\n"; <STDIN>'`;
  const script = `${section('the watcher')}
mkfifo end held; ${file} <end >held & exec 3>end; read -r _ <held; tree=/proc/$!
measure_unnamed
stat() { ! :; } # as for a file that is gone
measure_unnamed`;
  const folder = mkdtempSync(join(home, 'closed-'));
  const [command = '', ...args] = shell;
  const { stdout, stderr } = spawnSync(command, [...args, '-c', script], { cwd: folder, encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: '0 1024\n0 0\n', stderr: '' });
});

const [ofRoot] = confinements(true, true);
const [ofUser] = confinements(false, true);
const SETTINGS: [string, Setting | undefined][] = [
  ['of root', isRoot && ofRoot ? { shell: ['sh'], confinement: ofRoot, uid: 61_984 } : undefined],
  // As an ordinary user; if the tests run as root, as another user.
  ['of a user', ofUser && { shell: ['sh'], confinement: ofUser, uid: null, ...(isRoot ? { user: NOBODY } : {}) }],
];

describe.each(SETTINGS)('in the sandbox %s, memory that no process holds', (_, setting) => {
  const inSandbox = async (command: string, skip: TestContext['skip'], memoryMb: number = 256) => {
    if (setting === undefined) return skip('this sandbox needs root');
    const got = await supervise(setting, command, { memoryMb });
    skip(got.end === undefined, `no such sandbox here: ${got.output}`);
    return got.output;
  };

  it('is at most half of the limit in shared segments', async ({ skip }) => {
    const count = Number(await inSandbox(SEGMENTS, skip, 64));
    expect(count).toBeGreaterThan(16);
    expect(count).toBeLessThanOrEqual(32);
  });

  it.for([
    ['queues of messages', QUEUES, 64],
    ['semaphores', SEMAPHORES, 32_000],
    ['files of /dev/shm', 'i=0; while (: >/dev/shm/$i) 2>/dev/null; do i=$((i + 1)); done; echo $i', 5119],
  ] as const)('is bounded as %s', async ([, command, most], { skip }) => {
    const count = Number(await inSandbox(command, skip, 64));
    expect(count).toBeGreaterThan(most / 2);
    expect(count).toBeLessThanOrEqual(most);
  });

  it('is in no file system of the run: the run can make no namespace', async ({ skip }) => {
    const command = 'unshare -Urm sh -c "mount -t tmpfs none /tmp && echo mounted"; unshare -U true || echo refused';
    const output = await inSandbox(command, skip);
    expect(output).toMatch(/refused\n$/);
    expect(output).not.toContain('mounted');
  });
});
