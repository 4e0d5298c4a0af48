import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { killControl } from '../../../../infra/compute/local/kill.ts';
import { readEnd } from '../../../../infra/compute/local/attempt/read-end.ts';
import { controlFiles } from '../../../../infra/compute/run-protocol/control-files.ts';
import { PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { LIMITS } from '../conformance/support.ts';
import { host } from '../ssh/support/host-call.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-claiming-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Lays out a run whose supervisor stalls after its claim, as on a slow disk; the run makes the file `began`. */
function stalled(attempt: string, supervisor: string) {
  const at = (name: string): string => join(attempt, name);
  for (const name of ['work', 'tmp', 'root', 'ctl']) mkdirSync(at(name), { recursive: true });
  const [control, work, tmp, root] = [at('ctl'), at('work'), at('tmp'), at('root')];
  const run = {
    control,
    work,
    tmp,
    root,
    fence: 5,
    talk: false,
    command: 'touch began',
    limits: LIMITS,
    supervisor,
    confinement: PROCESS_GROUP,
    uid: null,
    env: { PATH: '/usr/bin:/bin' },
    show: [],
    hide: [],
  };
  for (const { name, text } of controlFiles(run)) writeFileSync(join(control, name), text);
  return { control, began: join(work, 'began') };
}

/** Writes a claim as a supervisor does; `owner` is the pid of a living process. */
function claim(control: string, owner: number): void {
  mkdirSync(join(control, 'claim'));
  const stat = readFileSync(`/proc/${owner}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  writeFileSync(join(control, 'claim/owner'), `${owner} ${stat[19]} ${boot} 5\n`);
}

const shell = host('sh');
describe.each([
  {
    by: 'this machine',
    supervisor: shell.supervisor,
    attempt: (name: string) => join(base, name, '5'),
    kill: async (_: string, control: string) => killControl(control),
  },
  {
    by: "a host's script",
    supervisor: shell.supervisor,
    attempt: (name: string) => join(shell.runs, name, '5'),
    kill: async (name: string) => Promise.resolve(void expect(shell.call('kill', name, 5)).toEqual(['done'])),
  },
])('a kill by $by', ({ supervisor, attempt, kill }) => {
  it('of a run whose supervisor stalls in its claim ends that supervisor', async () => {
    const { control } = stalled(attempt('claims.0'), supervisor);
    const owner = spawn('sleep', ['4877'], { stdio: 'ignore' });
    const gone = once(owner, 'exit');
    claim(control, owner.pid ?? 0);
    await kill('claims.0', control);
    expect(await gone).toEqual([null, 'SIGKILL']);
    expect(readFileSync(join(control, 'reason'), 'utf8').trim()).toBe('killed');
  });

  it('of a run whose supervisor stalls before it names itself keeps it from starting the run later', async () => {
    const { control, began } = stalled(attempt('nameless.0'), supervisor);
    mkdirSync(join(control, 'claim'));
    await kill('nameless.0', control);
    // A new supervisor without the claim does what the stalled one would do after its claim.
    rmSync(join(control, 'claim'), { recursive: true });
    const late = spawn('/bin/sh', [supervisor, control], { env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' });
    await once(late, 'exit');
    expect(existsSync(began)).toBe(false);
    expect(await readEnd(control)).toMatchObject({ reason: 'killed' });
  });
});

it('TERM ends a run, though it came before another shell took the place of the first one', async () => {
  const { control } = stalled(join(base, 'early.0', '5'), shell.supervisor);
  appendFileSync(join(control, 'spec'), '\n[ "${2:-}" = again ] || kill -TERM $$\n');
  // Dash cannot close descriptor 12: bash or busybox runs the script in its place.
  const inherited = openSync('/dev/null', 'r');
  const stdio = Array.from({ length: 13 }, (_, i) => (i === 12 ? inherited : ('ignore' as const)));
  const supervisor = spawn('sh', [shell.supervisor, control], { stdio });
  await once(supervisor, 'exit');
  closeSync(inherited);
  expect(await readEnd(control)).toMatchObject({ reason: 'killed' });
});
