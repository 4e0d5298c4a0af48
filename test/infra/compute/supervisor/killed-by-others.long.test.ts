import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { confinements } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { killControl } from '../../../../infra/compute/local/kill.ts';
import { readEnd } from '../../../../infra/compute/local/attempt/read-end.ts';
import { startSupervisor, writeControl } from '../../../../infra/compute/local/supervise.ts';
import { LIMITS } from '../conformance/support.ts';
import { signalAll } from '../../../support/process/signal.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-others-'));
const supervisor = fileURLToPath(new URL('../../../../infra/compute/supervisor.sh', import.meta.url));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const UID = 61_103;
let count = 0;

/** Pids of the programs that copy a stream of a run into its file. */
const copiersOf = (file: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isCopier(name, file))
    .map(Number);

function isCopier(pid: string, file: string): boolean {
  try {
    if (!/^(cat|tee)\n$/.test(readFileSync(`/proc/${pid}/comm`, 'utf8'))) return false;
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === file);
  } catch {
    return false;
  }
}

describe.each(confinements(process.getuid?.() === 0, true))(
  'in $containment (sandboxed: $sandboxed)',
  (confinement) => {
    /** Runs a command; calls `meanwhile` with the control directory once the command has printed a line. */
    async function run(command: string, meanwhile?: (control: string) => void, apart = false) {
      const uid = confinement.ownUid ? UID : null;
      const directory = join(base, String((count += 1)), '1');
      const at = (name: string): string => join(directory, name);
      for (const name of ['work', 'tmp', 'root']) mkdirSync(at(name), { recursive: true });
      if (uid !== null) chownSync(at('work'), uid, uid);
      const [control, work, tmp, root] = [at('ctl'), at('work'), at('tmp'), at('root')];
      await writeControl(control, {
        control,
        work,
        tmp,
        root,
        fence: 1,
        talk: false,
        apart,
        command,
        limits: LIMITS,
        confinement,
        uid,
        supervisor,
        env: { PATH: '/usr/bin:/bin', HOME: work },
        show: [],
        hide: [],
      });
      const { process: child, exited } = await startSupervisor(supervisor, control, { talk: false });
      if (meanwhile) {
        const output = (): string => readFileSync(join(control, 'output'), 'utf8');
        await expect.poll(() => (child.exitCode === null ? output() : 'over')).toMatch(/\n$/);
        meanwhile(control);
      }
      await exited;
      return readEnd(control);
    }

    const isOwn = confinement.containment === 'process-group';

    it(`${isOwn ? 'does not distinguish' : 'distinguishes'} a killed process 1 from an end by itself`, async () => {
      const killInit = (control: string): void =>
        void process.kill(Number(readFileSync(join(control, 'init'), 'utf8').split(' ')[0]), 'SIGKILL');
      const end = await run('echo up; while :; do sleep 4710; done', killInit);
      expect(end).toMatchObject({ reason: isOwn ? 'exit' : 'killed', signal: 'SIGKILL' });
      expect(end?.treeGone).toBe(true);
    });

    it.each(['output', 'stdout', 'stderr'])(
      'loses a run if somebody kills the program that copies its %s',
      async (name) => {
        let control = '';
        const kill = (at: string): void => {
          control = at;
          const copiers = copiersOf(join(at, name));
          expect(copiers).toHaveLength(1);
          signalAll(copiers);
        };
        expect(await run('echo up; while :; do sleep 4712; done', kill, name !== 'output')).toBeUndefined();
        await killControl(control);
      },
    );

    it.each([
      ['itself', 'kill -9 $$'],
      ['its group', 'kill -9 0'],
      ['its parent and itself', 'kill -9 $PPID; kill -9 $$'],
      ['nobody, and claims so', 'exit 137'],
    ])('blames a run that kills %s', async (_, command) => {
      expect(await run(command)).toMatchObject({ reason: 'exit', signal: 'SIGKILL', treeGone: true });
    });
  },
);
