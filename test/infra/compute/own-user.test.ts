import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { Protections, SandboxMode } from '../../../infra/compute.ts';
import { confinements } from '../../../infra/compute/run-protocol/confinement/confinement.ts';
import { runName } from '../../../infra/compute/run-protocol/paths.ts';
import { noRestrictedRoot, withoutNamespaces, withoutProgram } from '../../support/machine/without-namespaces.ts';
import { LIMITS } from './conformance/support.ts';
import { supervise, type Setting } from './supervisor/supervise.ts';

const LOCAL = fileURLToPath(new URL('../../../dist/infra/compute/local.js', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'perpetua-own-user-'));
chmodSync(base, 0o711);
afterAll(() => rmSync(base, { recursive: true, force: true }));
const home = join(base, '022');

/** Protections that a worker reports on a machine whose root may make no namespaces. */
function found(mode: SandboxMode, words: string[]): Protections {
  const program = `
    const { createLocalCompute } = await import(${JSON.stringify(LOCAL)});
    const compute = createLocalCompute({ home: ${JSON.stringify(home)}, installation: 'own-user' });
    console.log(JSON.stringify(await compute.protections('${mode}')));
    process.exit();`;
  const [first = '', ...others] = [...words, process.execPath, '--input-type=module', '-e', program];
  return JSON.parse(execFileSync(first, others, { encoding: 'utf8' })) as Protections;
}

/**
 * Output of two runs on a machine whose root may make no namespaces, and whose worker has that umask.
 * Each run has a slot of its own, and the second runs while the first still runs.
 */
function beside(umask: string, first: string, second: string): { first: string; second: string } {
  const program = `
    const { createLocalCompute } = await import(${JSON.stringify(LOCAL)});
    const compute = createLocalCompute({ home: ${JSON.stringify(join(base, umask))}, installation: 'own-user' });
    await compute.stage('stage1', [{ path: 'main.txt', content: Buffer.from('x') }]);
    const { signal } = new AbortController();
    await compute.prepare('stage1', ['echo prepared > "$PERPETUA_DATA/x"'], { onOutput: () => {}, signal });
    const spec = (index, command) => ({
      jobId: 'beside/' + index, placement: 0, fence: 1, slot: { id: 's' + index, pool: 'local', index, gpu: null },
      stageHash: 'stage1', files: [], command, env: {}, limits: ${JSON.stringify(LIMITS)}, sandbox: 'required',
    });
    const outputOf = async (run, until) => {
      let text = '';
      for await (const event of compute.follow(run, 0, signal)) {
        if (event.type === 'output') text += Buffer.from(event.chunk).toString();
        if (until !== undefined && text.includes(until)) break;
      }
      return text;
    };
    const [one, two] = [spec(1, ${JSON.stringify(first)}), spec(2, ${JSON.stringify(second)})];
    await compute.launch(one);
    const first = await outputOf(one, 'ready');
    await compute.launch(two);
    const second = await outputOf(two);
    await compute.kill(one, 1);
    console.log(JSON.stringify({ first, second }));
    process.exit();`;
  const node = [process.execPath, '--input-type=module', '-e', program];
  const [word = '', ...others] = [...withoutNamespaces(), 'sh', '-c', `umask ${umask}; exec "$@"`, 'sh', ...node];
  return JSON.parse(execFileSync(word, others, { encoding: 'utf8' })) as { first: string; second: string };
}

/**
 * Requests sockets from the kernel and prints `-` or `+` for each: first those that lead to a network, by family and by
 * each way around a filter, then those that stay allowed.
 */
const ASK = `perl -MPOSIX -e '
  my ($socket) = (POSIX::uname())[4] eq "x86_64" ? 41 : 198;
  my ($two, $three) = ("\\0" x 120, "\\0" x 120);
  my @closed = map { [$socket, $_, 1, 0] } 2, 10, 40, 43, 21, 17;
  for (@closed, [$socket, 2, 2, 0], [$socket | 0x40000000, 2, 1, 0], [425, 4, $two, 0]) {
    print syscall($_->[0], $_->[1], $_->[2], $_->[3]) < 0 ? "-" : "+";
  }
  print " ";
  for ([1, 1], [16, 3]) { print syscall($socket, $_->[0], $_->[1], 0) < 0 ? "-" : "+" }
  socket(S, 2, 1, 0) or print " $!";
'`;

describe.skipIf(noRestrictedRoot !== undefined)(
  `a user of its own without namespaces ${noRestrictedRoot ?? ''}`,
  () => {
    const [confinement] = confinements(true, true).filter(({ containment }) => containment === 'uid');
    if (!confinement) throw new Error('expected a confinement by a user of its own');
    const setting = (networkClosed: boolean): Setting => ({
      shell: ['sh'],
      confinement: { ...confinement, networkClosed },
      uid: 61_982,
      within: withoutNamespaces(),
    });

    test('gets no socket that leads to a network, in any way, and Unix sockets as before', async () => {
      const { output, end } = await supervise(setting(true), ASK);
      expect(output).toBe('--------- ++ Address family not supported by protocol');
      expect(end).toMatchObject({ reason: 'exit', exitCode: 0, containment: 'uid', sandboxed: false });
    });

    test('is lost if perl, which closes its network, was removed since the probe', async () => {
      const lost = { ...setting(true), within: withoutNamespaces({ perl: false }) };
      const { code, end, directory } = await supervise(lost, 'echo it runs');
      expect({ code, end }).toEqual({ code: 71, end: undefined });
      expect(readFileSync(join(directory, 'ctl/failed'), 'utf8')).toContain('perl, which closes it, is gone');
    });

    const MAKE = `perl -e '
    defined shmget(0, 1 << 20, 0600 | 01000) && defined semget(0, 1, 0600 | 01000)
      && defined msgget(0, 0600 | 01000) or die "$!"
  '`;
    /** Kinds of System V objects that the kernel keeps for a user. */
    const kept = (uid: number | null): string[] =>
      ['shm', 'sem', 'msg'].filter((kind) => readFileSync(`/proc/sysvipc/${kind}`, 'utf8').includes(` ${uid} `));

    test.each([
      ['ipcrm', withoutNamespaces()],
      ['perl alone', [...withoutProgram('ipcrm'), ...withoutNamespaces()]],
    ])("leaves no shared memory, semaphores and queues of System V's calls, by %s", async (_, within) => {
      const { end, output } = await supervise({ ...setting(true), within }, `${MAKE} && cat /proc/sysvipc/*`);
      expect(end).toMatchObject({ reason: 'exit', exitCode: 0 });
      expect(output.match(/ 61982 /g)?.length).toBeGreaterThan(2);
      expect(kept(61_982)).toEqual([]);
    });

    test('finds none of an earlier run whose supervisor was killed, and those of other users stay', async () => {
      const as = (uid: number): string => `setpriv --reuid ${uid} --regid ${uid} --clear-groups ${MAKE}`;
      execFileSync('sh', ['-c', `${as(61_982)} && ${as(61_983)}`]);
      expect(kept(61_982)).toEqual(['shm', 'sem', 'msg']);
      const { output } = await supervise(setting(true), 'cat /proc/sysvipc/*');
      expect(output).not.toContain(' 61982 ');
      expect(kept(61_983)).toEqual(['shm', 'sem', 'msg']);
      await supervise({ ...setting(true), uid: 61_983 }, 'true');
      expect(kept(61_983)).toEqual([]);
    });

    test('has a closed network if there is perl, which a trial run finds out', () => {
      const closed = found('required', withoutNamespaces());
      expect(closed).toMatchObject({
        containment: 'uid',
        sandboxed: false,
        network: true,
        filesystem: false,
        uid: true,
      });
      expect(closed.exposure).toBe(
        'A run can read all files of this machine that everybody may read, leave files where everybody may write, ' +
          'and see other processes; it reaches no network and no server.',
      );
      const notes = closed.notes.join(' ');
      expect(notes).toContain('For a sandbox: give root the right CAP_SYS_ADMIN');
      expect(notes).toContain('A run has no loopback: a program that connects to itself by TCP needs the sandbox');
      expect(notes).toContain('The user of a run has its name in USER and LOGNAME alone');
    });

    test('has an open network without perl; the protections say what a run could do and what is missing', () => {
      const open = found('preferred', withoutNamespaces({ perl: false }));
      expect(open).toMatchObject({ containment: 'uid', sandboxed: false, network: false, uid: true });
      expect(open.exposure).toBe(
        'A run can reach every server on this machine. If Temporal is one of them, a run can run commands as root.',
      );
      expect(open.notes.join(' ')).toMatch(
        /^The network is open: it makes no namespaces .*CAP_SYS_ADMIN.*install perl/,
      );
    });

    test.each(['022', '077'])(
      "finds its own directory and its data, nothing of another slot's run (umask %s)",
      (umask) => {
        const home = join(base, umask);
        const attempt = join(home, 'runs/own-user', runName({ jobId: 'beside/1', placement: 0 }), '1');
        const note = join(attempt, 'work/note');
        const seen = beside(
          umask,
          'cd "$HOME" && echo secret > note && touch "$TMPDIR/x" && cat "$PERPETUA_DATA/x" && pwd && echo ready && ' +
            'sleep 60',
          `cat '${note}'; ls '${home}/runs/own-user'; id -u; cat main.txt "$PERPETUA_DATA/x"`,
        );
        expect(seen.first).toMatch(/^prepared\n\/.*\/work\nready\n$/);
        expect(seen.second).toContain('Permission denied');
        const modes = ['', 'work', 'tmp', 'ctl', 'run.json', 'manifest.json'].map((name) => {
          return (statSync(join(attempt, name)).mode & 0o777).toString(8);
        });
        expect(modes).toEqual(['711', '700', '700', '700', '600', '600']);
        expect(seen.second).not.toContain('secret');
        expect(seen.second).toMatch(/ls: cannot open directory[^]*\n6\d{4}\nxprepared\n$/);
      },
    );

    test('is not used with `sandbox: none`: such a run is root and has the network', () => {
      expect(found('none', withoutNamespaces())).toMatchObject({ uid: false, network: false });
    });
  },
);
