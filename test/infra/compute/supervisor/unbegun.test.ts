import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readEnd } from '../../../../infra/compute/local/attempt/read-end.ts';
import { stateOf } from '../../../../infra/compute/local/attempt/state.ts';
import { writeControl } from '../../../../infra/compute/local/supervise.ts';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { confinements, type Confinement } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { followToEnd, LIMITS, specOf } from '../conformance/support.ts';

const isRoot = process.getuid?.() === 0;
const base = mkdtempSync(join(tmpdir(), 'perpetua-unbegun-'));
chmodSync(base, 0o755);
const supervisor = fileURLToPath(new URL('../../../../infra/compute/supervisor.sh', import.meta.url));
const UID = 61_107;
afterAll(() => rmSync(base, { recursive: true, force: true }));

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
const tools = join(base, 'tools');
mkdirSync(tools);
/** Replaces a program that confines runs by one that is not permitted to if its first argument matches the pattern. */
const forbid = (name: string, pattern: string): void =>
  writeFileSync(
    join(tools, name),
    `#!/bin/sh\ncase $1 in ${pattern}) echo '${name}: Operation not permitted' >&2; exit 1 ;; esac\n` +
      `exec /usr/bin/${name} "$@"\n`,
    { mode: 0o755 },
  );
forbid('unshare', '*');
forbid('setpriv', '--reuid');

/** Supervisor script of an older version, which does not write the `begun` mark; its runs continue with it. */
const older = join(base, 'older.sh');
writeFileSync(older, readFileSync(supervisor, 'utf8').replace('5<>"$control/begun"', '5>"$control/built"'));

let count = 0;
/** Runs a command with this PATH; returns the exit code of the supervisor and the end of the run. */
async function supervise(
  confinement: Confinement,
  command: string,
  { path, inside = supervisor }: { path: string; inside?: string },
) {
  const directory = join(base, String((count += 1)), '1');
  const at = (name: string): string => join(directory, name);
  for (const name of ['work', 'tmp', 'root']) mkdirSync(at(name), { recursive: true });
  const uid = confinement.ownUid ? UID : null;
  if (uid !== null) for (const name of ['work', 'tmp']) chownSync(at(name), uid, uid);
  const [control, work, tmp, root] = [at('ctl'), at('work'), at('tmp'), at('root')];
  await writeControl(control, {
    control,
    work,
    tmp,
    root,
    fence: 1,
    talk: false,
    command,
    limits: LIMITS,
    confinement,
    uid,
    supervisor: inside,
    env: { PATH: '/usr/bin:/bin', HOME: work },
    show: [],
    hide: [],
  });
  if (inside !== supervisor) rmSync(join(control, 'begun'));
  const child = spawn('/bin/sh', [supervisor, control], { cwd: '/', env: { PATH: path }, stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number];
  return { code, control, end: await readEnd(control) };
}

describe.each(confinements(isRoot, true).filter(({ containment }) => containment !== 'process-group'))(
  'a run in $containment (sandboxed: $sandboxed, keys: $ownKeys)',
  (confinement) => {
    it('whose confinement fails is lost, with the error of the program that failed', async () => {
      const { code, control, end } = await supervise(confinement, 'exit 0', { path: `${tools}:${PATH}` });
      expect({ code, end }).toEqual({ code: 71, end: undefined });
      expect((await stateOf(control)).state).toBe('lost');
      expect(readFileSync(join(control, 'failed'), 'utf8')).toMatch(
        /^the command could not start \(exit, exit code 1\):\n(unshare|setpriv): Operation not permitted\n$/,
      );
    });

    it('of an older version, whose script does not mark its start, has its usual end', async () => {
      const { end } = await supervise(confinement, 'exit 3', { path: PATH, inside: older });
      expect(end).toMatchObject({ reason: 'exit', exitCode: 3 });
    });

    it.each([1, 125, 127])('that begins and exits with %i has failed by itself', async (exitCode) => {
      const { end } = await supervise(confinement, `exit ${exitCode}`, { path: PATH });
      expect(end).toMatchObject({ reason: 'exit', exitCode });
    });
  },
);

const absent = join(base, 'unmounted');
const compute = createLocalCompute({ home: join(base, 'home'), installation: 'unbegun', readable: [absent] });
const { sandboxed, notes } = await compute.protections('required');

it.skipIf(!sandboxed)(
  `the host reports why a run was lost, and probes its confinement again for the next (${notes.join(' ')})`,
  async () => {
    await compute.stage('stage1', [{ path: 'main.txt', content: Buffer.from('x') }]);
    const spec = specOf('true', { sandbox: 'required' });
    await compute.launch(spec);
    expect((await followToEnd(compute, spec)).last).toEqual({ type: 'lost', why: 'the sandbox could not be built' });
    mkdirSync(absent);
    compute.forgetConfinement();
    const next = specOf('true', { sandbox: 'required' });
    await compute.launch(next);
    expect((await followToEnd(compute, next)).end).toMatchObject({ reason: 'exit', exitCode: 0 });
  },
);
